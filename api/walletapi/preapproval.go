package walletapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/registry"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// CreateTransferPreapprovalResponse is the preapproval, be it new or not.
type CreateTransferPreapprovalResponse struct {
	ContractID ledger.ContractID `json:"transfer_preapproval_contract_id" required:"true" doc:"The preapproval"`
}

// existingPreapproval is the answer to who wants one and has one.
type existingPreapproval struct {
	CreateTransferPreapprovalResponse
	v0.ErrorResponse
}

// createTransferPreapproval proposes a preapproval in the caller's name, which the operator accepts and pays for, in
// one transaction. Where there is one already it is told as a conflict, with the same body as success (upstream); also
// where another request of the caller made it meanwhile.
func (a *API) createTransferPreapproval(
	ctx context.Context, _ endpoint.NoRequest,
) (none composed[CreateTransferPreapprovalResponse], err error) {
	w, err := a.caller(ctx, "createTransferPreapproval")
	if err != nil {
		return none, err
	}
	if err := a.checkNoPreapproval(ctx, w.party); err != nil {
		return none, err
	}
	explain := func(err error) error { return a.explainPreapproval(ctx, w, err) }
	if err := a.checkProvided(ctx, w.party); err != nil {
		return none, explain(err)
	}
	return composed[CreateTransferPreapprovalResponse]{
		wallet: w.party, payer: a.node.Operator, explain: explain,
		compose: func(v plan.View) (change, error) { return a.preapprovalFor(ctx, v, w) },
		decode: func(update ledger.Update) (CreateTransferPreapprovalResponse, error) {
			if len(update.Events) > 0 {
				update.Events = update.Events[1:] // the proposal is created first; its acceptance is the choice
			}
			result, err := resultOf[walletapp.TransferPreapprovalProposalAcceptResult](a, update)
			return CreateTransferPreapprovalResponse{ContractID: result.TransferPreapprovalCid.ID()}, err
		},
	}, nil
}

// checkNoPreapproval refuses a party that receives coin through a preapproval now.
func (a *API) checkNoPreapproval(ctx context.Context, receiver ledger.Party) error {
	existing, _, err := a.preapprovalOf(ctx, receiver)
	if err != nil || existing == nil {
		return err
	}
	return &v0.Error{Status: http.StatusConflict, Body: existingPreapproval{
		CreateTransferPreapprovalResponse: CreateTransferPreapprovalResponse{ContractID: existing.ID},
		ErrorResponse:                     v0.ErrorResponse{Error: "The receiver has a TransferPreapproval already"},
	}}
}

// explainPreapproval says why there is no preapproval.
func (a *API) explainPreapproval(ctx context.Context, w walletUser, refusal error) error {
	found := fault.From(refusal)
	switch {
	case found.Context["error_id"] == plan.InsufficientFunds:
		// How much is missing would show the operator's balance to whoever asks.
		return v0.Refuse(http.StatusTooManyRequests, "The operator lacks the coin for the preapproval's fee: give "+
			"it some, on a development ledger with `florin tap operator 1000`, and ask again. (Transfer preapproval "+
			"creation request timed out because validator automation did not complete it in time.)")
	case fault.PreapprovalNotProvided.Matches(refusal):
		return cmp.Or(a.checkNoPreapproval(ctx, w.party), refusal)
	default:
		return refusal
	}
}

// preapprovalFor is the change that makes a preapproval for a wallet's party.
func (a *API) preapprovalFor(ctx context.Context, v plan.View, w walletUser) (none change, err error) {
	n, err := a.network(ctx)
	if err != nil {
		return none, err
	}
	inputs, err := plan.Inputs(v, a.node.Operator)
	if err != nil {
		return none, err
	}
	command, err := createAndExercise(a,
		walletapp.TransferPreapprovalProposal{Receiver: w.party, Provider: a.node.Operator, ExpectedDSO: &a.node.DSO},
		"TransferPreapprovalProposal_Accept", walletapp.TransferPreapprovalProposalAccept{
			Context: n.payment(), Inputs: inputs, ExpiresAt: lf.TimestampOf(a.now().Add(plan.PreapprovalLifetime)),
		})
	parties := []ledger.Party{w.party, a.node.Operator}
	return change{
		ActAs: parties, ReadAs: []ledger.Party{a.node.DSO}, Commands: []ledger.Command{command},
	}, err
}

// createAndExercise is the command that creates a contract and exercises a choice of it.
func createAndExercise[T, A any](a *API, payload T, choice string, argument A) (ledger.Command, error) {
	name, err := ledger.TemplateName[T](a.packages)
	if err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	created, err := ledger.Encode(a.packages, payload)
	if err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	exercised, err := ledger.Encode(a.packages, argument)
	if err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	return ledger.Command{CreateAndExercise: &ledger.CreateAndExerciseCommand{
		Template: name, CreateArgument: created, Choice: choice, ChoiceArgument: exercised,
	}}, nil
}

// preapprovalOf is the preapproval through which a party receives coin now; nil when there is none.
func (a *API) preapprovalOf(
	ctx context.Context, receiver ledger.Party,
) (*ledger.Contract, *coin.TransferPreapproval, error) {
	var all []ledger.Contract
	err := eachActive(ctx, a, receiver, func(c contract[coin.TransferPreapproval]) bool {
		if c.Payload.Receiver == receiver {
			all = append(all, c.Contract)
		}
		return true
	})
	if err != nil {
		return nil, nil, err
	}
	return registry.ValidPreapproval(a.packages, all, a.now())
}
