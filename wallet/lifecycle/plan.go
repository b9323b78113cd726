package lifecycle

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// Situation is what a decision depends on.
type Situation struct {
	// Now is the ledger's time.
	Now  time.Time
	Node ledger.Node
	// Contracts are the active contracts of the lifecycle, the oldest first; at least one.
	Contracts []ledger.Contract
	Ledger    plan.Reader
	// Refused is what became of the last action; nil when it was accepted, or there was none.
	Refused *plan.Refused
}

// Step is the decision: an action that is due now, or how long to wait. Any change of the lifecycle's contracts ends
// the wait as well.
type Step struct {
	// Action is nil when nothing is due.
	Action *plan.Action
	// Until is the ledger time at which to look again, without an action or after its refusal; zero for none.
	Until time.Time
	// WaitsFor says in words what happens then.
	WaitsFor string
}

// Plan decides what is due for the contracts of a lifecycle. The error is a failure of the reader, or a defect.
func (r *Registry) Plan(kind string, s Situation) (Step, error) {
	decide, ok := r.plan[kind]
	if !ok {
		return Step{}, fmt.Errorf("there are no lifecycles of kind %q", kind)
	}
	step, err := decide(s)
	if err != nil {
		return Step{}, fmt.Errorf("decide what is due for %s: %w", kind, err)
	}
	return step, nil
}

func (r *Registry) view(s Situation) plan.View {
	return plan.View{Packages: r.packages, Node: s.Node, Now: s.Now, Ledger: s.Ledger}
}
