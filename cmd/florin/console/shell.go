package console

import (
	"regexp"
	"strings"
)

// Quoted is a word for a shell.
func Quoted(word string) string {
	if word == "" || strings.HasPrefix(word, "-") || strings.ContainsAny(word, " \t\n'\"$&|;<>()*?[]#~`\\!{}^=") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

var flag = regexp.MustCompile(`^--[a-z][a-z-]*$`)

// CommandLine is a line for a shell. Words that look like flags are flags.
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
