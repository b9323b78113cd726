package endpoint

import (
	"fmt"
	"io"
	"strconv"
	"unicode"
	"unicode/utf16"

	"github.com/florinledger/florin/internal/turns"
)

// bounds are what the JSON of a request may look like.
type bounds struct {
	depth, elements, values int
	// plainTexts refuses texts with NUL.
	plainTexts bool
	// maxTextBytes refuses longer texts, in bytes; 0 refuses none.
	maxTextBytes int
}

// bounds are those of the frame.
func (f *Frame) bounds() bounds {
	limits := f.options.Limits.now()
	return bounds{limits.Depth, limits.Elements, limits.Values, f.options.PlainTexts, f.options.MaxTextBytes}
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
			length := escaped(body[i:])
			if length == 0 {
				return fmt.Errorf("a text has half a character, the escape %s without its other half, at byte %d. Send whole "+
					"characters: texts that are cut by length are cut inside of emoji", body[i:i+unicodeEscape], i+1)
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

// escaped is the length of the escape that the JSON begins with: of both halves, for a character that takes two escapes
// (RFC 8259, section 7). It is 0 for a half that has no other.
func escaped(text []byte) int {
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

const (
	// freeBody is how much of each body does not count.
	freeBody = 64 << 10
	// freeAsked is how much of the request of a stream does not count: it is held for as long as the stream lasts.
	freeAsked = 4 << 10
)

// meteredBody counts what is held of a body. What is long must fit in what all bodies may take together, and in what
// those of one user may.
type meteredBody struct {
	body   io.Reader
	limits *Limits
	who    turns.Account
	// in is where the bytes count that are not free, and what says what they are.
	in   *places
	what string
	free int64
	read int64
	held int64
}

// meter starts to count a body. Release it when nothing of it is needed any more.
func (l *Limits) meter(who caller, body io.Reader) *meteredBody {
	return &meteredBody{
		body: body, limits: l, who: who.holder, in: l.bodies, what: "long request bodies", free: freeBody,
	}
}

// meterAsked is meter for the request of a stream. Those of open streams have places of their own: what stays for so
// long must not keep long bodies of other requests away.
func (l *Limits) meterAsked(who caller, body io.Reader) *meteredBody {
	return &meteredBody{
		body: body, limits: l, who: who.holder, in: l.streamRequests, what: "requests of open streams", free: freeAsked,
	}
}

// Read implements [io.Reader].
func (m *meteredBody) Read(into []byte) (int, error) {
	n, err := m.body.Read(into)
	m.read += int64(n)
	if more := m.read - m.free - m.held; more > 0 {
		switch m.in.take(m.who, more) {
		case shortForAll:
			return n, Overloaded(retryAfter,
				"The node holds %d bytes of %s at the moment, the most it takes at once.", m.limits.now().BodyMemory, m.what)
		case shortForProvider:
			return n, m.in.ofProvider(m.who, "bytes of "+m.what)
		case shortForHolder:
			return n, Overloaded(retryAfter,
				"The node holds %d bytes of %s of user %q at the moment, the most for one user at once.",
				m.limits.now().UserBodyMemory, m.what, m.who.Name)
		case noShortage:
		}
		m.held += more
	}
	return n, err
}

func (m *meteredBody) release() {
	m.in.give(m.who, m.held)
	m.held = 0
}
