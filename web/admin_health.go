package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/telemetry/trouble"
)

// nodePart is a part of the node.
type nodePart struct {
	Name string
	// State is "done" if the part is well, "waiting" if it only warns, "refused" if it fails, "unknown" if nobody could
	// check it.
	State string
	// Why is the trouble, and Alarm what it means and what to do; nil if the part is well or has no alarm.
	Why   string
	Alarm *trouble.Trouble
}

// IsWell reports whether the part has no trouble.
func (p *nodePart) IsWell() bool { return p.State == "done" }

// fail sets the trouble from a line of /readyz, which ends with the name of the alarm.
func (p *nodePart) fail(state, before, line, after string) {
	if alarm, known := trouble.Of(p.Name); known {
		p.Alarm = &alarm
		line = strings.TrimSuffix(line, " ["+alarm.Name()+"]")
	}
	p.State, p.Why = state, strings.TrimSuffix(strings.TrimPrefix(line, before), after)
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

// readiness asks the node about its parts. A node that is not ready answers with an error status.
func (v *visit) readiness() (readiness, error) {
	text, err := v.api.Text(v.ctx(), "/readyz?verbose")
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusServiceUnavailable {
		text, err = string(refused.Body), nil
	}
	if err != nil {
		return readiness{}, err
	}
	return readinessOf(text), nil
}

// readinessOf reads the lines of /readyz?verbose: "[+] NAME ok", "[!] NAME: WARNING [ALARM]", "[-] NAME failed (WHY)
// [ALARM]" and "[?] NAME unknown (WHY)". A part that warns has two lines. The line of the whole, which is called ledger,
// comes first.
func readinessOf(text string) readiness {
	var found readiness
	partNamed := func(name string) *nodePart {
		for i := range found.Parts {
			if found.Parts[i].Name == name {
				return &found.Parts[i]
			}
		}
		found.Parts = append(found.Parts, nodePart{Name: name, State: "done"})
		return &found.Parts[len(found.Parts)-1]
	}
	for line := range strings.Lines(text) {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ := strings.Cut(rest, " ")
		name = strings.TrimSuffix(name, ":")
		if name == "ledger" {
			found.IsKnown = true
			continue
		}
		why := strings.TrimPrefix(rest, name)
		switch mark {
		case "[+]":
			partNamed(name)
		case "[!]":
			partNamed(name).fail("waiting", ": ", why, "")
		case "[-]":
			partNamed(name).fail("refused", " failed (", why, ")")
		case "[?]":
			part := partNamed(name)
			part.State, part.Why = "unknown", strings.TrimSuffix(strings.TrimPrefix(why, " unknown ("), ")")
		}
	}
	return found
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
