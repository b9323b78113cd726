package asttest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// token is a name, a symbol or a literal.
type token struct {
	kind tokenKind
	text string
	at   int
}

type tokenKind int

const (
	symbol tokenKind = iota
	name
	quoted // 'a package id'
	text
	number
	numeric
	date
	timestamp
	end
)

var (
	blank    = regexp.MustCompile(`^(?:\s|//[^\n]*|(?s:/\*.*?\*/))+`)
	patterns = []struct {
		kind    tokenKind
		pattern *regexp.Regexp
	}{
		{timestamp, regexp.MustCompile(`^\d+-\d+-\d+T\d+:\d+:\d+(\.\d+)?Z`)},
		{date, regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`)},
		{numeric, regexp.MustCompile(`^-?\d+\.\d*`)},
		{number, regexp.MustCompile(`^-?\d+`)},
		{name, regexp.MustCompile(`^[a-zA-Z_$][\w$]*`)},
		{quoted, regexp.MustCompile(`^'[^']*'`)},
		{text, regexp.MustCompile(`^"(?:[^"\\]|\\.)*"`)},
		{symbol, regexp.MustCompile(`^(?:->|<-|/\\|\|\||[@\\.:,;()<>{}\[\]*=|])`)},
	}
)

// tokens splits a text.
func tokens(source string) ([]token, error) {
	var out []token
	for at := 0; ; {
		at += len(blank.FindString(source[at:]))
		if at == len(source) {
			return append(out, token{kind: end, at: at}), nil
		}
		found := false
		for _, p := range patterns {
			match := p.pattern.FindString(source[at:])
			if match == "" {
				continue
			}
			next := token{kind: p.kind, text: match, at: at}
			switch p.kind { //nolint:exhaustive // other tokens keep their text
			case quoted:
				next.text = strings.Trim(match, "'")
			case text:
				plain, err := strconv.Unquote(match)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", match, err)
				}
				next.text = plain
			}
			out = append(out, next)
			at += len(match)
			found = true
			break
		}
		if !found {
			return nil, fmt.Errorf("line %d: nothing begins with %.10q", line(source, at), source[at:])
		}
	}
}

func line(source string, at int) int { return 1 + strings.Count(source[:at], "\n") }
