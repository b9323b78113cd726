package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// node is a part of a transaction: a contract that came to be, or a choice that was made, with what followed from it.
type node struct {
	// What says it in words, On is the contract's template in words.
	What, On string
	// Template, Package and Contract are the names that programs know, Choice is "" of a new contract.
	Template, Package, Choice, Contract string
	// By are those who made the choice, or signed the contract; Seen are those of the reader's parties who see it, where
	// the reader has more than one.
	By, Seen people
	// Ends: the choice ended the contract.
	Ends bool
	// Argument is what was said, Result what came of it, as JSON; Result is "" of a new contract.
	Argument, Result string
	Children         []*node
	// Known: the reader finds the contract by its id.
	Known bool

	id, last int32
}

// event is a part of a transaction as the API tells it.
type event struct {
	Created *struct {
		NodeID      int32           `json:"nodeId"`
		Contract    string          `json:"contractId"`
		Template    string          `json:"templateId"`
		Package     string          `json:"packageName"`
		Argument    json.RawMessage `json:"createArgument"`
		Signatories []string        `json:"signatories"`
		Observers   []string        `json:"observers"`
		Witnesses   []string        `json:"witnessParties"`
	} `json:"CreatedEvent"`
	Exercised *struct {
		NodeID    int32           `json:"nodeId"`
		Last      int32           `json:"lastDescendantNodeId"`
		Contract  string          `json:"contractId"`
		Template  string          `json:"templateId"`
		Package   string          `json:"packageName"`
		Choice    string          `json:"choice"`
		Argument  json.RawMessage `json:"choiceArgument"`
		Result    json.RawMessage `json:"exerciseResult"`
		Acting    []string        `json:"actingParties"`
		Consuming bool            `json:"consuming"`
		Witnesses []string        `json:"witnessParties"`
		// Delta: an active contract of a reader ended.
		Delta bool `json:"acsDelta"`
	} `json:"ExercisedEvent"`
}

// maxPeople is how many parties of a list are shown.
const maxPeople = 10

// people are the first of some parties, and how many more there are.
type people struct {
	Shown []string
	More  int
}

func peopleOf(parties []string) people {
	first := parties[:min(maxPeople, len(parties))]
	return people{Shown: first, More: len(parties) - len(first)}
}

// treeOf puts events, which come in order, below those that they follow from, each as it is to be shown.
func treeOf(events []event, shown func(event) *node) (roots []*node) {
	var above []*node
	for _, from := range events {
		one := shown(from)
		for len(above) > 0 && one.id > above[len(above)-1].last {
			above = above[:len(above)-1]
		}
		if len(above) == 0 {
			roots = append(roots, one)
		} else {
			parent := above[len(above)-1]
			parent.Children = append(parent.Children, one)
		}
		above = append(above, one)
	}
	return roots
}

// node is an event with all that it says.
func (e event) node(as reader) *node {
	one := e.head(as)
	switch {
	case e.Created != nil:
		one.Argument = pretty(e.Created.Argument)
	case e.Exercised != nil:
		one.Argument, one.Result = pretty(e.Exercised.Argument), pretty(e.Exercised.Result)
	}
	return one
}

// head is who did what in an event, without its values.
func (e event) head(as reader) *node {
	switch {
	case e.Created != nil:
		c := e.Created
		isStakeholder := func(party string) bool {
			return slices.Contains(c.Signatories, party) || slices.Contains(c.Observers, party)
		}
		return &node{
			What: "New", On: wordsOfTemplate(c.Template), Template: c.Template, Package: c.Package, Contract: c.Contract,
			By: peopleOf(c.Signatories), Seen: as.seen(c.Witnesses),
			Known: as.isEverybody() || slices.ContainsFunc(c.Witnesses, isStakeholder), id: c.NodeID, last: c.NodeID,
		}
	case e.Exercised != nil:
		x := e.Exercised
		return &node{
			What: wordsOfChoice(x.Choice), On: wordsOfTemplate(x.Template), Template: x.Template, Package: x.Package,
			Choice: x.Choice, Contract: x.Contract, By: peopleOf(x.Acting), Seen: as.seen(x.Witnesses), Ends: x.Consuming,
			Known: as.isEverybody() || x.Delta, id: x.NodeID, last: x.Last,
		}
	default:
		return &node{What: "An event that this page does not know"}
	}
}

// wordsOfTemplate makes words of the last part of a template's name.
func wordsOfTemplate(template string) string {
	return wordsOfChoice(template[strings.LastIndexByte(template, ':')+1:])
}

// foreignPackage is the name of the package of a template, "" where that is built in.
func foreignPackage(builtIn []string, template, name string) string {
	id, _, _ := strings.Cut(template, ":")
	if slices.Contains(builtIn, id) {
		return ""
	}
	return cmp.Or(name, id)
}

// maxJSON is how much of a value is shown, in bytes.
const maxJSON = 2000

// pretty is JSON for people, or its beginning and how much there is. No more is made than is shown: each level of a
// value makes its lines longer, so the whole may be as long as the square of what was sent.
func pretty(value json.RawMessage) string { return prettyTo(value, maxJSON) }

// prettyTo is [pretty] with another bound, in bytes.
func prettyTo(value json.RawMessage, most int) string {
	shown := textStart{most: most}
	shown.indent(value)
	if !shown.isCut {
		return string(shown.text)
	}
	text := strings.ToValidUTF8(string(shown.text), "")
	return fmt.Sprintf("%s… (cut here: the whole value has %d bytes)", text, len(value))
}
