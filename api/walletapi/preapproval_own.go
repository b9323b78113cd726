package walletapi

import (
	"context"
	"errors"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
)

// ownPreapproval shows the preapproval through which the caller receives coin now.
func (a *API) ownPreapproval(
	ctx context.Context, _ endpoint.NoRequest,
) (out ProvidedTransferPreapprovalResponse, err error) {
	w, err := a.caller(ctx, "getTransferPreapproval")
	if err != nil {
		return out, err
	}
	found, _, err := a.preapprovalOf(ctx, w.party)
	if err != nil {
		return out, err
	}
	if found == nil {
		return out, noPreapproval(w.party)
	}
	out.TransferPreapproval, err = v0.ToAPIContractWithState(a.packages, *found, a.node.SynchronizerID)
	return out, err
}

// cancelOwnPreapproval ends that the caller receives coin without being asked: it cancels all preapprovals of its party
// that have not expired, whoever provides them. The coin that they cost is not given back.
func (a *API) cancelOwnPreapproval(ctx context.Context, _ endpoint.NoRequest) (none endpoint.Content, err error) {
	w, err := a.caller(ctx, "cancelTransferPreapproval")
	if err != nil {
		return none, err
	}
	all := change{ActAs: []ledger.Party{w.party}, ReadAs: []ledger.Party{a.node.DSO}}
	var failed error
	err = eachActive(ctx, a, w.party, func(c contract[coin.TransferPreapproval]) bool {
		if c.Payload.Receiver != w.party || !a.now().Before(c.Payload.ExpiresAt.Time()) {
			return true
		}
		var cancel ledger.Command
		cancel, failed = exercise[coin.TransferPreapproval](a, c.ID, "TransferPreapproval_Cancel",
			coin.TransferPreapprovalCancel{P: w.party})
		all.Commands = append(all.Commands, cancel)
		return failed == nil
	})
	if err != nil || failed != nil {
		return none, errors.Join(err, failed)
	}
	if len(all.Commands) == 0 {
		return none, noPreapproval(w.party)
	}
	_, err = a.submit(ctx, all)
	return none, err
}

// noPreapproval refuses what needs a preapproval that is not there (upstream's words).
func noPreapproval(party ledger.Party) error {
	return v0.NotFound("No TransferPreapproval found for party: %s", party)
}
