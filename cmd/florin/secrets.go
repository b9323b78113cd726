package main

import (
	"fmt"
	"os"
	"strings"
)

// secretOf is a secret that was given as it is, or as the name of a file, which may change while the node runs: it is
// read again on SIGHUP.
func secretOf(value, file, flag string) (string, error) {
	if file == "" {
		return value, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--%s-file=%s cannot be read: %w", flag, file, err)
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" {
		return "", fmt.Errorf("--%s-file=%s is empty: write the secret into it, in one line", flag, file)
	}
	return secret, nil
}

// onlyOne refuses a secret that is given twice.
func onlyOne(value, file, flag string) error {
	if value != "" && file != "" {
		return fmt.Errorf("--%s and --%s-file are both given: choose one", flag, flag)
	}
	return nil
}
