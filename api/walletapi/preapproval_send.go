package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/plan"
)

// TransferPreapprovalSendRequest sends coin to a receiver with a preapproval.
type TransferPreapprovalSendRequest struct {
	endpoint.Strict

	ReceiverPartyID string  `json:"receiver_party_id" required:"true" doc:"Receiver of the coin"`
	Amount          string  `json:"amount" required:"true" doc:"In coin, with at most ten digits after the point"`
	DeduplicationID string  `json:"deduplication_id" required:"true" doc:"The node makes only one send with this id in a day"`
	Description     *string `json:"description" doc:"Text for the receiver"`
}

type transferPreapprovalSendRequest struct {
	Body TransferPreapprovalSendRequest `body:"json"`
}

// transferPreapprovalSend sends coin at once. The same send with a used id gets the first answer.
func (a *API) transferPreapprovalSend(
	ctx context.Context, req transferPreapprovalSendRequest,
) (none validator.Composed[endpoint.Content], err error) {
	w, err := a.Caller(ctx, "transferPreapprovalSend")
	if err != nil {
		return none, err
	}
	var read fields
	receiver := read.party("receiver_party_id", req.Body.ReceiverPartyID)
	amount := read.amount("amount", req.Body.Amount)
	if read.err != nil {
		return none, read.err
	}
	id := commandID("transferPreapprovalSend", []ledger.Party{w.Party}, req.Body.DeduplicationID)
	sent := a.composeOperation(ctx, w, id,
		func(_ plan.Network, v plan.View) (operation walletapp.AmuletOperation, inputs []coin.TransferInput, err error) {
			preapproval, right, err := a.findUsedPreapproval(ctx, v, receiver)
			if err != nil {
				return operation, nil, err
			}
			if preapproval == nil {
				return operation, nil, v0.BadRequest("Receiver %s does not have a TransferPreapproval", receiver)
			}
			operation.TransferPreapprovalSend = &walletapp.OperationSend{
				TransferPreapprovalCid: *preapproval.CID(), Amount: amount,
				Description: req.Body.Description, ProviderFeaturedAppRightCid: right.CID(),
			}
			inputs, err = plan.Inputs(v, w.Party)
			return operation, inputs, err
		})
	sent.Name, err = validator.Named("deduplication_id", req.Body.DeduplicationID, receiver, amount, req.Body.Description)
	if err != nil {
		return none, err
	}
	sent.Explain = func(err error) error {
		if fault.DuplicateCommand.Matches(err) { // made before and pruned; the answer is empty
			return nil
		}
		return err
	}
	return validator.MapAnswer(sent, func(walletapp.AmuletOperationOutcome) (endpoint.Content, error) {
		return endpoint.Content{}, nil
	}), nil
}
