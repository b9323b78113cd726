package registryapi

import (
	"context"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger"
)

type byPartyRequest struct {
	Party string `path:"party" doc:"The party"`
}

// LookupTransferPreapprovalByPartyResponse is the preapproval of a receiver.
type LookupTransferPreapprovalByPartyResponse struct {
	TransferPreapproval v0.ContractWithState `json:"transfer_preapproval" required:"true" doc:"Of any provider"`
}

func (a *API) preapprovalByParty(
	ctx context.Context, req byPartyRequest,
) (LookupTransferPreapprovalByPartyResponse, error) {
	party, err := partyOf(req.Party)
	if err != nil {
		return LookupTransferPreapprovalByPartyResponse{}, err
	}
	found, ok, err := a.preapprovalOf(ctx, party)
	if err != nil {
		return LookupTransferPreapprovalByPartyResponse{}, err
	}
	if !ok {
		return LookupTransferPreapprovalByPartyResponse{},
			v0.NotFound("No TransferPreapproval found for party: %s", party)
	}
	shown, err := v0.ToAPIContractWithState(found, a.node.SynchronizerID)
	return LookupTransferPreapprovalByPartyResponse{TransferPreapproval: shown}, err
}

// preapprovalOf finds the preapproval of a receiver that lasts longest. Expired ones count until they are archived, as
// they do for the network's own scan.
func (a *API) preapprovalOf(ctx context.Context, receiver ledger.Party) (ledger.Contract, bool, error) {
	all, err := a.active(ctx, preapprovals, receiver)
	if err != nil {
		return ledger.Contract{}, false, err
	}
	type preapproval struct {
		Receiver  ledger.Party `json:"receiver"`
		ExpiresAt time.Time    `json:"expiresAt"`
	}
	var latest ledger.Contract
	var until time.Time
	for _, contract := range all {
		payload, err := payloadOf[preapproval](contract)
		if err != nil {
			return ledger.Contract{}, false, err
		}
		if payload.Receiver == receiver && (latest.ID == "" || payload.ExpiresAt.After(until)) {
			latest, until = contract, payload.ExpiresAt
		}
	}
	return latest, latest.ID != "", nil
}

type byProviderRequest struct {
	Provider string `path:"provider_party_id" doc:"The party of the app's provider"`
}

// LookupFeaturedAppRightResponse is the right of a provider, if it is featured.
type LookupFeaturedAppRightResponse struct {
	FeaturedAppRight *v0.Contract `json:"featured_app_right" doc:"Null when the provider is not featured"`
}

func (a *API) featuredApp(
	ctx context.Context, req byProviderRequest,
) (response LookupFeaturedAppRightResponse, err error) {
	provider, err := partyOf(req.Provider)
	if err != nil {
		return response, err
	}
	right, ok, err := a.featuredRightOf(ctx, provider)
	if err != nil || !ok {
		return response, err
	}
	shown, err := v0.ToAPIContract(right)
	return LookupFeaturedAppRightResponse{FeaturedAppRight: &shown}, err
}

// featuredRightOf finds the newest right of a provider.
func (a *API) featuredRightOf(ctx context.Context, provider ledger.Party) (ledger.Contract, bool, error) {
	all, err := a.active(ctx, featuredAppRights, provider)
	if err != nil {
		return ledger.Contract{}, false, err
	}
	type right struct {
		Provider ledger.Party `json:"provider"`
	}
	own, err := having(all, func(r right) bool { return r.Provider == provider })
	if err != nil || len(own) == 0 {
		return ledger.Contract{}, false, err
	}
	return own[len(own)-1], true, nil
}

// ListFeaturedAppRightsResponse are the rights of all featured apps.
type ListFeaturedAppRightsResponse struct {
	FeaturedApps []v0.Contract `json:"featured_apps" required:"true" doc:"Oldest first"`
}

func (a *API) featuredApps(ctx context.Context, _ endpoint.NoRequest) (ListFeaturedAppRightsResponse, error) {
	rights, err := a.active(ctx, featuredAppRights, a.node.DSO)
	if err != nil {
		return ListFeaturedAppRightsResponse{}, err
	}
	response := ListFeaturedAppRightsResponse{FeaturedApps: make([]v0.Contract, len(rights))}
	for i, right := range rights {
		if response.FeaturedApps[i], err = v0.ToAPIContract(right); err != nil {
			return ListFeaturedAppRightsResponse{}, err
		}
	}
	return response, nil
}
