// Package secret reads what nobody else may know: each such setting is given as it is, or as the name of a file.
package secret

import (
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileSuffix is what the name of a flag has beyond that of the secret whose file it names.
const FileSuffix = "-file"

// Of is a secret that was given as it is, or as the name of a file; "" if it was not given at all. The file may change
// while a node runs.
func Of(value, file, flag string) (string, error) {
	if file == "" {
		return value, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--%s%s=%s cannot be read: %w", flag, FileSuffix, file, err)
	}
	found := strings.TrimRight(string(text), "\r\n")
	if wrong := notOneLine(found); wrong != "" {
		return "", fmt.Errorf("--%s%s=%s %s: the file must have the secret as its only line", flag, FileSuffix, file, wrong)
	}
	return found, nil
}

// notOneLine says what a text is that cannot be a secret in one line; "" for one that can. It names nothing of the
// text: a file of two lines may hold two secrets.
func notOneLine(text string) string {
	switch {
	case text == "":
		return "is empty"
	case strings.HasPrefix(text, "\uFEFF"):
		return "begins with a byte order mark: remove it"
	case strings.ContainsAny(text, "\r\n"):
		return fmt.Sprintf("has %d lines", len(strings.FieldsFunc(text, func(char rune) bool { return char == '\n' })))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return "has characters that are no text"
	}
	return ""
}
