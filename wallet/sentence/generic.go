package sentence

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// maxFields is the number of fields that the sentence of a user's choice or contract shows.
const maxFields = 2

// generic names the choice or template, who acted, and the first fields: "Iou:Transfer by alice on #12ab…: newOwner
// carol", or "alice created Iou #12ab…: owner alice".
func (w *writer) generic() Sentence {
	name, contract := w.event.entity(), Part{Text: shortID(w.event.Contract), Contract: w.event.Contract}
	var parts []Part
	if w.event.Choice == "" {
		parts = append(people(w.event.By), Part{Text: " "}, Part{Text: w.verb("created"), Role: Verb},
			Part{Text: " " + clean(name)})
		if contract.Contract != "" {
			parts = append(parts, Part{Text: " "}, contract)
		}
	} else {
		parts = append(parts, Part{Text: clean(name + ":" + w.event.Choice)}, Part{Text: " by "})
		parts = append(parts, people(w.event.By)...)
		if contract.Contract != "" {
			parts = append(parts, Part{Text: " on "}, contract)
		}
	}
	for i, field := range firstFields(w.event.Argument) {
		separator := ": "
		if i > 0 {
			separator = ", "
		}
		parts = append(parts, Part{Text: separator + field.name + " "}, w.fieldValue(field.value))
	}
	return w.finish(parts, Done)
}

// archival says that a contract was archived by itself: "alice archived Iou #12ab…". Coin is used.
func (w *writer) archival() Sentence {
	amount, isCoin := w.words("cc", w.find("on.amount.initialAmount"))
	owner := w.text("on.owner")
	if isCoin && owner != "" && w.event.Foreign == "" && w.event.entity() == "Amulet" {
		return w.finish([]Part{
			party(owner, true),
			{Text: " "},
			{Text: amount, Role: Amount},
			{Text: " "},
			{Text: w.verb("was"), Role: Verb},
			{Text: " used"},
		}, Quiet)
	}
	parts := append(people(w.event.By), Part{Text: " "}, Part{Text: w.verb("archived"), Role: Verb},
		Part{Text: " " + clean(w.event.entity()) + " "},
		Part{Text: shortID(w.event.Contract), Contract: w.event.Contract})
	state := Quiet
	if w.event.Foreign != "" {
		state = Done
	}
	return w.finish(parts, state)
}

// shortID is the start of a contract's id, as people see it.
func shortID(contract string) string {
	const prefix, shown = 2, 8 // all ids start with the version 00
	if len(contract) <= prefix+shown {
		return "#" + contract
	}
	return "#" + contract[prefix:prefix+shown] + "…"
}

type field struct {
	name  string
	value any
}

// firstFields are the first fields of a record that have short values, in the order of the record.
func firstFields(raw json.RawMessage) (found []field) {
	if len(raw) > maxValue {
		return nil
	}
	reading := json.NewDecoder(bytes.NewReader(raw))
	reading.UseNumber()
	if start, err := reading.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for reading.More() && len(found) < maxFields {
		name, err := reading.Token()
		if err != nil {
			return found
		}
		var value any
		if reading.Decode(&value) != nil {
			return found
		}
		switch value.(type) {
		case string, bool, json.Number:
			text, _ := name.(string)
			found = append(found, field{clean(text), value})
		}
	}
	return found
}

// fieldValue writes a value of a user's contract.
func (w *writer) fieldValue(value any) Part {
	text, isText := value.(string)
	switch {
	case isText && isParty(text):
		return party(text, false)
	case isText && isContract(text):
		return Part{Text: shortID(text), Contract: text}
	case isText:
		return Part{Text: clean(trimZeros(text))}
	case value == true:
		return Part{Text: "yes"}
	case value == false:
		return Part{Text: "no"}
	default:
		number, _ := value.(json.Number)
		return Part{Text: number.String()}
	}
}

func isParty(text string) bool {
	_, fingerprint, isParty := strings.Cut(text, "::1220")
	return isParty && len(fingerprint) == 64 && strings.Trim(fingerprint, "0123456789abcdef") == ""
}

func isContract(text string) bool {
	const shortest = 66
	return len(text) >= shortest && strings.HasPrefix(text, "00") && strings.Trim(text, "0123456789abcdef") == ""
}

// trimZeros drops the zeros at the end of a decimal.
func trimZeros(text string) string {
	whole, fraction, isDecimal := strings.Cut(text, ".")
	if _, err := strconv.Atoi(whole); err != nil || !isDecimal || strings.Trim(fraction, "0123456789") != "" {
		return text
	}
	return strings.TrimSuffix(whole+"."+strings.TrimRight(fraction, "0"), ".")
}
