package admin

import (
	"context"
	"errors"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
)

type receiverRequest struct {
	Receiver string `path:"receiver-party" doc:"Receiver of the preapproval"`
}

func (a *API) listPreapprovals(ctx context.Context, _ endpoint.NoRequest) (validator.ListContractsResponse, error) {
	var contracts []ledger.Contract
	err := validator.EachActive(ctx, a.Base, a.Node.Operator, func(c validator.Contract[coin.TransferPreapproval]) bool {
		if c.Payload.Provider == a.Node.Operator {
			contracts = append(contracts, c.Contract)
		}
		return len(contracts) < validator.MaxContracts
	})
	if err != nil {
		return validator.ListContractsResponse{}, err
	}
	return a.Listed(contracts)
}

func (a *API) lookupPreapproval(
	ctx context.Context, req receiverRequest,
) (out validator.ProvidedTransferPreapprovalResponse, err error) {
	_, preapproval, found, err := a.findProvidedPreapproval(ctx, req)
	if err != nil {
		return out, err
	}
	if !found {
		return out, validator.NoPreapproval(ledger.Party(req.Receiver))
	}
	out.TransferPreapproval, err = v0.ToAPIContractWithState(a.Packages, preapproval.Contract, a.Node.SynchronizerID)
	return out, err
}

func (a *API) findProvidedPreapproval(
	ctx context.Context, req receiverRequest,
) (receiver ledger.Party, found validator.Contract[coin.TransferPreapproval], ok bool, err error) {
	if receiver, err = validator.PartyOf(req.Receiver); err != nil {
		return "", found, false, err
	}
	found, ok, err = a.ProvidedTo(ctx, receiver)
	return receiver, found, ok, err
}

// cancelPreapproval cancels all unexpired preapprovals that the operator provides for a party, and deletes the entry
// that the operator has paid for it, so that it pays for the next one. If the receiver has cancelled the preapprovals,
// it only deletes the entry.
func (a *API) cancelPreapproval(ctx context.Context, req receiverRequest) (none endpoint.Content, err error) {
	receiver, longest, found, err := a.findProvidedPreapproval(ctx, req)
	if err != nil {
		return none, err
	}
	_, forgot, err := changes.AttemptOf(ctx).Decided(ctx)
	switch {
	case err != nil:
	case forgot: // keep what the operator has paid for since then
	case found:
		err = a.cancelProvided(ctx, receiver, longest.ID)
	default:
		err = a.forgetProvided(ctx, receiver)
	}
	if err == nil {
		a.wakeProposals(ctx, receiver)
	}
	return none, err
}

// wakeProposals makes automation check the waiting proposals, because the operator pays for one party less. A failure
// is only logged: the preapproval is already cancelled, and automation checks again within an hour.
func (a *API) wakeProposals(ctx context.Context, receiver ledger.Party) {
	if err := a.record.WakeProposals(ctx, receiver); err != nil {
		a.log.WarnContext(ctx, "waking preapproval proposals failed: automation retries within an hour",
			"receiver", receiver, "error", err)
	}
}

// cancelProvided cancels the preapproval that lasts longest, and all others that have not expired.
func (a *API) cancelProvided(ctx context.Context, receiver ledger.Party, longest ledger.ContractID) error {
	all := validator.Change{ActAs: []ledger.Party{a.Node.Operator}, ReadAs: []ledger.Party{a.Node.DSO}}
	var failed error
	err := validator.EachActive(ctx, a.Base, receiver, func(c validator.Contract[coin.TransferPreapproval]) bool {
		provided := c.Payload.Receiver == receiver && c.Payload.Provider == a.Node.Operator
		if !provided || c.ID != longest && !a.Now().Before(c.Payload.ExpiresAt.Time()) {
			return true
		}
		var cancel ledger.Command
		cancel, failed = validator.Exercise[coin.TransferPreapproval](a.Base, c.ID, "TransferPreapproval_Cancel",
			coin.TransferPreapprovalCancel{P: a.Node.Operator})
		all.Commands = append(all.Commands, cancel)
		return failed == nil
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	_, err = a.Submit(ctx, all)
	return err
}

// forgetProvided deletes the record that the operator paid for a preapproval, when none is left. In a repeated request, the
// first attempt may have cancelled them.
func (a *API) forgetProvided(ctx context.Context, receiver ledger.Party) error {
	attempt := changes.AttemptOf(ctx)
	if _, again, err := attempt.Before(ctx); err != nil || again {
		return err
	}
	_, proposed, err := a.ProposalFor(ctx, receiver)
	if err != nil {
		return err
	}
	if proposed { // the operator's payment is in the open proposal
		return validator.NoPreapproval(receiver)
	}
	forgot, err := a.record.ForgetProvidedPreapproval(ctx, receiver, attempt.Claim())
	if err == nil && !forgot {
		err = validator.NoPreapproval(receiver)
	}
	return err
}
