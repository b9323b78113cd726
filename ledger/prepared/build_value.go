package prepared

import (
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/prepared/preparedpb"
)

// value writes a value as engines do: with all type names and labels, numerics with the places of their types, records
// without none fields at the end, and the transaction's own contracts by their ids before the commit.
func (b *builder) value(value lf.Value) *preparedpb.Value {
	switch value := value.(type) {
	case lf.Unit:
		return &preparedpb.Value{Sum: &preparedpb.Value_Unit{Unit: &preparedpb.Unit{}}}
	case lf.Bool:
		return &preparedpb.Value{Sum: &preparedpb.Value_Bool{Bool: bool(value)}}
	case lf.Int64:
		return &preparedpb.Value{Sum: &preparedpb.Value_Int64{Int64: int64(value)}}
	case lf.Numeric:
		return &preparedpb.Value{Sum: &preparedpb.Value_Numeric{Numeric: value.String()}}
	case lf.Scaled:
		return &preparedpb.Value{Sum: &preparedpb.Value_Numeric{Numeric: value.String()}}
	case lf.Timestamp:
		return &preparedpb.Value{Sum: &preparedpb.Value_Timestamp{Timestamp: int64(value)}}
	case lf.Date:
		return &preparedpb.Value{Sum: &preparedpb.Value_Date{Date: int32(value)}}
	case lf.Party:
		return &preparedpb.Value{Sum: &preparedpb.Value_Party{Party: string(value)}}
	case lf.Text:
		return &preparedpb.Value{Sum: &preparedpb.Value_Text{Text: string(value)}}
	case lf.ContractID:
		return &preparedpb.Value{Sum: &preparedpb.Value_ContractId{ContractId: string(b.localID(value))}}
	case lf.Enum:
		enum := &preparedpb.Enum{EnumId: namedType(value.Type), Constructor: value.Constructor}
		return &preparedpb.Value{Sum: &preparedpb.Value_Enum{Enum: enum}}
	default:
		return b.composite(value)
	}
}

func (b *builder) composite(value lf.Value) *preparedpb.Value {
	switch value := value.(type) {
	case lf.Optional:
		optional := &preparedpb.Optional{}
		if value.Value != nil {
			optional.Value = b.value(value.Value)
		}
		return &preparedpb.Value{Sum: &preparedpb.Value_Optional{Optional: optional}}
	case lf.List:
		list := &preparedpb.List{}
		for _, element := range value {
			list.Elements = append(list.Elements, b.value(element))
		}
		return &preparedpb.Value{Sum: &preparedpb.Value_List{List: list}}
	case lf.TextMap:
		entries := &preparedpb.TextMap{}
		for _, entry := range value {
			entries.Entries = append(entries.Entries, &preparedpb.TextMap_Entry{Key: entry.Key, Value: b.value(entry.Value)})
		}
		return &preparedpb.Value{Sum: &preparedpb.Value_TextMap{TextMap: entries}}
	case lf.GenMap:
		entries := &preparedpb.GenMap{}
		for _, entry := range value {
			pair := &preparedpb.GenMap_Entry{Key: b.value(entry.Key), Value: b.value(entry.Value)}
			entries.Entries = append(entries.Entries, pair)
		}
		return &preparedpb.Value{Sum: &preparedpb.Value_GenMap{GenMap: entries}}
	case lf.Record:
		return &preparedpb.Value{Sum: &preparedpb.Value_Record{Record: b.record(value)}}
	case lf.Variant:
		return &preparedpb.Value{Sum: &preparedpb.Value_Variant{Variant: &preparedpb.Variant{
			VariantId: namedType(value.Type), Constructor: value.Constructor, Value: b.value(value.Value),
		}}}
	default:
		return nil
	}
}

func (b *builder) record(value lf.Record) *preparedpb.Record {
	fields := value.Fields
	for len(fields) > 0 {
		last, isOptional := fields[len(fields)-1].Value.(lf.Optional)
		if !isOptional || last.Value != nil {
			break
		}
		fields = fields[:len(fields)-1]
	}
	out := &preparedpb.Record{RecordId: namedType(value.Type)}
	for _, field := range fields {
		out.Fields = append(out.Fields, &preparedpb.Record_Field{Label: field.Label, Value: b.value(field.Value)})
	}
	return out
}

func identifier(name lf.TypeName) *preparedpb.Identifier {
	return &preparedpb.Identifier{
		PackageId: string(name.Package), ModuleName: name.Module, EntityName: name.Entity,
	}
}

func optionalIdentifier(name *lf.TypeName) *preparedpb.Identifier {
	if name == nil {
		return nil
	}
	return identifier(*name)
}

// namedType is the name of a type, nil for types without one.
func namedType(name lf.TypeName) *preparedpb.Identifier {
	if name.IsZero() {
		return nil
	}
	return identifier(name)
}

// typeName is the inverse of [identifier].
func typeName(id *preparedpb.Identifier) lf.TypeName {
	return lf.TypeName{
		Package: lf.PackageID(id.GetPackageId()), Module: id.GetModuleName(), Entity: id.GetEntityName(),
	}
}
