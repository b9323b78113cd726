package prepared

import "github.com/florinledger/florin/ledger/ledgerpb"

// The tags of the kinds of values.
const (
	tagUnit       = 0x00
	tagBool       = 0x01
	tagInt64      = 0x02
	tagNumeric    = 0x03
	tagTimestamp  = 0x04
	tagDate       = 0x05
	tagParty      = 0x06
	tagText       = 0x07
	tagContractID = 0x08
	tagOptional   = 0x09
	tagList       = 0x0a
	tagTextMap    = 0x0b
	tagRecord     = 0x0c
	tagVariant    = 0x0d
	tagEnum       = 0x0e
	tagGenMap     = 0x0f
)

// value adds a value, which [Decode] checked.
func (e *encoding) value(value *ledgerpb.Value) {
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Unit:
		e.byte(tagUnit, "unit")
	case *ledgerpb.Value_Bool:
		e.byte(tagBool, "bool")
		e.bool(sum.Bool, "value")
	case *ledgerpb.Value_Int64:
		e.byte(tagInt64, "int64")
		e.int64(sum.Int64, "value")
	case *ledgerpb.Value_Numeric:
		e.byte(tagNumeric, "numeric")
		e.text(sum.Numeric, "value")
	case *ledgerpb.Value_Timestamp:
		e.byte(tagTimestamp, "timestamp")
		e.int64(sum.Timestamp, "value")
	case *ledgerpb.Value_Date:
		e.byte(tagDate, "date")
		e.int32(sum.Date, "value")
	case *ledgerpb.Value_Party:
		e.byte(tagParty, "party")
		e.text(sum.Party, "value")
	case *ledgerpb.Value_Text:
		e.byte(tagText, "text")
		e.text(sum.Text, "value")
	case *ledgerpb.Value_ContractId:
		e.byte(tagContractID, "contract id")
		e.hexText(sum.ContractId, "value")
	default:
		e.composite(value)
	}
}

func (e *encoding) composite(value *ledgerpb.Value) {
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Optional:
		e.byte(tagOptional, "optional")
		if e.optional(sum.Optional.GetValue() != nil, "value") {
			e.value(sum.Optional.GetValue())
		}
	case *ledgerpb.Value_List:
		e.byte(tagList, "list")
		e.count(len(sum.List.GetElements()), "number of elements")
		for _, element := range sum.List.GetElements() {
			e.value(element)
		}
	case *ledgerpb.Value_TextMap:
		e.byte(tagTextMap, "text map")
		e.count(len(sum.TextMap.GetEntries()), "number of entries")
		for _, entry := range sum.TextMap.GetEntries() {
			e.text(entry.GetKey(), "key")
			e.value(entry.GetValue())
		}
	case *ledgerpb.Value_GenMap:
		e.byte(tagGenMap, "map")
		e.count(len(sum.GenMap.GetEntries()), "number of entries")
		for _, entry := range sum.GenMap.GetEntries() {
			e.value(entry.GetKey())
			e.value(entry.GetValue())
		}
	case *ledgerpb.Value_Record:
		e.byte(tagRecord, "record")
		e.record(sum.Record)
	case *ledgerpb.Value_Variant:
		e.byte(tagVariant, "variant")
		e.optionalIdentifier(sum.Variant.GetVariantId(), "type")
		e.text(sum.Variant.GetConstructor(), "constructor")
		e.value(sum.Variant.GetValue())
	case *ledgerpb.Value_Enum:
		e.byte(tagEnum, "enum")
		e.optionalIdentifier(sum.Enum.GetEnumId(), "type")
		e.text(sum.Enum.GetConstructor(), "constructor")
	}
}

func (e *encoding) record(record *ledgerpb.Record) {
	e.optionalIdentifier(record.GetRecordId(), "type")
	e.count(len(record.GetFields()), "number of fields")
	for _, field := range record.GetFields() {
		if e.optional(field.GetLabel() != "", "label") {
			e.text(field.GetLabel(), "label")
		}
		e.value(field.GetValue())
	}
}
