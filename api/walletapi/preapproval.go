package walletapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// CreateTransferPreapprovalResponse has the preapproval.
type CreateTransferPreapprovalResponse struct {
	ContractID ledger.ContractID `json:"transfer_preapproval_contract_id" required:"true" doc:"The preapproval"`
}

// TransferPreapprovalConflict is the answer if the caller already has a preapproval, or cannot get one now.
type TransferPreapprovalConflict struct {
	ContractID ledger.ContractID `json:"transfer_preapproval_contract_id,omitempty" doc:"The existing preapproval, if any"`
	Error      string            `json:"error" required:"true" doc:"The error text"`
}

// createTransferPreapproval proposes a preapproval in the caller's name, and the operator accepts and pays for it in
// the same transaction. If there is one, also one that another request of the caller just made, the answer is a
// conflict with the same field as success (upstream).
func (a *API) createTransferPreapproval(
	ctx context.Context, _ endpoint.NoRequest,
) (none validator.Composed[CreateTransferPreapprovalResponse], err error) {
	w, err := a.Caller(ctx, "createTransferPreapproval")
	if err != nil {
		return none, err
	}
	if err := a.checkNoPreapproval(ctx, w.Party); err != nil {
		return none, err
	}
	explain := func(err error) error { return a.explainPreapproval(ctx, w, err) }
	if err := a.CheckProvided(ctx, w.Party); err != nil {
		return none, explain(err)
	}
	return validator.Composed[CreateTransferPreapprovalResponse]{
		Wallet: w.Party, Payer: a.Node.Operator, Explain: explain,
		Compose: func(v plan.View) (validator.Change, error) { return a.composePreapproval(ctx, v, w) },
		Decode: func(update ledger.Update) (CreateTransferPreapprovalResponse, error) {
			if len(update.Events) > 0 {
				update.Events = update.Events[1:] // the proposal is created first; its acceptance is the choice
			}
			result, err := validator.ResultOf[walletapp.TransferPreapprovalProposalAcceptResult](a.Base, update)
			return CreateTransferPreapprovalResponse{ContractID: result.TransferPreapprovalCid.ID()}, err
		},
	}, nil
}

// checkNoPreapproval refuses a party that has an unexpired preapproval.
func (a *API) checkNoPreapproval(ctx context.Context, receiver ledger.Party) error {
	existing, err := a.findPreapproval(ctx, receiver)
	if err != nil || existing == nil {
		return err
	}
	return &v0.Error{Status: http.StatusConflict, Body: TransferPreapprovalConflict{
		ContractID: existing.ID, Error: "The receiver has a TransferPreapproval already",
	}}
}

func (a *API) explainPreapproval(ctx context.Context, w validator.Owner, refusal error) error {
	found := fault.From(refusal)
	switch {
	case found.Context["error_id"] == plan.InsufficientFunds:
		// The missing amount would show the operator's balance to the caller.
		return v0.Refuse(http.StatusTooManyRequests, "The operator does not have the coin for the preapproval's fee: give "+
			"it some (on a development ledger: `florin tap operator 1000`), then try again. (Transfer preapproval "+
			"creation request timed out because validator automation did not complete it in time.)")
	case fault.PreapprovalNotProvided.Matches(refusal):
		return cmp.Or(a.checkNoPreapproval(ctx, w.Party), refusal)
	default:
		return refusal
	}
}

// composePreapproval composes a preapproval for a wallet's party.
func (a *API) composePreapproval(
	ctx context.Context, v plan.View, w validator.Owner,
) (none validator.Change, err error) {
	n, err := a.Network(ctx)
	if err != nil {
		return none, err
	}
	inputs, err := plan.Inputs(v, a.Node.Operator)
	if err != nil {
		return none, err
	}
	command, err := createAndExercise(a,
		walletapp.TransferPreapprovalProposal{Receiver: w.Party, Provider: a.Node.Operator, ExpectedDSO: &a.Node.DSO},
		"TransferPreapprovalProposal_Accept", walletapp.TransferPreapprovalProposalAccept{
			Context: n.Payment(), Inputs: inputs, ExpiresAt: lf.TimestampOf(a.Now().Add(plan.PreapprovalLifetime)),
		})
	parties := []ledger.Party{w.Party, a.Node.Operator}
	return validator.Change{
		ActAs: parties, ReadAs: []ledger.Party{a.Node.DSO}, Commands: []ledger.Command{command},
	}, err
}

// createAndExercise returns the command that creates a contract and exercises a choice on it.
func createAndExercise[T, A any](a *API, payload T, choice string, argument A) (ledger.Command, error) {
	name, err := ledger.TemplateName[T](a.Packages)
	if err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	created, err := ledger.Encode(a.Packages, payload)
	if err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	exercised, err := ledger.Encode(a.Packages, argument)
	if err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	return ledger.Command{CreateAndExercise: &ledger.CreateAndExerciseCommand{
		Template: name, CreateArgument: created, Choice: choice, ChoiceArgument: exercised,
	}}, nil
}

// findPreapproval finds the unexpired preapproval of a receiver; nil if there is none. A repeated request finds the
// same one.
func (a *API) findPreapproval(
	ctx context.Context, receiver ledger.Party,
) (*validator.Contract[coin.TransferPreapproval], error) {
	found, ok, err := a.PreapprovalTo(ctx, receiver, func(p coin.TransferPreapproval) bool {
		return a.Now().Before(p.ExpiresAt.Time())
	})
	if err != nil || !ok {
		return nil, err
	}
	return &found, nil
}

// findUsedPreapproval finds the preapproval that a transfer to a receiver uses, and its provider's featured app right.
func (a *API) findUsedPreapproval(ctx context.Context, v plan.View, receiver ledger.Party) (
	preapproval *validator.Contract[coin.TransferPreapproval], right *validator.Contract[coin.FeaturedAppRight], err error,
) {
	if preapproval, err = a.findPreapproval(ctx, receiver); err == nil && preapproval != nil {
		right, err = plan.FeaturedAppRight(v, preapproval.Payload.Provider)
	}
	return preapproval, right, err
}
