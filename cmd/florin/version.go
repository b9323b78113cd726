package main

import (
	"fmt"
	"os"
	"strings"
)

// What the linker is told: the tag or what git describes, the commit, and when it was made.
var version, commit, date = "unknown", "", ""

type versionCommand struct{}

// Run prints the version, and of a release its commit and date.
func (versionCommand) Run() error {
	_, err := fmt.Fprintln(os.Stdout, "florin "+fullVersion())
	return err
}

// fullVersion is the version with all that is known of where it comes from.
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
