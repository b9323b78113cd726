package daml

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// unreadable is the error for a file that could not use active contracts; nil if it can use all.
func unreadable(path string, templates []client.CheckedTemplate) error {
	lost, of := 0, 0
	for _, one := range templates {
		lost, of = lost+one.Unreadable, of+one.Contracts
	}
	if lost == 0 {
		return nil
	}
	return console.Fail(console.ExitFailed,
		"let the new version compute the same signatories, observers and key, and accept the payload; or archive these "+
			"contracts before the upload", "%s: commands could no longer use %d of %d active contracts", path, lost, of)
}

func answerFor(templates []client.CheckedTemplate) string {
	if unreadable("", templates) != nil {
		return "loses contracts"
	}
	return "fine"
}

// describeChecked has lines for each template: the numbers, and the reasons with an example.
func describeChecked(templates []client.CheckedTemplate) []string {
	var lines []string
	for _, one := range templates {
		_, name, _ := strings.Cut(one.Template, ":")
		line := fmt.Sprintf("  #%s:%s: %d active contracts", one.PackageName, name, one.Contracts)
		if one.Unreadable == 0 {
			lines = append(lines, line+", all usable")
			continue
		}
		lines = append(lines, fmt.Sprintf("%s, %d not usable", line, one.Unreadable))
		for _, reason := range one.Reasons {
			lines = append(lines, fmt.Sprintf("    %d: %s, such as contract %s", reason.Contracts, reason.Code, reason.Example),
				"      "+strings.TrimPrefix(reason.Cause, "Interpretation error: Error: "))
		}
	}
	return lines
}
