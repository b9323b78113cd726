package daml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func writeFailure(out *strings.Builder, r result) {
	failure := r.report.Failure
	if failure.Code != "" {
		line(out, 1, "%s", failure.Code)
	}
	for _, text := range clip(strings.Split(fault.ShortenTo(maxText, failure.Message), "\n"), maxTextLines, "line") {
		line(out, 1, "%s", text)
	}
	for _, place := range r.suite.places(r) {
		head(out, "%s: %s", place.title, placeText(place.Frame))
		r.suite.excerpt(out, place.At)
	}
	if frames := slices.Concat(failure.Calls, failure.Script); len(frames) > 0 {
		head(out, "call stack, the innermost first")
		for _, text := range clip(stack(frames), maxPlaces, "place") {
			row(out, 2, "%s", text)
		}
	}
	if failure.Submission != nil {
		writeSubmission(out, failure.Submission)
	}
	writeViews(out, r.report)
	if len(r.report.Messages) > 0 {
		head(out, "debug")
		writeMessages(out, r.report)
	}
	out.WriteByte('\n')
}

// head writes the headline of a part.
func head(out *strings.Builder, format string, args ...any) {
	out.WriteByte('\n')
	row(out, 1, format, args...)
}

// stack prints a call stack, without the definitions of the compiler, and each place once.
func stack(frames []script.Frame) []string {
	var out []string
	for _, frame := range frames {
		text := placeText(frame)
		name := frame.Definition[strings.LastIndex(frame.Definition, ":")+1:]
		if text == "" || frame.At.IsZero() && (strings.HasPrefix(name, "$") || name == "command") {
			continue
		}
		if len(out) == 0 || out[len(out)-1] != text {
			out = append(out, text)
		}
	}
	return out
}

// placeText is a place in the form that editors understand, with its definition.
func placeText(frame script.Frame) string {
	definition := frame.Definition
	if strings.Contains(definition, "$") {
		definition = ""
	}
	switch {
	case frame.At.IsZero():
		return definition
	case definition == "":
		return frame.At.String()
	case frame.Defined:
		return definition + ", defined at " + frame.At.String()
	default:
		return definition + " at " + frame.At.String()
	}
}

func writeMessages(out *strings.Builder, report script.Report) {
	messages, left := lastMessages(report)
	if left > 0 {
		line(out, 2, "… %s before these left out …", count(left, "message"))
	}
	for _, message := range messages {
		at := ""
		if !message.At.IsZero() {
			at = message.At.String() + "  "
		}
		lines := strings.Split(plainLines(message.Text), "\n")
		line(out, 2, "%s%s", at, lines[0])
		for _, more := range lines[1:] {
			line(out, 3, "%s", more)
		}
	}
}

func writeViews(out *strings.Builder, report script.Report) {
	views, left := viewsOf(report)
	if len(views) == 0 {
		return
	}
	head(out, "what each party sees")
	for _, one := range views {
		row(out, 2, "%s: %s", one.party, count(len(one.contracts)+one.left, "contract"))
		for _, contract := range one.contracts {
			row(out, 3, "%s %s %s", shortID(contract.ID), contract.Template.QualifiedName(),
				payloadText(contract.Payload))
		}
		if one.left > 0 {
			line(out, 3, "and %d more", one.left)
		}
	}
	if left > 0 {
		line(out, 2, "and %s more", countOf(left, "party", "parties"))
	}
}

// shortID is the beginning of a contract id, enough to distinguish contracts.
func shortID(id ledger.ContractID) string {
	const length = 10
	if len(id) <= length {
		return string(id)
	}
	return string(id[:length]) + "…"
}

func writeSubmission(out *strings.Builder, submission *script.Transaction) {
	as := someParties(submission.ActAs)
	if len(submission.ReadAs) > 0 {
		as += ", reading as " + someParties(submission.ReadAs)
	}
	head(out, "the transaction until then, by %s", as)
	lines := treeLines(submission.Tree)
	if len(lines) == 0 {
		line(out, 2, "nothing")
	}
	for _, text := range lines {
		row(out, 2, "%s", text)
	}
}

func partyList(parties []ledger.Party) string { return strings.Join(ledger.Strings(parties), ", ") }

// treeLines prints a transaction as a tree, a line for each node. Of many nodes it prints the first and the last.
func treeLines(t ledger.Transaction) []string {
	first, _, left := ends(t.Nodes, maxNodes)
	shows := func(id int32) bool { return left == 0 || int(id) < len(first) || int(id) >= len(first)+left }
	var out []string
	var add func(id int32, before, indent string)
	add = func(id int32, before, indent string) {
		node := t.Nodes[id]
		switch {
		case shows(id):
			out = append(out, fault.ShortenTo(maxLine, before+nodeText(node)))
		case int(id) == len(first):
			out = append(out, fmt.Sprintf("… %s left out …", count(left, "node")))
		}
		last, between := indent+"  ", indent+"│ "
		if len(indent) > maxIndent {
			last, between = indent, indent
		}
		for i, child := range node.Children {
			if i == len(node.Children)-1 {
				add(child, indent+"└ ", last)
			} else {
				add(child, indent+"├ ", between)
			}
		}
	}
	for _, root := range t.Roots {
		add(root, "", "")
	}
	return out
}

func nodeText(node ledger.TxNode) string {
	of := node.Template.QualifiedName() + " " + shortID(node.ContractID)
	switch node.Kind {
	case engine.Rollback:
		return "rolled back, because an exception was caught"
	case ledger.EventCreate:
		return fmt.Sprintf("create %s, signed by %s", of, someParties(node.Signatories))
	case ledger.EventExercise:
		through := ""
		if node.Interface != nil {
			through = " through " + node.Interface.QualifiedName()
		}
		return fmt.Sprintf("exercise %s%s on %s, by %s", node.Choice, through, of, someParties(node.ActingParties))
	default:
		return fmt.Sprintf("fetch %s, by %s", of, someParties(node.ActingParties))
	}
}
