package workflows

import (
	"strconv"
	"strings"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// MemoCommands is the memo of a submission's workflow that says what its commands are, as in
// "create Amulet, AmuletRules_Transfer ×3".
const MemoCommands = "commands"

// maxSummary bounds how many kinds of commands a memo names, since each workflow keeps it three times.
const maxSummary = 5

// commandsOf says what commands the submissions have: each kind once, with how many of it there are. It names choices
// and templates alone, and none of their arguments; clients choose those names, so it is cut.
func commandsOf(submissions []ledger.Submission) string {
	var kinds []string
	counts := map[string]int{}
	add := func(kind string) {
		if counts[kind]++; counts[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for _, submission := range submissions {
		if submission.Signed != nil {
			add("signed transaction")
		}
		for _, command := range submission.Commands {
			add(kindOf(command))
		}
	}
	shown := make([]string, 0, maxSummary+1)
	for i, kind := range kinds {
		if i == maxSummary {
			shown = append(shown, strconv.Itoa(len(kinds)-i)+" other kinds")
			break
		}
		if counts[kind] > 1 {
			kind += " ×" + strconv.Itoa(counts[kind])
		}
		shown = append(shown, kind)
	}
	return workflowid.Summary(strings.Join(shown, ", "))
}

// kindOf says what a command does.
func kindOf(command ledger.Command) string {
	switch {
	case command.Create != nil:
		return "create " + command.Create.Template.Entity
	case command.Exercise != nil:
		return command.Exercise.Choice
	case command.ExerciseByKey != nil:
		return command.ExerciseByKey.Choice
	case command.CreateAndExercise != nil:
		return "create " + command.CreateAndExercise.Template.Entity + " and " + command.CreateAndExercise.Choice
	default:
		return "nothing"
	}
}

// errorCode is the code of the first refusal; "" when nothing was refused. What was left out by the node itself has no
// code.
func errorCode(outcomes []activities.Outcome) string {
	for _, outcome := range outcomes {
		code, _, coded := strings.Cut(outcome.Refusal, ": ")
		if coded && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
			return code
		}
	}
	return ""
}
