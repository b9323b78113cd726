package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/wallet/sentence"
)

// node is an event of a transaction, a created contract or an exercised choice, with its consequences.
type node struct {
	// Said says what happened.
	Said sentence.Sentence
	// Template, Package and Contract are technical names; Choice is "" for a created contract.
	Template, Package, Choice, Contract string
	// By are the acting parties, or the signatories of a created contract. Seen are the reader's parties that see it,
	// if the reader has more than one.
	By, Seen people
	// Ends is true if the choice archived the contract.
	Ends bool
	// Argument and Result are JSON; Result is "" for a created contract.
	Argument, Result string
	Children         []*node
	// Known is true if the reader can look the contract up by its id.
	Known bool
	// Folds is true if the page hides the consequences until the reader wants to see them.
	Folds bool

	id, last int32
}

// event is an event in the API's JSON.
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
		// Delta is true if the choice archived an active contract of a reader.
		Delta bool `json:"acsDelta"`
	} `json:"ExercisedEvent"`
}

// maxPeople is the maximum number of parties in a list of parties.
const maxPeople = 10

// people are the first of some parties, and the number of the others.
type people struct {
	Shown []string
	More  int
}

func peopleOf(parties []string) people {
	first := parties[:min(maxPeople, len(parties))]
	return people{Shown: first, More: len(parties) - len(first)}
}

// treeOf nests events, which are in execution order, below the events that caused them.
func treeOf(events []event, toNode func(i int) *node) (roots []*node) {
	var above []*node
	for i := range events {
		one := toNode(i)
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

// shownLevels is the number of levels of a tree that a page shows at first.
const shownLevels = 2

// fold folds what is below the first levels.
func fold(nodes []*node, level int) {
	for _, one := range nodes {
		one.Folds = level >= shownLevels
		fold(one.Children, level+1)
	}
}

// node returns the event with its values.
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

// head returns the event without its values.
func (e event) head(as reader) *node {
	switch {
	case e.Created != nil:
		c := e.Created
		isStakeholder := func(party string) bool {
			return slices.Contains(c.Signatories, party) || slices.Contains(c.Observers, party)
		}
		return &node{
			Template: c.Template, Package: c.Package, Contract: c.Contract,
			By: peopleOf(c.Signatories), Seen: as.seen(c.Witnesses),
			Known: as.isEverybody() || slices.ContainsFunc(c.Witnesses, isStakeholder), id: c.NodeID, last: c.NodeID,
		}
	case e.Exercised != nil:
		x := e.Exercised
		return &node{
			Template: x.Template, Package: x.Package, Choice: x.Choice, Contract: x.Contract, By: peopleOf(x.Acting),
			Seen: as.seen(x.Witnesses), Ends: x.Consuming,
			Known: as.isEverybody() || x.Delta, id: x.NodeID, last: x.Last,
		}
	default:
		return &node{} // the API has no other events
	}
}

// entityOf is the name of a template without package and module.
func entityOf(template string) string { return template[strings.LastIndexByte(template, ':')+1:] }

// moduleAndEntity is the name of a template without its package.
func moduleAndEntity(template string) string {
	_, name, _ := strings.Cut(template, ":")
	return name
}

// Name is the short name of the template, with the choice.
func (n *node) Name() string {
	if n.Choice == "" {
		return entityOf(n.Template)
	}
	return entityOf(n.Template) + ":" + n.Choice
}

// foreignPackage is the package name of a template; "" if the package is built in.
func foreignPackage(builtIn []string, template, name string) string {
	id, _, _ := strings.Cut(template, ":")
	if slices.Contains(builtIn, id) {
		return ""
	}
	return cmp.Or(name, id)
}

// maxJSON is the number of bytes of a value that a page shows.
const maxJSON = 2000

// pretty formats JSON for people, cut after maxJSON bytes. It stops formatting there: each level of nesting makes lines
// longer, so the formatted whole may be as long as the square of the input.
func pretty(value json.RawMessage) string { return prettyTo(value, maxJSON) }

// prettyTo is [pretty] with another limit in bytes.
func prettyTo(value json.RawMessage, most int) string {
	start := textStart{most: most}
	start.indent(value)
	if !start.isCut {
		return string(start.text)
	}
	text := strings.ToValidUTF8(string(start.text), "")
	return fmt.Sprintf("%s… (cut here: the whole value has %d bytes)", text, len(value))
}
