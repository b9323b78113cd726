package console

import (
	"regexp"
	"strings"
)

// Quoted quotes a word for a shell, if it needs quotes.
func Quoted(word string) string {
	if word == "" || strings.HasPrefix(word, "-") || strings.ContainsAny(word, " \t\n'\"$&|;<>()*?[]#~`\\!{}^=") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

var flag = regexp.MustCompile(`^--[a-z][a-z-]*$`)

// CommandLine quotes and joins words for a shell. Words that begin with a dash are flags.
func CommandLine(words ...string) string {
	line := make([]string, len(words))
	for i, word := range words {
		line[i] = word
		if !flag.MatchString(word) {
			line[i] = Quoted(word)
		}
	}
	return strings.Join(line, " ")
}
