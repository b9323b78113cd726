package e2e_test

import (
	"encoding/json"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

func readHolding(created client.CreatedEvent) (holding, error) {
	var payload holding
	err := json.Unmarshal(created.CreateArgument, &payload)
	return payload, err
}

// holding is the payload of an Amulet.
type holding struct {
	Owner  string `json:"owner"`
	Amount struct {
		InitialAmount decimal.Decimal `json:"initialAmount"`
	} `json:"amount"`
}
