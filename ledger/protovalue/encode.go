package protovalue

import (
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

// Encoder writes values. Records have no none fields at the end.
type Encoder struct {
	// Plain leaves out the names of types and the labels of fields, as answers that are not verbose do.
	Plain bool
}

// Value writes a value.
func (e Encoder) Value(value lf.Value) *ledgerpb.Value {
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
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Numeric{Numeric: scaled(value)}}
	case lf.Timestamp:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Timestamp{Timestamp: int64(value)}}
	case lf.Date:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Date{Date: int32(value)}}
	case lf.Party:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Party{Party: string(value)}}
	case lf.Text:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Text{Text: string(value)}}
	case lf.ContractID:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_ContractId{ContractId: string(value)}}
	case lf.Enum:
		enum := &ledgerpb.Enum{EnumId: e.typeID(value.Type), Constructor: value.Constructor}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Enum{Enum: enum}}
	default:
		return e.composite(value)
	}
}

// scaled writes a number; one without fraction ends with its point, as the engines of the field write it.
func scaled(value lf.Scaled) string {
	if value.Scale() == 0 {
		return value.String() + "."
	}
	return value.String()
}

func (e Encoder) composite(value lf.Value) *ledgerpb.Value {
	switch value := value.(type) {
	case lf.Optional:
		optional := &ledgerpb.Optional{}
		if value.Value != nil {
			optional.Value = e.Value(value.Value)
		}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Optional{Optional: optional}}
	case lf.List:
		list := &ledgerpb.List{Elements: make([]*ledgerpb.Value, len(value))}
		for i, element := range value {
			list.Elements[i] = e.Value(element)
		}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_List{List: list}}
	case lf.TextMap:
		entries := &ledgerpb.TextMap{Entries: make([]*ledgerpb.TextMap_Entry, len(value))}
		for i, entry := range value {
			entries.Entries[i] = &ledgerpb.TextMap_Entry{Key: entry.Key, Value: e.Value(entry.Value)}
		}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_TextMap{TextMap: entries}}
	case lf.GenMap:
		entries := &ledgerpb.GenMap{Entries: make([]*ledgerpb.GenMap_Entry, len(value))}
		for i, entry := range value {
			entries.Entries[i] = &ledgerpb.GenMap_Entry{Key: e.Value(entry.Key), Value: e.Value(entry.Value)}
		}
		return &ledgerpb.Value{Sum: &ledgerpb.Value_GenMap{GenMap: entries}}
	case lf.Record:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Record{Record: e.Record(value)}}
	case lf.Variant:
		return &ledgerpb.Value{Sum: &ledgerpb.Value_Variant{Variant: &ledgerpb.Variant{
			VariantId: e.typeID(value.Type), Constructor: value.Constructor, Value: e.Value(value.Value),
		}}}
	default:
		return nil
	}
}

// Record writes a record.
func (e Encoder) Record(value lf.Record) *ledgerpb.Record {
	last := len(value.Fields)
	for last > 0 && value.Fields[last-1].Value == (lf.Optional{}) {
		last--
	}
	out := &ledgerpb.Record{RecordId: e.typeID(value.Type), Fields: make([]*ledgerpb.RecordField, last)}
	for i, field := range value.Fields[:last] {
		out.Fields[i] = &ledgerpb.RecordField{Value: e.Value(field.Value)}
		if !e.Plain {
			out.Fields[i].Label = field.Label
		}
	}
	return out
}

// typeID is the name of a type; nil for types without one, such as tuples of the language itself.
func (e Encoder) typeID(name lf.TypeName) *ledgerpb.Identifier {
	if e.Plain || name.IsZero() {
		return nil
	}
	return Identifier(name)
}

// Identifier writes a name.
func Identifier(name lf.TypeName) *ledgerpb.Identifier {
	return &ledgerpb.Identifier{
		PackageId: string(name.Package), ModuleName: name.Module, EntityName: name.Entity,
	}
}

// TypeName is the inverse of [Identifier].
func TypeName(id *ledgerpb.Identifier) lf.TypeName {
	return lf.TypeName{
		Package: lf.PackageID(id.GetPackageId()), Module: id.GetModuleName(), Entity: id.GetEntityName(),
	}
}
