package main

import (
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
)

// The linker sets these: the version as git describes it, the commit, and its date.
var version, commit, date = "unknown", "", ""

type versionCommand struct{ console.Output }

// Run prints the version, and for a release its commit and date.
func (c versionCommand) Run() error {
	return c.Print(console.Answer{
		Data: map[string]string{"version": version, "commit": commit, "date": date},
		Text: "florin " + fullVersion(), Names: []string{version},
	})
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
