package walletapp

import (
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Party is a party id.
type Party = ledger.Party

// MaxTextLength is one more than the most characters of descriptions and tracking ids of offers.
const MaxTextLength = 280

func consuming[T, A, R any](
	controllers func(payload T, argument A) []Party,
	body func(tx *ledger.Tx, self lf.CID[T], payload T, argument A) (R, error),
) ledger.ChoiceOf[T] {
	return ledger.Choice[T, A, R]{Consuming: true, Controllers: controllers, Body: body}
}

// ending is a choice that only archives its contract; result makes its result.
func ending[T, A, R any](controllers func(payload T, argument A) []Party, result func(payload T) R) ledger.ChoiceOf[T] {
	return consuming(controllers, func(_ *ledger.Tx, _ lf.CID[T], payload T, _ A) (R, error) {
		return result(payload), nil
	})
}

// requireNotExpired and requireExpired compare the ledger time with t: strictly before it, or at or after it.
func requireNotExpired(tx *ledger.Tx, what string, t lf.Timestamp) error {
	return ledger.Require(what+" has not expired", tx.IsBefore(t))
}

func requireExpired(tx *ledger.Tx, t lf.Timestamp) error {
	return ledger.Require("Contract has expired", !tx.IsBefore(t))
}

func requireStakeholder(actor Party, stakeholders ...Party) error {
	return ledger.Require("Actor is a stakeholder", slices.Contains(stakeholders, actor))
}

// requireGroup checks that a contract belongs to the choice's group.
func requireGroup(id ledger.ContractID, expected, actual string) error {
	if expected == actual {
		return nil
	}
	return ledger.Abort("Contract group identifier mismatch: expected %s, got %s for contract %s", expected, actual, id)
}
