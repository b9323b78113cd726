package prepared

import (
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

// value writes a value as engines do: with all type names and labels, numerics with the places of their types, records
// without none fields at the end, and the transaction's own contracts by their ids before the commit.
func (b *builder) value(value lf.Value) *ledgerpb.Value {
	switch value := value.(type) {
	case lf.Unit:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Unit{Unit: &emptypb.Empty{}}}
	case lf.Bool:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Bool{Bool: bool(value)}}
	case lf.Int64:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Int64{Int64: int64(value)}}
	case lf.Numeric:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Numeric{Numeric: value.String()}}
	case lf.Scaled:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Numeric{Numeric: value.String()}}
	case lf.Timestamp:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Timestamp{Timestamp: int64(value)}}
	case lf.Date:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Date{Date: int32(value)}}
	case lf.Party:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Party{Party: string(value)}}
	case lf.Text:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Text{Text: string(value)}}
	case lf.ContractID:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_ContractId{ContractId: string(b.localID(value))}}
	case lf.Enum:
		enum := &ledgerpb.Enum{EnumId: namedType(value.Type), Constructor: value.Constructor}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Enum{Enum: enum}}
	default:
		return b.composite(value)
	}
}

func (b *builder) composite(value lf.Value) *ledgerpb.Value {
	switch value := value.(type) {
	case lf.Optional:
		optional := &ledgerpb.Optional{}
		if value.Value != nil {
			optional.Value = b.value(value.Value)
		}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Optional{Optional: optional}}
	case lf.List:
		list := &ledgerpb.List{}
		for _, element := range value {
			list.Elements = append(list.Elements, b.value(element))
		}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_List{List: list}}
	case lf.TextMap:
		entries := &ledgerpb.TextMap{}
		for _, entry := range value {
			entries.Entries = append(entries.Entries, &ledgerpb.TextMap_Entry{Key: entry.Key, Value: b.value(entry.Value)})
		}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_TextMap{TextMap: entries}}
	case lf.GenMap:
		entries := &ledgerpb.GenMap{}
		for _, entry := range value {
			pair := &ledgerpb.GenMap_Entry{Key: b.value(entry.Key), Value: b.value(entry.Value)}
			entries.Entries = append(entries.Entries, pair)
		}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_GenMap{GenMap: entries}}
	case lf.Record:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Record{Record: b.record(value)}}
	case lf.Variant:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Variant{Variant: &ledgerpb.Variant{
			VariantId: namedType(value.Type), Constructor: value.Constructor, Value: b.value(value.Value),
		}}}
	default:
		return nil
	}
}

func (b *builder) record(value lf.Record) *ledgerpb.Record {
	fields := value.Fields
	for len(fields) > 0 {
		last, isOptional := fields[len(fields)-1].Value.(lf.Optional)
		if !isOptional || last.Value != nil {
			break
		}
		fields = fields[:len(fields)-1]
	}
	out := &ledgerpb.Record{RecordId: namedType(value.Type)}
	for _, field := range fields {
		out.Fields = append(out.Fields, &ledgerpb.RecordField{Label: field.Label, Value: b.value(field.Value)})
	}
	return out
}

func identifier(name lf.TypeName) *ledgerpb.Identifier {
	return &ledgerpb.Identifier{
		PackageId: string(name.Package), ModuleName: name.Module, EntityName: name.Entity,
	}
}

func optionalIdentifier(name *lf.TypeName) *ledgerpb.Identifier {
	if name == nil {
		return nil
	}
	return identifier(*name)
}

// namedType is the name of a type, nil for types without one.
func namedType(name lf.TypeName) *ledgerpb.Identifier {
	if name.IsZero() {
		return nil
	}
	return identifier(name)
}

// typeName is the inverse of [identifier].
func typeName(id *ledgerpb.Identifier) lf.TypeName {
	return lf.TypeName{
		Package: lf.PackageID(id.GetPackageId()), Module: id.GetModuleName(), Entity: id.GetEntityName(),
	}
}
