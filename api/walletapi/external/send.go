package external

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// PrepareTransferPreapprovalSendRequest asks for a transfer command, for signing (contract,
// /v0/admin/external-party/transfer-preapproval/prepare-send).
type PrepareTransferPreapprovalSendRequest struct {
	endpoint.Strict

	SenderPartyID   string             `json:"sender_party_id" required:"true" doc:"The external party that sends"`
	ReceiverPartyID string             `json:"receiver_party_id" required:"true" doc:"The receiver, who must have a preapproval"`
	Amount          json.RawMessage    `json:"amount" required:"true" doc:"In coin, with at most ten digits after the point"`
	ExpiresAt       endpoint.Timestamp `json:"expires_at" required:"true" doc:"Deadline for the transfer"`
	Nonce           int64              `json:"nonce" required:"true" doc:"Number of earlier commands of the sender"`
	VerboseHashing  bool               `json:"verbose_hashing" doc:"Whether to explain how the hash is computed"`
	Description     *string            `json:"description" doc:"Text for the receiver"`
}

// PrepareTransferPreapprovalSendResponse is a transaction to check and sign.
type PrepareTransferPreapprovalSendResponse struct {
	Transaction                     endpoint.Bytes `json:"transaction" required:"true" doc:"The transaction; send it back with the signature"`
	TxHash                          string         `json:"tx_hash" required:"true" doc:"34 bytes in hexadecimal; sign all of them"`
	TransferCommandContractIDPrefix string         `json:"transfer_command_contract_id_prefix" required:"true" doc:"Start of the command's contract id"`
	HashingDetails                  *string        `json:"hashing_details" doc:"The hashed values, with verbose_hashing"`
}

// SubmitTransferPreapprovalSendResponse names the update that created the command.
type SubmitTransferPreapprovalSendResponse struct {
	UpdateID ledger.UpdateID `json:"update_id" required:"true" doc:"The transaction"`
}

type prepareSendRequest struct {
	Body PrepareTransferPreapprovalSendRequest `body:"json"`
}

// contractIDPrefix is the length of a contract id that is known before execution: the format, and the part that derives
// from the seed.
const contractIDPrefix = 2 + 64

// prepareSend prepares a TransferCommand of the sender to the operator, whose automation executes it.
func (a *API) prepareSend(
	ctx context.Context, req prepareSendRequest,
) (out PrepareTransferPreapprovalSendResponse, err error) {
	argument, err := a.transferCommand(ctx, req.Body)
	if err != nil {
		return out, err
	}
	rules, err := validator.Active[coin.ExternalPartyAmuletRules](ctx, a.Base, a.Node.DSO)
	if err != nil {
		return out, err
	}
	if len(rules) == 0 {
		return out, v0.NotFound("There are no ExternalPartyAmuletRules yet: the coin is being created. Try again shortly.")
	}
	command, err := validator.Exercise[coin.ExternalPartyAmuletRules](a.Base, rules[0].ID,
		"ExternalPartyAmuletRules_CreateTransferCommand", argument)
	if err != nil {
		return out, err
	}
	made, err := a.prepareFor(ctx, argument.Sender, command, req.Body.VerboseHashing)
	if err != nil {
		return out, err
	}
	out = PrepareTransferPreapprovalSendResponse{
		Transaction: made.raw, TxHash: made.hash, HashingDetails: made.details,
	}
	for _, created := range made.transaction.Created() {
		out.TransferCommandContractIDPrefix = string(created.Contract.ID)[:contractIDPrefix]
	}
	return out, nil
}

// transferCommand decodes the request.
func (a *API) transferCommand(
	ctx context.Context, body PrepareTransferPreapprovalSendRequest,
) (argument coin.CreateTransferCommand, err error) {
	sender, err := validator.PartyOf(body.SenderPartyID)
	if err != nil {
		return argument, err
	}
	receiver, err := validator.PartyOf(body.ReceiverPartyID)
	if err != nil {
		return argument, err
	}
	amount, err := amountOf(body.Amount)
	if err != nil {
		return argument, err
	}
	if err := a.CheckDeadline("expires_at", time.Time(body.ExpiresAt)); err != nil {
		return argument, err
	}
	if body.Nonce < 0 {
		return argument, v0.BadRequest("nonce: %d is less than 0. The first command of a sender has the nonce 0.", body.Nonce)
	}
	preapproval, found, err := a.PreapprovalTo(ctx, receiver, func(coin.TransferPreapproval) bool { return true })
	if err != nil {
		return argument, err
	}
	if !found || !a.Now().Before(preapproval.Payload.ExpiresAt.Time()) {
		return argument, v0.BadRequest("Receiver %s does not have a TransferPreapproval", receiver)
	}
	return coin.CreateTransferCommand{
		Sender: sender, Receiver: receiver, Delegate: a.Node.Operator, Amount: amount,
		ExpiresAt: lf.TimestampOf(time.Time(body.ExpiresAt)), Nonce: body.Nonce, Description: body.Description,
		ExpectedDSO: &a.Node.DSO,
	}, nil
}

// amountOf decodes an amount, a JSON number or a string.
func amountOf(raw json.RawMessage) (decimal.Decimal, error) {
	var amount decimal.Decimal
	if err := amount.UnmarshalJSON(raw); err != nil {
		return decimal.Decimal{}, v0.BadRequest("Failed to decode: the amount %s is not a number with at most 28 digits "+
			"before and 10 after the point", raw)
	}
	return amount, validator.CheckPositive("amount", amount)
}

// submitSend answers when the command is on the ledger. The operator's automation moves the coin afterwards.
func (a *API) submitSend(
	ctx context.Context, req submitRequest,
) (SubmitTransferPreapprovalSendResponse, error) {
	update, err := a.execute(ctx, req.Body.Submission)
	return SubmitTransferPreapprovalSendResponse{UpdateID: update.ID}, err
}
