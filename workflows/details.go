package workflows

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// maxDetails is of how many submissions the details say what they are for; of others they say what came of them.
const maxDetails = 10

// detailsOf is a table of submissions and of what came of each. The UI shows it beside the workflow; it is no part of
// the history.
func detailsOf(submissions []ledger.Submission, outcomes []activities.Outcome) string {
	var table strings.Builder
	table.WriteString("| Command | What | Outcome | Offset | Update |\n|---|---|---|---|---|\n")
	for i, outcome := range outcomes {
		what, came := "", OutcomeAccepted
		if i < min(maxDetails, len(submissions)) {
			what = asksOf(submissions[i])
		}
		if outcome.Refusal != "" {
			came = cmp.Or(codeOf(outcome), OutcomeRefused)
		}
		offset := ""
		if outcome.Offset > 0 {
			offset = strconv.FormatInt(int64(outcome.Offset), 10)
		}
		table.WriteString("| " + strings.Join([]string{
			cell(outcome.CommandID), cell(what), came, offset, cell(string(outcome.UpdateID)),
		}, " | ") + " |\n")
	}
	return table.String()
}

// asksOf says who asked for what. It reads no argument: a workflow calls it, and does nothing there that could differ
// from run to run.
func asksOf(s ledger.Submission) string {
	kinds := make([]string, 0, maxSummary+1)
	for i, command := range s.Commands {
		if i == maxSummary {
			kinds = append(kinds, strconv.Itoa(len(s.Commands)-i)+" others")
			break
		}
		kinds = append(kinds, kindOf(command))
	}
	if s.Signed != nil {
		kinds = append(kinds, "signed transaction")
	}
	return workflowid.Summary(whoActs(s) + ": " + strings.Join(kinds, ", "))
}

// cell is a text that users have chosen as a cell of a table: code, in which nothing is markup.
func cell(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", "|", "/", "\n", " ", "\r", " ").Replace(text) + "`"
}
