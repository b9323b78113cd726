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

// Reader reads the ledger for planners. It has no list of all contracts of a stakeholder, because others could fill
// such a list. Each method takes the owner of the contracts, by the role in their template.
type Reader interface {
	// Held lists a party's active contracts of a template in an order, up to a limit.
	Held(template lf.TypeName, holder ledger.Party, order Order, limit int) ([]ledger.Contract, error)
	// Balance adds up the amounts of a party's active contracts of a template of coin.
	Balance(template lf.TypeName, holder ledger.Party) (decimal.Decimal, error)
	// EachOffer visits the active offers of a template from a sender to a receiver, oldest first, until visit ends it.
	EachOffer(
		template lf.TypeName, sender, receiver ledger.Party, visit func(ledger.Contract) (more bool, err error),
	) error
	// MergeDelegations lists an owner's active delegations to an operator, or proposals of them, by the template, oldest
	// first, up to a limit.
	MergeDelegations(template lf.TypeName, owner, operator ledger.Party, limit int) ([]ledger.Contract, error)
	// Shared lists active contracts of a template that only the DSO creates, oldest first, up to a limit.
	Shared(template lf.TypeName, limit int) ([]ledger.Contract, error)
	// IsActive reports whether a contract is active.
	IsActive(id ledger.ContractID) (bool, error)
}

// View is the input of a decision.
type View struct {
	Packages *ledger.Packages
	Node     ledger.Node
	// Now is the ledger's time.
	Now    time.Time
	Ledger Reader
	// Network returns the rules of the coin and its rounds where they are known; nil where Ledger must read them.
	Network func() (Network, error)
}

// Action is a submission that the node makes.
type Action struct {
	// CommandID is equal for the same action from any node, so that the ledger takes it once.
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

// CID returns the id of a contract; nil for none.
func (c *Contract[T]) CID() *lf.CID[T] {
	if c == nil {
		return nil
	}
	return new(lf.CID[T](c.ID))
}

// Stored returns the contract as stored in the ledger; nil for none.
func (c *Contract[T]) Stored() *ledger.Contract {
	if c == nil {
		return nil
	}
	return &c.Contract
}

// Exercise returns the command that exercises a choice of T, given its argument.
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

// Short names a contract in a command id: the beginning of its id, for readers, and a hash of the whole id. The
// beginning alone is not unique: the submitter chooses the seed of a transaction, and can make any number of contracts
// whose ids begin alike.
func Short(id ledger.ContractID) string {
	const (
		begins = 18 // the format's two digits, and 8 bytes
		digest = 16
	)
	hash := sha256.Sum256([]byte(id))
	return string(id[:min(len(id), begins)]) + "#" + hex.EncodeToString(hash[:digest])
}

// Refusal is the refusal of an action.
type Refusal struct {
	CommandID string
	Fault     *fault.Fault
}
