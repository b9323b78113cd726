package web

import (
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/telemetry/trouble"
)

// nodePart is a part of the node.
type nodePart struct {
	client.Part

	// Trouble says what the alarm means and what to do; nil if the part is well.
	Trouble *trouble.Trouble
}

// IsWell reports whether the part has no trouble.
func (p nodePart) IsWell() bool { return p.State == client.PartOK }

// Mark is the style of the state.
func (p nodePart) Mark() string {
	switch p.State {
	case client.PartOK:
		return "done"
	case client.PartFails:
		return "refused"
	default:
		return "waiting"
	}
}

// readiness is the answer of /readyz.
type readiness struct {
	// IsKnown is false if the node did not answer.
	IsKnown bool
	Parts   []nodePart
}

// IsWell reports whether all parts are well.
func (r readiness) IsWell() bool { return r.IsKnown && len(r.troubled()) == 0 }

func (r readiness) troubled() (names []string) {
	for _, part := range r.Parts {
		if !part.IsWell() {
			names = append(names, part.Name)
		}
	}
	return names
}

// Sentence says which parts are not well.
func (r readiness) Sentence() string {
	troubled := r.troubled()
	switch {
	case !r.IsKnown:
		return "The node does not say whether it is well."
	case len(troubled) == 0:
		return "All parts are well."
	case len(troubled) == 1:
		return "The part " + troubled[0] + " is not well."
	default:
		return "These parts are not well: " + strings.Join(troubled, ", ") + "."
	}
}

// readiness asks the node about its parts.
func (v *visit) readiness() (readiness, error) {
	parts, err := v.api.Readiness(v.ctx())
	if err != nil {
		return readiness{}, err
	}
	found := readiness{IsKnown: true}
	for _, part := range parts {
		one := nodePart{Part: part}
		if about, known := trouble.Of(part.Name); known && !one.IsWell() {
			one.Trouble = &about
		}
		found.Parts = append(found.Parts, one)
	}
	return found, nil
}

// proseWords are words of a guide; IsCode is true for those between backticks.
type proseWords struct {
	Text   string
	IsCode bool
}

// proseOf splits a text of a guide at its backticks.
func proseOf(text string) (all []proseWords) {
	isCode := false
	for words := range strings.SplitSeq(text, "`") {
		if words != "" {
			all = append(all, proseWords{words, isCode})
		}
		isCode = !isCode
	}
	return all
}

type healthView struct {
	readiness

	Figures nodeFigures
	// Since is the address of the next answer: its figures are those of the time after this one.
	Since string
}

// health shows the parts of the node and its figures.
func (s *site) health(v *visit) error {
	ready, err := v.readiness()
	if err != nil {
		return err
	}
	now, err := v.metrics()
	if err != nil {
		return err
	}
	counted := countersOf(now, s.Now())
	data := healthView{
		readiness: ready, Figures: figuresOf(now, counted, parseCounters(v.r.URL.Query().Get("since"))),
		Since: counted.String(),
	}
	if isFragment(v.r) {
		return s.show(v, "admin-live", data)
	}
	return s.show(v, "admin", data)
}
