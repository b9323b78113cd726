package endpoint

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf16"
)

// The default limits of the JSON of a request.
const (
	DefaultMaxDepth    = 256
	DefaultMaxElements = 10_000
	DefaultMaxValues   = 200_000
)

// bounds are the limits of the JSON of a request.
type bounds struct {
	// depth is the maximum nesting, elements the maximum number of elements of one array or fields of one object, and
	// values the maximum number of values in all. A short value can take a hundred times its size when decoded.
	depth, elements, values int
	// plainTexts refuses texts with NUL.
	plainTexts bool
	// maxTextBytes refuses longer texts, in bytes; 0 refuses none.
	maxTextBytes int
}

func (f *Server) bounds() bounds {
	return bounds{
		f.options.MaxDepth, f.options.MaxElements, f.options.MaxValues, f.options.PlainTexts, f.options.MaxTextBytes,
	}
}

// check refuses JSON above the limits in one pass before decoding, because such JSON costs a decoder far more than its
// size. It also refuses half surrogate pairs, which a decoder would replace. The decoder checks the syntax.
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

// escapeLength is the length of the escape at the start of the JSON; a surrogate pair has two escapes (RFC 8259,
// section 7). It is 0 for half of a pair.
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

// unicodeUnit reads the UTF-16 unit of an escape at the start of the text.
func unicodeUnit(text []byte) (unit rune, ok bool) {
	if len(text) < unicodeEscape || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	value, err := strconv.ParseUint(string(text[2:unicodeEscape]), 16, 16)
	return rune(value), err == nil
}
