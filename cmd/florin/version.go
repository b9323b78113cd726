package main

import (
	"fmt"
	"os"
	"strings"
)

// The linker sets these: the version as git describes it, the commit, and its date.
var version, commit, date = "unknown", "", ""

type versionCommand struct{}

// Run prints the version, and for a release its commit and date.
func (versionCommand) Run() error {
	_, err := fmt.Fprintln(os.Stdout, "florin "+fullVersion())
	return err
}

// fullVersion is the version with its commit and date, if known.
func fullVersion() string {
	var known []string
	if commit != "" {
		known = append(known, "commit "+commit)
	}
	if date != "" {
		known = append(known, date)
	}
	if len(known) == 0 {
		return version
	}
	return version + " (" + strings.Join(known, ", ") + ")"
}
