package web

import (
	"bytes"
	"strings"
)

// textStart keeps the first bytes of a text.
type textStart struct {
	text []byte
	most int
	// isCut is true if the text was longer.
	isCut bool
}

func (b *textStart) write(part string) {
	room := b.most - len(b.text)
	if len(part) > room {
		part, b.isCut = part[:room], true
	}
	b.text = append(b.text, part...)
}

// indent formats valid JSON on lines, and reads only as much of it as there is room for.
func (b *textStart) indent(value []byte) {
	depth, empty := 0, false
	for len(value) > 0 && !b.isCut {
		token := tokenOf(value, b.most+1)
		value = value[len(token):]
		first := token[0]
		closes := first == '}' || first == ']'
		switch {
		case isSpace(first):
			continue
		case closes:
			depth = max(0, depth-1)
			if !empty {
				b.line(depth)
			}
		case empty:
			b.line(depth)
		}
		b.write(string(token))
		switch empty = first == '{' || first == '['; {
		case empty:
			depth++
		case first == ',':
			b.line(depth)
		case first == ':':
			b.write(" ")
		}
	}
}

func (b *textStart) line(depth int) {
	b.write("\n")
	b.write(strings.Repeat("  ", min(depth, b.most)))
}

// tokenOf returns the first string, sign or other word of JSON, up to a length.
func tokenOf(value []byte, most int) []byte {
	value = value[:min(len(value), most)]
	if value[0] == '"' {
		for at := 1; at < len(value); at++ {
			switch value[at] {
			case '\\':
				at++
			case '"':
				return value[:at+1]
			}
		}
		return value
	}
	end := bytes.IndexAny(value, "{}[],:\" \t\r\n")
	switch end {
	case 0:
		return value[:1]
	case -1:
		return value
	default:
		return value[:end]
	}
}

func isSpace(sign byte) bool { return strings.IndexByte(" \t\r\n", sign) >= 0 }
