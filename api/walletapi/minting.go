package walletapi

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// ListMintingDelegationProposalsResponse is a page of proposals that the caller mint others' rewards.
type ListMintingDelegationProposalsResponse struct {
	Proposals     []MintingDelegationItem `json:"proposals" required:"true" doc:"Oldest first"`
	NextPageToken *int64                  `json:"next_page_token" doc:"Value for after; null on the last page"`
}

// ListMintingDelegationsResponse is a page of the delegations to the caller.
type ListMintingDelegationsResponse struct {
	Delegations   []MintingDelegationItem `json:"delegations" required:"true" doc:"Oldest first"`
	NextPageToken *int64                  `json:"next_page_token" doc:"Value for after; null on the last page"`
}

// MintingDelegationItem is a delegation or a proposal.
type MintingDelegationItem struct {
	Contract          v0.Contract `json:"contract" required:"true" doc:"The contract"`
	BeneficiaryHosted bool        `json:"beneficiary_hosted" required:"true" doc:"Whether this node hosts the beneficiary"`
}

func (a *API) listMintingDelegationProposals(
	ctx context.Context, req validator.PageRequest,
) (ListMintingDelegationProposalsResponse, error) {
	items, next, err := mintingPage(ctx, a, req, "listMintingDelegationProposals",
		func(p walletapp.MintingDelegationProposal) walletapp.MintingDelegation { return p.Delegation })
	return ListMintingDelegationProposalsResponse{Proposals: items, NextPageToken: next}, err
}

func (a *API) listMintingDelegations(
	ctx context.Context, req validator.PageRequest,
) (ListMintingDelegationsResponse, error) {
	items, next, err := mintingPage(ctx, a, req, "listMintingDelegations",
		func(d walletapp.MintingDelegation) walletapp.MintingDelegation { return d })
	return ListMintingDelegationsResponse{Delegations: items, NextPageToken: next}, err
}

// mintingPage lists a page of the contracts whose delegate is the caller.
func mintingPage[T any](
	ctx context.Context, a *API, req validator.PageRequest, operation string,
	delegation func(T) walletapp.MintingDelegation,
) (items []MintingDelegationItem, next *int64, err error) {
	w, err := a.Caller(ctx, operation)
	if err != nil {
		return nil, nil, err
	}
	limit, after, err := req.Bounds()
	if err != nil {
		return nil, nil, err
	}
	visit := func(part context.Context, c validator.Contract[T], at db.Position) (bool, error) {
		d := delegation(c.Payload)
		if d.Delegate != w.Party {
			return true, nil
		}
		if len(items) == limit {
			token := validator.PositionToken(after)
			next = &token
			return false, nil
		}
		after = at
		item, err := a.mintingItem(part, c.Contract, d)
		if err == nil {
			err = budget.Of(ctx).Take(int64(len(c.Contract.Payload)))
		}
		items = append(items, item)
		return true, err
	}
	err = validator.EachActiveAfter(ctx, a.Base, w.Party, after, visit)
	return items, next, err
}

func (a *API) mintingItem(
	ctx context.Context, c ledger.Contract, d walletapp.MintingDelegation,
) (item MintingDelegationItem, err error) {
	if item.Contract, err = v0.ToAPIContract(a.Packages, c); err != nil {
		return item, err
	}
	parties, err := a.record.Parties(ctx, []ledger.Party{d.Beneficiary})
	item.BeneficiaryHosted = len(parties) == 1 && parties[0].IsLocal
	return item, err
}

// AcceptMintingDelegationProposalResponse is the delegation.
type AcceptMintingDelegationProposalResponse struct {
	ContractID ledger.ContractID `json:"contract_id" required:"true" doc:"The delegation"`
}

// acceptMintingDelegationProposal accepts a proposal, which replaces an existing delegation of the beneficiary.
func (a *API) acceptMintingDelegationProposal(
	ctx context.Context, req contractRequest,
) (none validator.Composed[AcceptMintingDelegationProposalResponse], err error) {
	w, err := a.Caller(ctx, "acceptMintingDelegationProposal")
	if err != nil {
		return none, err
	}
	proposal, err := validator.ActiveByID[walletapp.MintingDelegationProposal](ctx, a.Base, w.Party, req.ID)
	if err != nil {
		return none, err
	}
	if err := w.MustBe(proposal.Payload.Delegation.Delegate, "MintingDelegationProposal_Accept"); err != nil {
		return none, err
	}
	var argument walletapp.MintingDelegationProposalAccept
	err = validator.EachActive(ctx, a.Base, w.Party, func(c validator.Contract[walletapp.MintingDelegation]) bool {
		if c.Payload.Beneficiary == proposal.Payload.Delegation.Beneficiary && c.Payload.Delegate == w.Party {
			id := lf.CID[walletapp.MintingDelegation](c.ID)
			argument.ExistingDelegationCid = &id
		}
		return argument.ExistingDelegationCid == nil
	})
	if err != nil {
		return none, err
	}
	accepted, err := actAs[walletapp.MintingDelegationProposal, walletapp.MintingDelegationProposalAcceptResult](
		a, w, proposal.ID, "MintingDelegationProposal_Accept", argument, expiry(proposal))
	return validator.MapAnswer(accepted, func(
		result walletapp.MintingDelegationProposalAcceptResult,
	) (AcceptMintingDelegationProposalResponse, error) {
		return AcceptMintingDelegationProposalResponse{ContractID: result.MintingDelegationCid.ID()}, nil
	}), err
}

// expiry is the deadline of a proposal, the expiry of its delegation. The ledger would accept it after that and archive
// a valid delegation for one that cannot mint.
func expiry(proposal validator.Contract[walletapp.MintingDelegationProposal]) validator.Deadline {
	d := proposal.Payload.Delegation
	late := v0.Refuse(http.StatusConflict, "The minting delegation in proposal %s expired at %s, so nothing could be "+
		"minted with it. Ask %s for a proposal that expires later.", proposal.ID, d.ExpiresAt, d.Beneficiary)
	return validator.Deadline{At: d.ExpiresAt.Time(), Late: late}
}

func (a *API) rejectMintingDelegationProposal(
	ctx context.Context, req contractRequest,
) (none emptyAnswer, err error) {
	w, err := a.Caller(ctx, "rejectMintingDelegationProposal")
	if err != nil {
		return none, err
	}
	proposal, err := validator.ActiveByID[walletapp.MintingDelegationProposal](ctx, a.Base, w.Party, req.ID)
	if err != nil {
		return none, err
	}
	return withEmptyAnswer(
		actAs[walletapp.MintingDelegationProposal, walletapp.MintingDelegationProposalRejectResult](
			a, w, proposal.ID, "MintingDelegationProposal_Reject", walletapp.MintingDelegationProposalReject{}))
}

func (a *API) rejectMintingDelegation(ctx context.Context, req contractRequest) (none emptyAnswer, err error) {
	w, err := a.Caller(ctx, "rejectMintingDelegation")
	if err != nil {
		return none, err
	}
	delegation, err := validator.ActiveByID[walletapp.MintingDelegation](ctx, a.Base, w.Party, req.ID)
	if err != nil {
		return none, err
	}
	return withEmptyAnswer(actAs[walletapp.MintingDelegation, walletapp.MintingDelegationRejectResult](
		a, w, delegation.ID, "MintingDelegation_Reject", walletapp.MintingDelegationReject{}))
}
