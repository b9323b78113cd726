package plan

import (
	"time"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Reader shows the ledger to those who decide.
type Reader interface {
	// Active lists active contracts of a template that the party is a stakeholder of, the oldest first, at most so many.
	Active(party ledger.Party, template lf.TypeName, most int) ([]ledger.Contract, error)
	// IsActive tells whether a contract is active.
	IsActive(id ledger.ContractID) (bool, error)
}

// View is what a decision depends on.
type View struct {
	Packages *ledger.Packages
	Node     ledger.Node
	// Now is the ledger's time.
	Now    time.Time
	Ledger Reader
}

// Action is a submission that the node makes.
type Action struct {
	// CommandID is the same for the same action, whoever decides on it, so that it cannot happen twice.
	CommandID string           `json:"commandId"`
	ActAs     []ledger.Party   `json:"actAs"`
	ReadAs    []ledger.Party   `json:"readAs,omitempty"`
	Commands  []ledger.Command `json:"commands"`
}

// Contract is a contract with its payload.
type Contract[T any] struct {
	ID      ledger.ContractID
	Payload T
}

// Exercise is the command that exercises a choice of T, given its argument.
func Exercise[T, A any](
	packages *ledger.Packages, id ledger.ContractID, choice string, argument A,
) (ledger.Command, error) {
	name, err := ledger.TemplateName[T](packages)
	if err != nil {
		return ledger.Command{}, err
	}
	encoded, err := ledger.Encode(packages, argument)
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: id, Choice: choice, Argument: encoded,
	}}, err
}

// Active lists active contracts with their payloads, the oldest first, at most so many.
func Active[T any](v View, party ledger.Party, most int) ([]Contract[T], error) {
	name, err := ledger.TemplateName[T](v.Packages)
	if err != nil {
		return nil, err
	}
	found, err := v.Ledger.Active(party, name, most)
	if err != nil {
		return nil, err
	}
	return Payloads[T](v.Packages, found)
}

// Payloads decodes contracts of one template.
func Payloads[T any](packages *ledger.Packages, contracts []ledger.Contract) ([]Contract[T], error) {
	out := make([]Contract[T], len(contracts))
	for i, contract := range contracts {
		payload, err := ledger.DecodePayload[T](packages, contract)
		if err != nil {
			return nil, err
		}
		out[i] = Contract[T]{ID: contract.ID, Payload: payload}
	}
	return out, nil
}

// Short is enough of a contract id to tell it from all others and little enough to read.
func Short(id ledger.ContractID) string {
	const length = 34 // the format's two digits, and 16 bytes
	return string(id[:min(len(id), length)])
}

// Refused is the refusal of an action.
type Refused struct {
	CommandID string
	Fault     *fault.Fault
}
