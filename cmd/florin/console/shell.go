package console

import "strings"

// Quoted is a word for a shell.
func Quoted(word string) string {
	if word == "" || strings.HasPrefix(word, "-") || strings.ContainsAny(word, " \t\n'\"$&|;<>()*?[]#~`\\!{}^=") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
