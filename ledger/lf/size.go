package lf

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

// Sizes are limits of a value, in bytes of its JSON.
type Sizes struct {
	// Text is for one text: a value or the key of a map.
	Text int
	// Whole is for all of the value.
	Whole int
}

// SizeError says which part of a value is too large.
type SizeError struct {
	// Field leads to the text that is too large, such as transfer.meta.values[note]. If a record as a whole is too large,
	// it is the largest field. It is "" for a value without fields.
	Field string
	// OfText means that one text is too large, not the whole value.
	OfText      bool
	Size, Limit int
}

// Error implements error.
func (e *SizeError) Error() string {
	switch {
	case e.OfText:
		return fmt.Sprintf("the text at %q has %d bytes; the limit for a text is %d", e.Field, e.Size, e.Limit)
	case e.Field == "":
		return fmt.Sprintf("the value has %d bytes; the limit is %d", e.Size, e.Limit)
	default:
		return fmt.Sprintf("the value has %d bytes, most of them in %q; the limit is %d", e.Size, e.Field, e.Limit)
	}
}

// CheckSize estimates the bytes of a value, or says which part of it is too large. It stops at the first text that is
// too large.
func CheckSize(v Value, sizes Sizes) (size int, tooLarge *SizeError) {
	measured := measure{text: sizes.Text}
	size, tooLarge = measured.of(v)
	switch {
	case tooLarge != nil:
		tooLarge.Limit, tooLarge.Field = sizes.Text, strings.TrimPrefix(tooLarge.Field, ".")
	case size > sizes.Whole:
		tooLarge = &SizeError{Field: measured.largestField(v), Size: size, Limit: sizes.Whole}
	}
	return size, tooLarge
}

// Upper limits for the JSON of values beside their texts: quotes, commas, colons and brackets. Of all scalars only the
// constructor of an enumeration can be longer.
const (
	punctuation = 4
	scalar      = 44
	// contractID is the length of an id after the commit; before, it may be shorter.
	contractID = 138
	// variant is the text around the constructor and value of a variant.
	variant = len(`{"tag":"","value":}`)
)

type measure struct{ text int }

func (m measure) of(v Value) (size int, tooLarge *SizeError) {
	add := func(inner Value, at func() string) bool {
		var more int
		if more, tooLarge = m.of(inner); tooLarge != nil {
			tooLarge.Field = at() + tooLarge.Field
			return false
		}
		size += more + punctuation
		return true
	}
	here := func() string { return "" }
	switch v := v.(type) {
	case Text:
		return m.ofText(string(v))
	case Party:
		return len(v) + punctuation, nil
	case ContractID:
		return max(len(v), contractID) + punctuation, nil
	case Optional:
		if v.Value != nil {
			add(v.Value, here)
		}
	case List:
		for i, element := range v {
			if !add(element, func() string { return fmt.Sprintf("[%d]", i) }) {
				break
			}
		}
	case TextMap:
		return m.ofTextMap(v)
	case GenMap:
		for i, entry := range v {
			if !add(entry.Key, func() string { return fmt.Sprintf("[%d][0]", i) }) ||
				!add(entry.Value, func() string { return fmt.Sprintf("[%d][1]", i) }) {
				break
			}
		}
	case Record:
		for _, field := range v.Fields {
			if size += len(field.Label); !add(field.Value, func() string { return "." + field.Label }) {
				break
			}
		}
	case Variant:
		size += len(v.Constructor) + variant
		add(v.Value, here)
	case Enum:
		return max(len(v.Constructor)+punctuation, scalar), nil
	default:
		return scalar, nil
	}
	return size + punctuation, tooLarge
}

func (m measure) ofTextMap(v TextMap) (size int, tooLarge *SizeError) {
	for _, entry := range v {
		key, tooLarge := m.ofText(entry.Key)
		if tooLarge == nil {
			var value int
			value, tooLarge = m.of(entry.Value)
			size += key + value + punctuation
		}
		if tooLarge != nil {
			tooLarge.Field = "[" + fault.Shorten(entry.Key) + "]" + tooLarge.Field
			return 0, tooLarge
		}
	}
	return size + punctuation, nil
}

func (m measure) ofText(text string) (size int, tooLarge *SizeError) {
	for i := range len(text) {
		switch char := text[i]; {
		case char < ' ', char == '<', char == '>', char == '&':
			size += len(`\u0000`)
		case char == '"', char == '\\':
			size += len(`\"`)
		case strings.HasPrefix(text[i:], "\u2028"), strings.HasPrefix(text[i:], "\u2029"):
			size += len(`\u2028`) - len("\u2028") + 1 // the other bytes of it count as one each
		default:
			size++
		}
	}
	if size > m.text {
		return 0, &SizeError{OfText: true, Size: size}
	}
	return size + punctuation, nil
}

// largestField is the largest field of a record; "" without fields.
func (m measure) largestField(v Value) (largest string) {
	record, ok := v.(Record)
	if !ok {
		return ""
	}
	max := -1
	for _, field := range record.Fields {
		if size, _ := m.of(field.Value); size > max {
			max, largest = size, field.Label
		}
	}
	return largest
}
