package lifecycle

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// Situation is the input of a decision about a lifecycle.
type Situation struct {
	plan.Situation

	// Contracts are the active contracts of the lifecycle, oldest first; at least one.
	Contracts []ledger.Contract
	// Apart marks a lifecycle of one contract, made because its shared lifecycle had too many contracts. Events that wake
	// a lifecycle by its shared name do not wake it.
	Apart bool
}

// Plan decides the next step for the contracts of a lifecycle. It fails if the reader fails, or on a defect.
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
