package validator

import (
	"fmt"

	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// CheckPositive returns an error unless the amount is above 0.
func CheckPositive(field string, amount decimal.Decimal) error {
	if amount.Sign() <= 0 {
		return v0.BadRequest("%s: %s is not more than 0. Send an amount of at least 0.0000000001.", field, amount.Show())
	}
	return nil
}

// PartyOf parses a party id.
func PartyOf(id string) (ledger.Party, error) {
	if err := CheckPartyID(id); err != nil {
		return "", v0.BadRequest("%s", err)
	}
	return ledger.Party(id), nil
}

// CheckPartyID returns an error unless the id is a valid party id.
func CheckPartyID(id string) error {
	if err := ledger.CheckParty(id); err != nil {
		return err
	}
	if _, _, ok := ledger.SplitParty(id); !ok {
		return fmt.Errorf("%q is not a party id: hint::fingerprint", id)
	}
	return nil
}
