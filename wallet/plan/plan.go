package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Reader shows the ledger to those who decide. There is no way to ask for contracts of which a party is a stakeholder:
// others could fill such a list. Every question names whose contracts it is about, by the role of their template.
type Reader interface {
	// Held lists active contracts of a template that are a party's, in an order, at most so many.
	Held(template lf.TypeName, holder ledger.Party, order Order, limit int) ([]ledger.Contract, error)
	// Balance adds up the amounts of a party's active contracts of a template of coin.
	Balance(template lf.TypeName, holder ledger.Party) (decimal.Decimal, error)
	// EachOffer visits the active offers of a template from a sender to a receiver, the oldest first, until visit has
	// seen enough.
	EachOffer(
		template lf.TypeName, sender, receiver ledger.Party, visit func(ledger.Contract) (more bool, err error),
	) error
	// MergeDelegations lists an owner's active delegations to an operator, or its proposals of such, by the template, the
	// oldest first, at most so many.
	MergeDelegations(template lf.TypeName, owner, operator ledger.Party, limit int) ([]ledger.Contract, error)
	// Shared lists active contracts of a template that only the DSO makes, the oldest first, at most so many.
	Shared(template lf.TypeName, limit int) ([]ledger.Contract, error)
	// IsActive reports whether a contract is active.
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
	ledger.Contract

	Payload T
}

// CID names a contract; nil for none.
func (c *Contract[T]) CID() *lf.CID[T] {
	if c == nil {
		return nil
	}
	return new(lf.CID[T](c.ID))
}

// Stored is a contract as the ledger has it; nil for none.
func (c *Contract[T]) Stored() *ledger.Contract {
	if c == nil {
		return nil
	}
	return &c.Contract
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

// Decode reads a contract of the template T.
func Decode[T any](packages *ledger.Packages, contract ledger.Contract) (Contract[T], error) {
	payload, err := ledger.DecodePayload[T](packages, contract)
	return Contract[T]{contract, payload}, err
}

// Payloads decodes contracts of one template.
func Payloads[T any](packages *ledger.Packages, contracts []ledger.Contract) ([]Contract[T], error) {
	out := make([]Contract[T], len(contracts))
	for i, contract := range contracts {
		var err error
		if out[i], err = Decode[T](packages, contract); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Short names a contract within the id of a command: how its id begins, for people to read, and a hash of all of it.
// The beginning alone is not enough: whoever prepares transactions chooses their seeds, and can make any number of
// contracts of the same stakeholders whose ids begin alike.
func Short(id ledger.ContractID) string {
	const (
		begins = 18 // the format's two digits, and 8 bytes
		digest = 16
	)
	hash := sha256.Sum256([]byte(id))
	return string(id[:min(len(id), begins)]) + "#" + hex.EncodeToString(hash[:digest])
}

// Refused is the refusal of an action.
type Refused struct {
	CommandID string
	Fault     *fault.Fault
}
