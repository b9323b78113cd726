package walletapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/provided"
)

// CreateExternalPartySetupProposalRequest proposes to host a party's coin (contract,
// /v0/admin/external-party/setup-proposal).
type CreateExternalPartySetupProposalRequest struct {
	endpoint.Strict

	UserPartyID string `json:"user_party_id" required:"true" doc:"The external party"`
}

// CreateExternalPartySetupProposalResponse is the proposal.
type CreateExternalPartySetupProposalResponse struct {
	ContractID ledger.ContractID `json:"contract_id" required:"true" doc:"The ExternalPartySetupProposal"`
}

// ListContractsResponse lists contracts.
type ListContractsResponse struct {
	Contracts []v0.ContractWithState `json:"contracts" required:"true" doc:"The oldest first, at most 1000"`
}

type createSetupProposalRequest struct {
	Body CreateExternalPartySetupProposalRequest `body:"json"`
}

// createSetupProposal pays for a preapproval and proposes it to the party. There is at most one proposal for a party.
func (a *API) createSetupProposal(
	ctx context.Context, req createSetupProposalRequest,
) (out CreateExternalPartySetupProposalResponse, err error) {
	if err := a.operator(ctx); err != nil {
		return out, err
	}
	party, err := partyOf(req.Body.UserPartyID)
	if err != nil {
		return out, err
	}
	leave, err := a.ensuring.enter(ctx, party)
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
	// The operator pays for many at once, and each uses up the coin of another.
	made := &submitting{api: a}
	err = carryOut(ctx, made, a.node.Operator, func(v plan.View) (change, error) {
		proposing, err := a.setupProposal(ctx, v, party)
		// Another node may be at it too: what it proposed since is this proposal.
		proposing.CommandID = "setup-proposal:" + uuid.NewSHA1(uuid.NameSpaceOID, []byte(party)).String()
		proposing.Deduplication = &ledger.DeduplicationPeriod{Offset: &head.Offset}
		return proposing, err
	})
	if err != nil {
		return out, shortOfCoin(err)
	}
	result, err := resultOf[coin.AmuletRulesCreateExternalPartySetupProposalResult](a, made.update)
	return CreateExternalPartySetupProposalResponse{ContractID: ledger.ContractID(result.ProposalCid)}, err
}

// setupProposal is the change that makes the proposal. What it costs is the operator's to pay.
func (a *API) setupProposal(ctx context.Context, v plan.View, party ledger.Party) (change, error) {
	n, err := a.network(ctx)
	if err != nil {
		return change{}, err
	}
	inputs, err := plan.Inputs(v, a.node.Operator)
	if err != nil {
		return change{}, err
	}
	const choice = "AmuletRules_CreateExternalPartySetupProposal"
	command, err := exercise[coin.AmuletRules](a, n.rules.ID, choice,
		coin.AmuletRulesCreateExternalPartySetupProposal{
			Context: n.payment(), Inputs: inputs, User: party, Validator: a.node.Operator,
			PreapprovalExpiresAt: lf.TimestampOf(a.now().Add(plan.PreapprovalLifetime)), ExpectedDSO: &a.node.DSO,
		})
	if err != nil {
		return change{}, err
	}
	commands, err := a.withdrawOver(ctx, party)
	return change{
		ActAs: []ledger.Party{a.node.Operator}, ReadAs: []ledger.Party{a.node.DSO},
		Commands: append([]ledger.Command{command}, commands...),
	}, err
}

// isOver reports whether a proposal can no longer be accepted.
func (a *API) isOver(proposal contract[coin.ExternalPartySetupProposal]) bool {
	return !a.now().Before(proposal.Payload.PreapprovalExpiresAt.Time())
}

// withdrawOver takes back what was proposed to a party and can no longer be accepted.
func (a *API) withdrawOver(ctx context.Context, party ledger.Party) ([]ledger.Command, error) {
	proposal, found, err := a.proposalFor(ctx, party)
	if err != nil || !found || !a.isOver(proposal) {
		return nil, err
	}
	withdraw, err := exercise[coin.ExternalPartySetupProposal](a, proposal.ID, "ExternalPartySetupProposal_Withdraw",
		coin.ExternalPartySetupProposalWithdraw{Reason: "it was not accepted in time, and is proposed anew"})
	return []ledger.Command{withdraw}, err
}

// shortOfCoin tells what is missing to pay for a preapproval.
func shortOfCoin(err error) error {
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

// checkUnproposed refuses a party that has a proposal or a preapproval already, or for which the operator will not pay.
func (a *API) checkUnproposed(ctx context.Context, party ledger.Party) error {
	proposal, found, err := a.proposalFor(ctx, party)
	if err != nil {
		return err
	}
	if found && !a.isOver(proposal) {
		return v0.Refuse(http.StatusConflict, "ExternalPartySetupProposal contract already exists: %s", proposal.ID)
	}
	preapproval, found, err := a.providedTo(ctx, party)
	if err != nil {
		return err
	}
	if found && a.now().Before(preapproval.Payload.ExpiresAt.Time()) {
		return v0.Refuse(http.StatusConflict, "TransferPreapproval contract already exists: %s", preapproval.ID)
	}
	return a.checkProvided(ctx, party)
}

// checkProvided refuses a preapproval that the operator will not pay for. The commit decides by the same rule.
func (a *API) checkProvided(ctx context.Context, receiver ledger.Party) error {
	settings, err := a.record.LedgerSettings(ctx)
	if err != nil {
		return err
	}
	rule := provided.Rule{Operator: a.node.Operator, Max: settings.MaxProvidedParties, Now: a.now()}
	book, err := a.record.ProvidedPreapprovals(ctx, rule.Now, receiver)
	if err != nil {
		return err
	}
	if refusal := rule.Check(provided.Book(book), receiver); refusal != nil {
		return refusal
	}
	return nil
}

// proposalFor finds the proposal of the operator to a party.
func (a *API) proposalFor(
	ctx context.Context, party ledger.Party,
) (found contract[coin.ExternalPartySetupProposal], ok bool, err error) {
	err = eachActive(ctx, a, party, func(c contract[coin.ExternalPartySetupProposal]) bool {
		if c.Payload.User == party && c.Payload.Validator == a.node.Operator {
			found, ok = c, true
		}
		return !ok
	})
	return found, ok, err
}

// providedTo finds the preapproval that the operator provides for a party: the one that lasts longest.
func (a *API) providedTo(
	ctx context.Context, party ledger.Party,
) (found contract[coin.TransferPreapproval], ok bool, err error) {
	return a.preapprovalTo(ctx, party, func(p coin.TransferPreapproval) bool { return p.Provider == a.node.Operator })
}

// preapprovalTo finds, of the preapprovals of a receiver that are asked for, the one that lasts longest.
func (a *API) preapprovalTo(
	ctx context.Context, receiver ledger.Party, wanted func(coin.TransferPreapproval) bool,
) (found contract[coin.TransferPreapproval], ok bool, err error) {
	err = eachActive(ctx, a, receiver, func(c contract[coin.TransferPreapproval]) bool {
		if c.Payload.Receiver == receiver && wanted(c.Payload) && (!ok || c.Payload.ExpiresAt > found.Payload.ExpiresAt) {
			found, ok = c, true
		}
		return true
	})
	return found, ok, err
}

func (a *API) listSetupProposals(ctx context.Context, _ endpoint.NoRequest) (ListContractsResponse, error) {
	if err := a.operator(ctx); err != nil {
		return ListContractsResponse{}, err
	}
	proposals, err := active[coin.ExternalPartySetupProposal](ctx, a, a.node.Operator)
	if err != nil {
		return ListContractsResponse{}, err
	}
	var contracts []ledger.Contract
	for _, proposal := range proposals {
		if proposal.Payload.Validator == a.node.Operator {
			contracts = append(contracts, proposal.Contract)
		}
	}
	return a.listed(contracts)
}

func (a *API) listed(contracts []ledger.Contract) (ListContractsResponse, error) {
	shown, err := v0.ToAPIContractsWithState(a.packages, contracts, a.node.SynchronizerID)
	return ListContractsResponse{Contracts: shown}, err
}

// partyOf reads the id of a party.
func partyOf(id string) (ledger.Party, error) {
	if err := checkPartyID(id); err != nil {
		return "", v0.BadRequest("%s", err)
	}
	return ledger.Party(id), nil
}
