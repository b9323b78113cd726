package lifecycle

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// Situation is what a decision about a lifecycle depends on.
type Situation struct {
	plan.Situation

	// Contracts are the active contracts of the lifecycle, the oldest first; at least one.
	Contracts []ledger.Contract
	// Apart: the lifecycle is that of one contract, since too many would have shared another one. What wakes lifecycles by
	// the names that contracts share does not wake it.
	Apart bool
}

// Plan decides what is due for the contracts of a lifecycle. The error is a failure of the reader, or a defect.
func (r *Registry) Plan(kind string, s Situation) (plan.Step, error) {
	decide, ok := r.plan[kind]
	if !ok {
		return plan.Step{}, fmt.Errorf("there are no lifecycles of kind %q", kind)
	}
	s.Packages = r.packages
	step, err := decide(s)
	if err != nil {
		return plan.Step{}, fmt.Errorf("decide what is due for %s: %w", kind, err)
	}
	return step, nil
}
