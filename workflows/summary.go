package workflows

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/ledger/workflowid"
)

// MemoCommands is the memo with the commands of a workflow, such as "create Amulet, AmuletRules_Transfer ×3".
const MemoCommands = "commands"

// maxSummary limits the kinds of commands in a memo, because each workflow stores it three times.
const maxSummary = 5

// commandsOf lists the kinds of commands in the submissions, each once with its count. It names choices and templates,
// without arguments. It shortens the list, because clients choose the names.
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
			for template, choice := range prepared.Roots(submission.Signed.Transaction) {
				add("signed " + cmp.Or(choice, "create "+template.Entity))
			}
		}
		for _, command := range submission.Commands {
			add(kindOf(command))
		}
	}
	parts := make([]string, 0, maxSummary+1)
	for i, kind := range kinds {
		if i == maxSummary {
			parts = append(parts, strconv.Itoa(len(kinds)-i)+" other kinds")
			break
		}
		if counts[kind] > 1 {
			kind += " ×" + strconv.Itoa(counts[kind])
		}
		parts = append(parts, kind)
	}
	return workflowid.Summary(strings.Join(parts, ", "))
}

func kindOf(command ledger.Command) string {
	kind, _ := partsOf(command)
	return kind
}

func partsOf(command ledger.Command) (kind string, argument json.RawMessage) {
	switch {
	case command.Create != nil:
		return "create " + command.Create.Template.Entity, command.Create.Argument
	case command.Exercise != nil:
		return command.Exercise.Choice, command.Exercise.Argument
	case command.ExerciseByKey != nil:
		return command.ExerciseByKey.Choice, command.ExerciseByKey.Argument
	case command.CreateAndExercise != nil:
		both := command.CreateAndExercise
		return "create " + both.Template.Entity + " and " + both.Choice, both.ChoiceArgument
	default:
		return "nothing", nil
	}
}

// usedBy lists the templates and choices of submissions, those of signed transactions included.
func usedBy(submissions []ledger.Submission) (templates []lf.TypeName, choices []string) {
	add := func(template lf.TypeName, choice string) {
		templates = append(templates, template)
		if choice != "" {
			choices = append(choices, choice)
		}
	}
	for _, submission := range submissions {
		for _, command := range submission.Commands {
			add(command.Uses())
		}
		if submission.Signed != nil {
			for template, choice := range prepared.Roots(submission.Signed.Transaction) {
				add(template, choice)
			}
		}
	}
	return templates, choices
}

// errorCode is the code of the first refusal; "" without one.
func errorCode(outcomes []activities.Outcome) string {
	for _, outcome := range outcomes {
		if code := codeOf(outcome); code != "" {
			return code
		}
	}
	return ""
}

// codeOf is the code of a refusal; "" without one. A submission that the node left out has no code.
func codeOf(outcome activities.Outcome) string {
	code, _, hasCode := strings.Cut(outcome.Refusal, ": ")
	if hasCode && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		return code
	}
	return ""
}
