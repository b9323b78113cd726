package web

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

// cell is a value in a table: a party, a contract or a text.
type cell struct{ Text, Party, Contract string }

// shortestContract is the length of the shortest id of a contract.
const shortestContract = 66

// cellOf is a value of a contract for a table.
func cellOf(value json.RawMessage) cell {
	var text string
	if json.Unmarshal(value, &text) != nil {
		var line bytes.Buffer
		if string(value) == "null" || json.Compact(&line, value) != nil {
			return cell{}
		}
		return cell{Text: client.Short(line.String())}
	}
	_, fingerprint, isParty := strings.Cut(text, "::1220")
	switch {
	case isParty && isHex(fingerprint):
		return cell{Party: text}
	case strings.HasPrefix(text, "00") && len(text) >= shortestContract && isHex(text):
		return cell{Contract: text}
	default:
		return cell{Text: client.Short(trimZeros(text))}
	}
}

func isHex(text string) bool { return text != "" && strings.Trim(text, "0123456789abcdef") == "" }

// trimZeros drops the zeros at the end of a decimal.
func trimZeros(text string) string {
	number, err := decimal.Parse(text)
	if err != nil || !strings.Contains(text, ".") {
		return text
	}
	return number.Show()
}

// namedValue is a field of a record.
type namedValue struct {
	Name  string
	Value json.RawMessage
}

// fieldsIn are the fields of a record in its order; nil if the value is none.
func fieldsIn(record json.RawMessage) (fields []namedValue) {
	reading := json.NewDecoder(bytes.NewReader(record))
	if start, err := reading.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for reading.More() {
		name, err := reading.Token()
		if err != nil {
			return fields
		}
		var value json.RawMessage
		if reading.Decode(&value) != nil {
			return fields
		}
		text, _ := name.(string)
		fields = append(fields, namedValue{text, value})
	}
	return fields
}

// valueAt finds a value by a path of fields, such as transfer.receiver; nil if there is none.
func valueAt(record json.RawMessage, path string) json.RawMessage {
	for name := range strings.SplitSeq(path, ".") {
		var fields map[string]json.RawMessage
		if json.Unmarshal(record, &fields) != nil {
			return nil
		}
		record = fields[name]
	}
	return record
}

// isLike reports whether a value is what a person typed: the same number, or a text that has it.
func isLike(value json.RawMessage, typed string) bool {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	number, err := decimal.Parse(text)
	wanted, wantedErr := decimal.Parse(typed)
	if err == nil && wantedErr == nil {
		return number.Cmp(wanted) == 0
	}
	return value != nil && contains(text, typed)
}
