package walletapi

import (
	"context"
	"errors"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
)

// ownPreapproval shows the caller's unexpired preapproval.
func (a *API) ownPreapproval(
	ctx context.Context, _ endpoint.NoRequest,
) (out validator.ProvidedTransferPreapprovalResponse, err error) {
	w, err := a.Caller(ctx, "getTransferPreapproval")
	if err != nil {
		return out, err
	}
	found, err := a.findPreapproval(ctx, w.Party)
	if err != nil {
		return out, err
	}
	if found == nil {
		return out, validator.NoPreapproval(w.Party)
	}
	out.TransferPreapproval, err = v0.ToAPIContractWithState(a.Packages, found.Contract, a.Node.SynchronizerID)
	return out, err
}

// cancelOwnPreapproval cancels all unexpired preapprovals of the caller's party, whoever provides them. The fee is not
// refunded.
func (a *API) cancelOwnPreapproval(ctx context.Context, _ endpoint.NoRequest) (none endpoint.Content, err error) {
	w, err := a.Caller(ctx, "cancelTransferPreapproval")
	if err != nil {
		return none, err
	}
	all := validator.Change{ActAs: []ledger.Party{w.Party}, ReadAs: []ledger.Party{a.Node.DSO}}
	var failed error
	err = validator.EachActive(ctx, a.Base, w.Party, func(c validator.Contract[coin.TransferPreapproval]) bool {
		if c.Payload.Receiver != w.Party || !a.Now().Before(c.Payload.ExpiresAt.Time()) {
			return true
		}
		var cancel ledger.Command
		cancel, failed = validator.Exercise[coin.TransferPreapproval](a.Base, c.ID, "TransferPreapproval_Cancel",
			coin.TransferPreapprovalCancel{P: w.Party})
		all.Commands = append(all.Commands, cancel)
		return failed == nil
	})
	if err != nil || failed != nil {
		return none, errors.Join(err, failed)
	}
	if len(all.Commands) == 0 {
		return none, validator.NoPreapproval(w.Party)
	}
	_, err = a.Submit(ctx, all)
	return none, err
}
