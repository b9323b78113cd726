package prepared

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

// maxValueDepth limits the nesting of values (upstream's engine).
const maxValueDepth = 100

// A numeric is plain decimal text of at most 38 digits.
const maxNumericDigits = 38

var numericPattern = regexp.MustCompile(`^[+-]?([0-9]+)(?:\.([0-9]*))?$`)

func checkField(field string, value *ledgerpb.Value) error {
	if err := checkValue(value, 1); err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}

func checkValue(value *ledgerpb.Value, depth int) error {
	if depth > maxValueDepth {
		return fmt.Errorf("the value is nested more than %d levels deep", maxValueDepth)
	}
	switch sum := value.GetSum().(type) {
	case nil:
		return errors.New("a value is missing")
	case *ledgerpb.Value_Numeric:
		return checkNumeric(sum.Numeric)
	case *ledgerpb.Value_Party:
		return lf.CheckParty(sum.Party)
	case *ledgerpb.Value_ContractId:
		return ledger.CheckContractID(sum.ContractId)
	case *ledgerpb.Value_Timestamp:
		if at := lf.Timestamp(sum.Timestamp); at < lf.MinTimestamp() || at > lf.MaxTimestamp() {
			return fmt.Errorf("timestamp %d (microseconds since 1970) is outside the years 1 to 9999", sum.Timestamp)
		}
		return nil
	case *ledgerpb.Value_Date:
		if at := lf.DayStart(lf.Date(sum.Date)); at < lf.MinTimestamp() || at > lf.MaxTimestamp() {
			return fmt.Errorf("date %d (days since 1970) is outside the years 1 to 9999", sum.Date)
		}
		return nil
	default:
		return checkComposite(value, depth+1)
	}
}

func checkNumeric(text string) error {
	parts := numericPattern.FindStringSubmatch(text)
	if parts == nil || len(parts[1])+len(parts[2]) > maxNumericDigits {
		return fmt.Errorf("%q is not a plain decimal number of at most %d digits", text, maxNumericDigits)
	}
	return nil
}

func checkComposite(value *ledgerpb.Value, depth int) error {
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Optional:
		if sum.Optional.GetValue() == nil {
			return nil
		}
		return checkValue(sum.Optional.GetValue(), depth)
	case *ledgerpb.Value_List:
		for i, element := range sum.List.GetElements() {
			if err := checkValue(element, depth); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case *ledgerpb.Value_TextMap:
		return checkTextMap(sum.TextMap, depth)
	case *ledgerpb.Value_GenMap:
		for _, entry := range sum.GenMap.GetEntries() {
			if err := cmp.Or(checkValue(entry.GetKey(), depth), checkValue(entry.GetValue(), depth)); err != nil {
				return err
			}
		}
	case *ledgerpb.Value_Record:
		if err := checkOptionalType(sum.Record.GetRecordId()); err != nil {
			return err
		}
		for _, field := range sum.Record.GetFields() {
			if err := checkValue(field.GetValue(), depth); err != nil {
				return fmt.Errorf("%s: %w", field.GetLabel(), err)
			}
		}
	case *ledgerpb.Value_Variant:
		return cmp.Or(checkOptionalType(sum.Variant.GetVariantId()), checkValue(sum.Variant.GetValue(), depth))
	case *ledgerpb.Value_Enum:
		return checkOptionalType(sum.Enum.GetEnumId())
	}
	return nil
}

func checkTextMap(entries *ledgerpb.TextMap, depth int) error {
	slices.SortStableFunc(entries.GetEntries(), func(a, b *ledgerpb.TextMap_Entry) int {
		return cmp.Compare(a.GetKey(), b.GetKey())
	})
	for i, entry := range entries.GetEntries() {
		if i > 0 && entry.GetKey() == entries.GetEntries()[i-1].GetKey() {
			return fmt.Errorf("the text map has the key %q twice", entry.GetKey())
		}
		if err := checkValue(entry.GetValue(), depth); err != nil {
			return fmt.Errorf("%q: %w", entry.GetKey(), err)
		}
	}
	return nil
}

func checkOptionalType(id *ledgerpb.Identifier) error {
	if id == nil {
		return nil
	}
	return checkIdentifier("type", id)
}
