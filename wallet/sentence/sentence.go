package sentence

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// State is the state of an update's subject after the update.
type State string

// The states.
const (
	Done    State = "done"
	Waiting State = "waiting" // somebody has to act
	Back    State = "back"    // the coin is back at its owner
	Refused State = "refused"
	Expired State = "expired"
	// Quiet is for what the network does for itself.
	Quiet State = "quiet"
)

// Role is the grammatical role of a part; "" for connecting words.
type Role string

// The roles.
const (
	Who    Role = "who"
	Verb   Role = "verb"
	Amount Role = "amount"
	Whom   Role = "whom"
)

// Part is a part of a sentence. Party or Contract is its id if it names one.
type Part struct {
	Text     string `json:"text"`
	Role     Role   `json:"role,omitempty"`
	Party    string `json:"party,omitempty"`
	Contract string `json:"contract,omitempty"`
}

// Sentence describes an update in words, and the state of its subject.
type Sentence struct {
	Parts []Part `json:"parts"`
	State State  `json:"state"`
}

// String is the sentence as text.
func (s Sentence) String() string {
	var text strings.Builder
	for _, part := range s.Parts {
		text.WriteString(part.Text)
	}
	return text.String()
}

// ofIt is the end of the name of a party to whom something belongs.
const ofIt = "'s"

// Named is the sentence with other names of parties. It calls self "you", unless that is "".
func (s Sentence) Named(self string, name func(party string) string) Sentence {
	named := Sentence{State: s.State, Parts: slices.Clone(s.Parts)}
	for i := range named.Parts {
		part := &named.Parts[i]
		if part.Party == "" {
			continue
		}
		end := ""
		if strings.HasSuffix(part.Text, ofIt) {
			end = ofIt
		}
		switch {
		case part.Party != self:
			part.Text = clean(name(part.Party)) + end
		case end == "":
			part.Text = "you"
		default:
			part.Text = "your"
		}
		if i == 0 && part.Party == self {
			part.Text = "Y" + part.Text[1:]
		}
	}
	return named
}

// hintOf is the part of a party's id that people read.
func hintOf(id string) string {
	hint, _, _ := strings.Cut(id, "::")
	return clean(hint)
}

// Event is an event of an update as its reader sees it, in the JSON of the API.
type Event struct {
	// Template is the name of the template; its package may be missing. Choice is "" for a created contract.
	Template, Choice, Contract string
	// Foreign is the name of the template's package if that is not built in.
	Foreign string
	// Argument is the argument of the choice, or of the created contract; Result the result of the choice.
	Argument, Result json.RawMessage
	// By are the acting parties, or the signatories of a created contract.
	By []string
	// Node is the number of the event, Last that of its last consequence.
	Node, Last int32
}

// Reader knows the contracts that the reader of a sentence may see.
type Reader struct {
	// Payload finds the argument of a contract that the reader may see; nil without it. The function may be nil.
	Payload func(contract string) json.RawMessage
	// Present is true for things that are under way, or did not happen.
	Present bool
}

// Of describes an update. The events are in execution order.
func (r Reader) Of(events []Event) Sentence {
	var roots []int
	for i := 0; i < len(events); i = end(events, i) {
		roots = append(roots, i)
	}
	return r.knowing(events).several(events, roots)
}

// At describes an event with its consequences.
func (r Reader) At(events []Event, i int) Sentence { return r.knowing(events).at(events, i) }

// knowing is the reader who also knows the contracts that the events created.
func (r Reader) knowing(events []Event) Reader {
	before := r.Payload
	r.Payload = func(contract string) json.RawMessage {
		for _, event := range events {
			if event.Choice == "" && event.Contract == contract {
				return event.Argument
			}
		}
		if before == nil {
			return nil
		}
		return before(contract)
	}
	return r
}

func (r Reader) at(events []Event, i int) Sentence {
	w := writer{Reader: r, events: events[i:end(events, i)], event: events[i]}
	if w.event.Foreign != "" && w.isSettlement() {
		return w.settlement()
	}
	if w.event.Choice == "Archive" {
		return w.archival()
	}
	rule, known := rules[w.event.kind()]
	if !known || w.event.Foreign != "" && !rule.standard {
		return w.generic()
	}
	if below := w.below(); rule.inner && len(below) > 0 {
		return r.several(w.events, below)
	}
	return w.apply(rule)
}

// several describes the first of some events that is not quiet, and counts the others.
func (r Reader) several(events []Event, at []int) Sentence {
	var first *Sentence
	others := 0
	for _, i := range at {
		if first != nil && isQuiet(events[i]) {
			continue
		}
		if first == nil || first.State == Quiet {
			said := r.at(events, i)
			first = &said
			continue
		}
		others++
	}
	if first == nil {
		return Sentence{Parts: []Part{{Text: "nothing that you may see"}}, State: Quiet}
	}
	if others > 0 {
		first.Parts = append(first.Parts, Part{Text: ", and " + strconv.Itoa(others) + " more"})
	}
	return *first
}

func isQuiet(event Event) bool {
	return event.Foreign == "" && (event.Choice == "Archive" || rules[event.kind()].state == Quiet)
}

// end is the index after the consequences of an event.
func end(events []Event, i int) int {
	last := max(events[i].Last, events[i].Node)
	next := i + 1
	for next < len(events) && events[next].Node <= last {
		next++
	}
	return next
}

// kind is the name of the event's rule.
func (e Event) kind() string {
	if e.Choice == "" {
		return "create " + e.entity()
	}
	return e.Choice
}

// entity is the name of the template without package and module.
func (e Event) entity() string { return e.Template[strings.LastIndexByte(e.Template, ':')+1:] }

// below are the indexes of the direct consequences that say more than the event: exercises that matter, or else
// created contracts.
func (w *writer) below() (found []int) {
	var created []int
	for i := 1; i < len(w.events); i = end(w.events, i) {
		switch one := w.events[i]; {
		case isQuiet(one):
		case one.Choice == "":
			created = append(created, i)
		default:
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return created
	}
	return found
}
