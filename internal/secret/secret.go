// Package secret reads secret settings: each is a value, or the name of a file that has the value.
package secret

import (
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileSuffix ends the name of a flag that names the file of a secret.
const FileSuffix = "-file"

// Of returns the secret: the value, or the content of the file; "" for neither. The file may change while a node runs.
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

// notOneLine says why a text is not a secret in one line; "" if it is. It shows nothing of the text, because a file of
// two lines may have two secrets.
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
