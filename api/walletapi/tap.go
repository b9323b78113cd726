package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// TapRequest requests test coin, on development networks.
type TapRequest struct {
	endpoint.Strict

	Amount    string  `json:"amount" required:"true" doc:"In US dollars; converted at the price of the newest open round"`
	CommandID *string `json:"command_id" doc:"The node makes only one tap with this id in a day"`
}

// TapResponse has the coin.
type TapResponse struct {
	ContractID ledger.ContractID `json:"contract_id" required:"true" doc:"The new coin"`
}

type tapRequest struct {
	Body TapRequest `body:"json"`
}

// tap mints coin. It rounds the amount up, so that the coin is worth at least the requested dollars.
func (a *API) tap(ctx context.Context, req tapRequest) (response TapResponse, err error) {
	w, err := a.Caller(ctx, "tap")
	if err != nil {
		return response, err
	}
	usd, err := decodePositive("amount", req.Body.Amount)
	if err != nil {
		return response, err
	}
	id := ""
	if req.Body.CommandID != nil {
		id = commandID("tap", []ledger.Party{w.Party}, *req.Body.CommandID)
	}
	tapped := a.composeOperation(ctx, w, id,
		func(n plan.Network, _ plan.View) (operation walletapp.AmuletOperation, none []coin.TransferInput, err error) {
			amount, err := usd.DivCeil(n.Latest.Payload.AmuletPrice)
			if err != nil {
				return operation, nil, decodeFailed("amount: %s US dollars exceed the largest amount of coin", req.Body.Amount)
			}
			operation.Tap = &walletapp.OperationTap{TapAmount: amount}
			return operation, nil, nil
		})
	if req.Body.CommandID != nil {
		if tapped.Name, err = validator.Named("command_id", *req.Body.CommandID, usd); err != nil {
			return response, err
		}
	}
	outcome, err := tapped.Submit(ctx, a.Base)
	if err != nil {
		return response, err
	}
	amulet, err := outcomeOf(outcome.Tap)
	return TapResponse{ContractID: amulet.ID()}, err
}
