package payments

import (
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

func consuming[T, A, R any](
	controllers func(payload T, argument A) []Party,
	body func(tx *ledger.Tx, self lf.CID[T], payload T, argument A) (R, error),
) ledger.ChoiceOf[T] {
	return ledger.Choice[T, A, R]{Consuming: true, Controllers: controllers, Body: body}
}

// requireStakeholder checks that the actor of an expiry is a stakeholder.
func requireStakeholder(actor Party, stakeholders []Party) error {
	return ledger.Require("Actor is a stakeholder", slices.Contains(stakeholders, actor))
}

// requireExpired checks that the ledger time is at or after t.
func requireExpired(tx *ledger.Tx, t lf.Timestamp) error {
	return ledger.Require("Contract has expired", !tx.IsBefore(t))
}
