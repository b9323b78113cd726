package workflows

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/sentence"
)

// packageNames finds the name of a package of users; "" for built-in packages.
type packageNames func(lf.PackageID) string

// sentenceOf describes submissions in lists for people: "alice sends 250 CC to bob", or "5 submissions: Trade_Settle ×5"
// for a batch.
func sentenceOf(submissions []ledger.Submission, foreign packageNames) string {
	if len(submissions) > 1 {
		return strconv.Itoa(len(submissions)) + " submissions: " + commandsOf(submissions)
	}
	s := submissions[0]
	if len(s.Commands) == 0 { // a signed transaction
		return workflowid.Summary(whoActs(s) + ": " + commandsOf(submissions))
	}
	var events []sentence.Event
	for i, command := range s.Commands {
		event := eventOf(command, foreign)
		event.Node, event.Last = int32(i), int32(i)
		event.By = actors(s)
		events = append(events, event)
	}
	return workflowid.Summary(sentence.Reader{Present: true}.Of(events).String())
}

// eventOf converts a command to the event that it will cause.
func eventOf(command ledger.Command, foreign packageNames) (event sentence.Event) {
	var template lf.TypeName
	switch {
	case command.Create != nil:
		template, event.Argument = command.Create.Template, command.Create.Argument
	case command.Exercise != nil:
		one := command.Exercise
		template, event.Choice, event.Argument = one.Template, one.Choice, one.Argument
		event.Contract = string(one.Contract)
	case command.ExerciseByKey != nil:
		one := command.ExerciseByKey
		template, event.Choice, event.Argument = one.Template, one.Choice, one.Argument
	case command.CreateAndExercise != nil:
		one := command.CreateAndExercise
		template, event.Choice, event.Argument = one.Template, one.Choice, one.ChoiceArgument
	}
	event.Template = template.QualifiedName()
	if foreign != nil {
		event.Foreign = foreign(template.Package)
	}
	return event
}

// actors are the parties of a submission, or the user of a wallet, because wallets also act as the operator.
func actors(s ledger.Submission) []string {
	if s.Kind == ledger.KindWallet || len(s.ActAs) == 0 {
		return []string{cmp.Or(s.UserID, "nobody")}
	}
	parties := make([]string, len(s.ActAs))
	for i, party := range s.ActAs {
		parties[i] = string(party)
	}
	return parties
}

func whoActs(s ledger.Submission) string {
	const maxHints = 3
	all := actors(s)
	hints := make([]string, 0, maxHints+1)
	for i, party := range all {
		if i == maxHints {
			hints = append(hints, strconv.Itoa(len(all)-maxHints)+" others")
			break
		}
		hints = append(hints, hintOf(ledger.Party(party)))
	}
	return strings.Join(hints, ", ")
}

// hintOf is the part of a party's id that people read.
func hintOf(party ledger.Party) string {
	hint, _, _ := strings.Cut(string(party), "::")
	return hint
}
