package workflows

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// maxDetails limits the submissions whose commands the details show; of others they show only the outcome.
const maxDetails = 10

// detailsOf is a table of submissions and their outcomes. The UI shows it beside the workflow; it is not part of the
// history.
func detailsOf(submissions []ledger.Submission, outcomes []activities.Outcome) string {
	var table strings.Builder
	table.WriteString("| Command | What | Outcome | Offset | Update |\n|---|---|---|---|---|\n")
	for i, outcome := range outcomes {
		what, result := "", OutcomeAccepted
		if i < min(maxDetails, len(submissions)) {
			what = describe(submissions[i])
		}
		if outcome.Refusal != "" {
			result = cmp.Or(codeOf(outcome), OutcomeRefused)
		}
		offset := ""
		if outcome.Offset > 0 {
			offset = strconv.FormatInt(int64(outcome.Offset), 10)
		}
		table.WriteString("| " + strings.Join([]string{
			cell(outcome.CommandID), cell(what), result, offset, cell(string(outcome.UpdateID)),
		}, " | ") + " |\n")
	}
	return table.String()
}

// describe names the actor and the commands of a submission. It reads no arguments, because a workflow calls it, and
// the result must be the same in every run.
func describe(s ledger.Submission) string {
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

// cell formats a text that users have chosen as code in a table, so that nothing in it is markup.
func cell(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", "|", "/", "\n", " ", "\r", " ").Replace(text) + "`"
}
