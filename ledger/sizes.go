package ledger

import (
	"strconv"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Limits of values on the ledger, in bytes of their JSON. They hold for every template, because anybody can name a
// party in a contract, and the contract then appears in the lists of that party.
const (
	// MaxTextBytes is for one text: a description, a reason, a reference, a value of metadata or its key.
	MaxTextBytes = 16 << 10
	// MaxContractBytes is for all of a contract's payload.
	MaxContractBytes = 64 << 10
	// MaxChoiceBytes is for all of a choice's argument, and for its result.
	MaxChoiceBytes = 256 << 10
)

// holdPayload, holdArgument and holdResult count a value of the transaction, and refuse one above its limit.
func (tx *Tx) holdPayload(template lf.TypeName, value lf.Value) error {
	return tx.hold("the payload of "+template.QualifiedName(), value, MaxContractBytes)
}

func (tx *Tx) holdArgument(template lf.TypeName, choice string, value lf.Value) error {
	return tx.hold("the argument of "+choice+" on "+template.QualifiedName(), value, MaxChoiceBytes)
}

func (tx *Tx) holdResult(template lf.TypeName, choice string, value lf.Value) error {
	return tx.hold("the result of "+choice+" on "+template.QualifiedName(), value, MaxChoiceBytes)
}

func (tx *Tx) hold(what string, value lf.Value, whole int) error {
	size, tooLarge := lf.CheckSize(value, lf.Sizes{Text: MaxTextBytes, Whole: whole})
	if tooLarge != nil {
		return fault.ValueSize.New("Interpretation error: Error: %s is too large: %s", what, tooLarge).
			With("field", tooLarge.Field).
			With("size", strconv.Itoa(tooLarge.Size)).
			With("limit", strconv.Itoa(tooLarge.Limit))
	}
	return tx.allowed.takeValue(size)
}
