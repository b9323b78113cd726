package endpoint

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf16"
)

// The defaults of what the JSON of a request may look like.
const (
	DefaultMaxDepth    = 256
	DefaultMaxElements = 10_000
	DefaultMaxValues   = 200_000
)

// bounds are what the JSON of a request may look like.
type bounds struct {
	// depth is how deep it may be nested, elements how many elements one array, or fields one object, may have, and values
	// how many values it may have with those inside of others: what is decoded takes up to a hundred times as much as a
	// short value does on the wire.
	depth, elements, values int
	// plainTexts refuses texts with NUL.
	plainTexts bool
	// maxTextBytes refuses longer texts, in bytes; 0 refuses none.
	maxTextBytes int
}

// bounds are those of the server.
func (f *Server) bounds() bounds {
	return bounds{
		f.options.MaxDepth, f.options.MaxElements, f.options.MaxValues, f.options.PlainTexts, f.options.MaxTextBytes,
	}
}

// check refuses JSON that is nested too deep, or has too many elements in one array or object or too many values in
// all, in one pass and before anything is decoded: such JSON costs a decoder far more than its size. It refuses halves
// of characters as well, for which a decoder puts something else. Syntax is left to the decoder.
func (b bounds) check(body []byte) error {
	counts := make([]int, 0, b.depth)
	inText := false
	values := 1
	for i := 0; i < len(body); i++ {
		char := body[i]
		switch {
		case inText && char == '\\':
			length := escapeLength(body[i:])
			if length == 0 {
				return fmt.Errorf("a text has only half of a character: the escape %s at byte %d. Send both halves: cutting a "+
					"text by length can split an emoji", body[i:i+unicodeEscape], i+1)
			}
			i += length - 1
		case char == '"':
			inText = !inText
		case inText:
		case char == '[' || char == '{':
			if len(counts) >= b.depth {
				return fmt.Errorf("the JSON is nested more than %d levels deep at byte %d. Send flatter values", b.depth, i+1)
			}
			counts = append(counts, 1)
			values++
		case (char == ']' || char == '}') && len(counts) > 0:
			counts = counts[:len(counts)-1]
		case char == ',' && len(counts) > 0:
			values++
			if counts[len(counts)-1]++; counts[len(counts)-1] > b.elements {
				return fmt.Errorf("an array or object has more than %d elements at byte %d. Split the request", b.elements, i+1)
			}
		}
		if values > b.values {
			return fmt.Errorf("there are more than %d values at byte %d. Split the request", b.values, i+1)
		}
	}
	return nil
}

// unicodeEscape is the length of an escape such as \u00e9.
const unicodeEscape = 6

// escapeLength is the length of the escape that the JSON begins with: of both halves, for a character that takes two escapes
// (RFC 8259, section 7). It is 0 for a half that has no other.
func escapeLength(text []byte) int {
	const char = 2
	first, ok := unicodeUnit(text)
	if !ok || !utf16.IsSurrogate(first) {
		return char
	}
	second, ok := unicodeUnit(text[unicodeEscape:])
	if !ok || utf16.DecodeRune(first, second) == unicode.ReplacementChar {
		return 0
	}
	return 2 * unicodeEscape
}

// unicodeUnit is the unit of UTF-16 that the text begins with, as an escape.
func unicodeUnit(text []byte) (unit rune, ok bool) {
	if len(text) < unicodeEscape || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	value, err := strconv.ParseUint(string(text[2:unicodeEscape]), 16, 16)
	return rune(value), err == nil
}
