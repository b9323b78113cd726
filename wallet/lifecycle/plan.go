package lifecycle

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Situation is what a decision depends on.
type Situation struct {
	// Now is the ledger's time.
	Now  time.Time
	Node ledger.Node
	// Contracts are the active contracts of the lifecycle, the oldest first; at least one.
	Contracts []ledger.Contract
	Ledger    Reader
	// Refused is what became of the last action; nil when it was accepted, or there was none.
	Refused *Refused
}

// Refused is the refusal of an action.
type Refused struct {
	CommandID string
	Fault     *fault.Fault
}

// Reader shows more of the ledger to those who decide.
type Reader interface {
	// Active lists active contracts of a template that the party is a stakeholder of, the oldest first, at most so many.
	Active(party ledger.Party, template lf.TypeName, most int) ([]ledger.Contract, error)
	// IsActive tells whether a contract is active.
	IsActive(id ledger.ContractID) (bool, error)
}

// Step is the decision: an action that is due now, or how long to wait. Any change of the lifecycle's contracts ends
// the wait as well.
type Step struct {
	// Action is nil when nothing is due.
	Action *Action
	// Until is the ledger time at which to look again, without an action or after its refusal; zero for none.
	Until time.Time
	// WaitsFor says in words what happens then.
	WaitsFor string
}

// Action is a submission that the node makes.
type Action struct {
	// CommandID is the same for the same action, whoever decides on it, so that it cannot happen twice.
	CommandID string           `json:"commandId"`
	ActAs     []ledger.Party   `json:"actAs"`
	ReadAs    []ledger.Party   `json:"readAs,omitempty"`
	Commands  []ledger.Command `json:"commands"`
}

// Plan decides what is due for the contracts of a lifecycle. The error is a failure of the reader, or a defect.
func (r *Registry) Plan(kind string, s Situation) (Step, error) {
	plan, ok := r.plan[kind]
	if !ok {
		return Step{}, fmt.Errorf("there are no lifecycles of kind %q", kind)
	}
	step, err := plan(s)
	if err != nil {
		return Step{}, fmt.Errorf("decide what is due for %s: %w", kind, err)
	}
	return step, nil
}

// exercise is the command that exercises a choice of T, given its argument.
func exercise[T, A any](r *Registry, id ledger.ContractID, choice string, argument A) (ledger.Command, error) {
	name, err := ledger.TemplateName[T](r.packages)
	if err != nil {
		return ledger.Command{}, err
	}
	encoded, err := ledger.Encode(r.packages, argument)
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: id, Choice: choice, Argument: encoded,
	}}, err
}

// activeOf lists active contracts with their payloads.
func activeOf[T any](r *Registry, s Situation, party ledger.Party, most int) ([]contractOf[T], error) {
	name, err := ledger.TemplateName[T](r.packages)
	if err != nil {
		return nil, err
	}
	found, err := s.Ledger.Active(party, name, most)
	if err != nil {
		return nil, err
	}
	return payloads[T](r, found)
}

// contractOf is a contract with its payload.
type contractOf[T any] struct {
	id      ledger.ContractID
	payload T
}

func payloads[T any](r *Registry, contracts []ledger.Contract) ([]contractOf[T], error) {
	out := make([]contractOf[T], len(contracts))
	for i, contract := range contracts {
		payload, err := ledger.DecodePayload[T](r.packages, contract)
		if err != nil {
			return nil, err
		}
		out[i] = contractOf[T]{id: contract.ID, payload: payload}
	}
	return out, nil
}

// maxRounds is more than there are open rounds at once.
const maxRounds = 20

// paymentContext names the rules and the newest round that is open: what all payments refer to.
func (r *Registry) paymentContext(s Situation) (context coin.PaymentTransferContext, ok bool, err error) {
	rules, err := activeOf[coin.AmuletRules](r, s, s.Node.DSO, 1)
	if err != nil || len(rules) == 0 {
		return context, false, err
	}
	rounds, err := activeOf[coin.OpenMiningRound](r, s, s.Node.DSO, maxRounds)
	if err != nil {
		return context, false, err
	}
	context.AmuletRules = lf.CID[coin.AmuletRules](rules[0].id)
	newest := int64(-1)
	for _, round := range rounds {
		if !round.payload.OpensAt.Time().After(s.Now) && round.payload.Round.Number > newest {
			newest = round.payload.Round.Number
			context.Context.OpenMiningRound = lf.CID[coin.OpenMiningRound](round.id)
		}
	}
	return context, newest >= 0, nil
}
