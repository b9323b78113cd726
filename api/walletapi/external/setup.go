package external

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// CreateExternalPartySetupProposalRequest proposes a preapproval to a party (contract,
// /v0/admin/external-party/setup-proposal).
type CreateExternalPartySetupProposalRequest struct {
	endpoint.Strict

	UserPartyID string `json:"user_party_id" required:"true" doc:"The external party"`
}

// CreateExternalPartySetupProposalResponse is the proposal.
type CreateExternalPartySetupProposalResponse struct {
	ContractID ledger.ContractID `json:"contract_id" required:"true" doc:"The ExternalPartySetupProposal"`
}

type createSetupProposalRequest struct {
	Body CreateExternalPartySetupProposalRequest `body:"json"`
}

// createSetupProposal pays for a preapproval and proposes it to the party. A party has at most one proposal.
func (a *API) createSetupProposal(
	ctx context.Context, req createSetupProposalRequest,
) (out CreateExternalPartySetupProposalResponse, err error) {
	party, err := validator.PartyOf(req.Body.UserPartyID)
	if err != nil {
		return out, err
	}
	leave, err := a.Alone(ctx, party)
	if err != nil {
		return out, err
	}
	defer leave()
	head, err := a.record.Head(ctx)
	if err != nil {
		return out, err
	}
	if err := a.checkUnproposed(ctx, party); err != nil {
		return out, err
	}
	// The operator may pay for many proposals at the same time, and each uses coin that another one chose.
	result, err := validator.Composed[coin.AmuletRulesCreateExternalPartySetupProposalResult]{
		Wallet: a.Node.Operator, Payer: a.Node.Operator, Explain: explainMissingCoin,
		Compose: func(v plan.View) (validator.Change, error) {
			proposing, err := a.setupProposal(ctx, v, party)
			// If another node has made the same proposal since head, this one is its duplicate.
			proposing.CommandID = "setup-proposal:" + uuid.NewSHA1(uuid.NameSpaceOID, []byte(party)).String()
			proposing.Deduplication = &ledger.DeduplicationPeriod{Offset: &head.Offset}
			return proposing, err
		},
		Decode: func(update ledger.Update) (coin.AmuletRulesCreateExternalPartySetupProposalResult, error) {
			return validator.ResultOf[coin.AmuletRulesCreateExternalPartySetupProposalResult](a.Base, update)
		},
	}.Submit(ctx, a.Base)
	return CreateExternalPartySetupProposalResponse{ContractID: ledger.ContractID(result.ProposalCid)}, err
}

// setupProposal composes the proposal, which the operator pays for.
func (a *API) setupProposal(ctx context.Context, v plan.View, party ledger.Party) (validator.Change, error) {
	n, err := a.Network(ctx)
	if err != nil {
		return validator.Change{}, err
	}
	inputs, err := plan.Inputs(v, a.Node.Operator)
	if err != nil {
		return validator.Change{}, err
	}
	const choice = "AmuletRules_CreateExternalPartySetupProposal"
	command, err := validator.Exercise[coin.AmuletRules](a.Base, n.Rules.ID, choice,
		coin.AmuletRulesCreateExternalPartySetupProposal{
			Context: n.Payment(), Inputs: inputs, User: party, Validator: a.Node.Operator,
			PreapprovalExpiresAt: lf.TimestampOf(a.Now().Add(plan.PreapprovalLifetime)), ExpectedDSO: &a.Node.DSO,
		})
	if err != nil {
		return validator.Change{}, err
	}
	commands, err := a.withdrawExpired(ctx, party)
	return validator.Change{
		ActAs: []ledger.Party{a.Node.Operator}, ReadAs: []ledger.Party{a.Node.DSO},
		Commands: append([]ledger.Command{command}, commands...),
	}, err
}

func (a *API) isExpired(proposal validator.Contract[coin.ExternalPartySetupProposal]) bool {
	return !a.Now().Before(proposal.Payload.PreapprovalExpiresAt.Time())
}

// withdrawExpired withdraws an expired proposal to a party.
func (a *API) withdrawExpired(ctx context.Context, party ledger.Party) ([]ledger.Command, error) {
	proposal, found, err := a.ProposalFor(ctx, party)
	if err != nil || !found || !a.isExpired(proposal) {
		return nil, err
	}
	withdraw, err := validator.Exercise[coin.ExternalPartySetupProposal](a.Base, proposal.ID,
		"ExternalPartySetupProposal_Withdraw",
		coin.ExternalPartySetupProposalWithdraw{Reason: "it was not accepted in time, and is proposed anew"})
	return []ledger.Command{withdraw}, err
}

// explainMissingCoin says how much coin is missing to pay for a preapproval.
func explainMissingCoin(err error) error {
	refusal, ok := fault.As(err)
	if !ok {
		return err
	}
	if missing := refusal.Context["requiredAmount"]; strings.Contains(refusal.Error(), "nsufficient funds") &&
		missing != "" {
		return v0.BadRequest("Insufficient funds for the transfer pre-approval purchase (missing %s CC)", missing)
	}
	return err
}

// checkUnproposed refuses a party that has a proposal or a preapproval, or for which the operator does not pay.
func (a *API) checkUnproposed(ctx context.Context, party ledger.Party) error {
	proposal, found, err := a.ProposalFor(ctx, party)
	if err != nil {
		return err
	}
	if found && !a.isExpired(proposal) {
		return v0.Refuse(http.StatusConflict, "ExternalPartySetupProposal contract already exists: %s", proposal.ID)
	}
	preapproval, found, err := a.ProvidedTo(ctx, party)
	if err != nil {
		return err
	}
	if found && a.Now().Before(preapproval.Payload.ExpiresAt.Time()) {
		return v0.Refuse(http.StatusConflict, "TransferPreapproval contract already exists: %s", preapproval.ID)
	}
	return a.CheckProvided(ctx, party)
}

func (a *API) listSetupProposals(ctx context.Context, _ endpoint.NoRequest) (validator.ListContractsResponse, error) {
	proposals, err := validator.Active[coin.ExternalPartySetupProposal](ctx, a.Base, a.Node.Operator)
	if err != nil {
		return validator.ListContractsResponse{}, err
	}
	var contracts []ledger.Contract
	for _, proposal := range proposals {
		if proposal.Payload.Validator == a.Node.Operator {
			contracts = append(contracts, proposal.Contract)
		}
	}
	return a.Listed(contracts)
}
