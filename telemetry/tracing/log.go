package tracing

import (
	"log/slog"
	"strings"

	"github.com/florinledger/florin/ledger"
)

// LogFacts returns the facts about a submission for the log, as far as they are known. Its template and choice are those
// of the first command.
func LogFacts(of ledger.Submission) []slog.Attr {
	var facts []slog.Attr
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, slog.String(name, value))
		}
	}
	add("command_id", of.CommandID)
	add("act_as", strings.Join(ledger.Strings(of.ActAs[:min(len(of.ActAs), maxNamed)]), ", "))
	add("workflow_id", of.WorkflowID)
	for _, first := range of.Commands[:min(len(of.Commands), 1)] {
		template, choice := first.Uses()
		if template.Entity != "" {
			add("template", template.String())
		}
		add("choice", choice)
	}
	if len(of.Commands) > 1 {
		facts = append(facts, slog.Int("commands", len(of.Commands)))
	}
	return facts
}
