package registryapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
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
	found, ok, err := a.findPreapproval(ctx, party)
	if err != nil {
		return LookupTransferPreapprovalByPartyResponse{}, err
	}
	if !ok {
		return LookupTransferPreapprovalByPartyResponse{},
			v0.NotFound("No TransferPreapproval found for party: %s", party)
	}
	shown, err := v0.ToAPIContractWithState(a.packages, found, a.node.SynchronizerID)
	return LookupTransferPreapprovalByPartyResponse{TransferPreapproval: shown}, err
}

// findPreapproval finds the preapproval of a receiver that lasts longest. Expired ones count until they are archived,
// as in the network's own scan.
func (a *API) findPreapproval(ctx context.Context, receiver ledger.Party) (ledger.Contract, bool, error) {
	return a.findHeld(ctx, preapprovals, db.HeldQuery{Holder: receiver})
}

type byProviderRequest struct {
	Provider string `path:"provider_party_id" doc:"The party of the app's provider"`
}

// LookupFeaturedAppRightResponse has the right of a provider, if it is featured.
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
	right, ok, err := a.newestFeaturedRight(ctx, provider)
	if err != nil || !ok {
		return response, err
	}
	shown, err := v0.ToAPIContract(a.packages, right)
	return LookupFeaturedAppRightResponse{FeaturedAppRight: &shown}, err
}

// newestFeaturedRight finds the newest right of a provider.
func (a *API) newestFeaturedRight(ctx context.Context, provider ledger.Party) (ledger.Contract, bool, error) {
	return a.findHeld(ctx, featuredAppRights, db.HeldQuery{Holder: provider, LeastFirst: true})
}

// ListFeaturedAppRightsResponse has the rights of all featured apps.
type ListFeaturedAppRightsResponse struct {
	FeaturedApps []v0.Contract `json:"featured_apps" required:"true" doc:"Newest of each app, oldest first; at most 1000"`
}

func (a *API) featuredApps(
	ctx context.Context, _ endpoint.NoRequest,
) (response ListFeaturedAppRightsResponse, err error) {
	response.FeaturedApps = []v0.Contract{}
	for _, template := range a.templateIDs(featuredAppRights) {
		rights, err := a.record.NewestHeld(ctx, template, maxContracts)
		if err != nil {
			return response, err
		}
		for _, right := range rights {
			if err := budget.Of(ctx).Take(int64(len(right.Payload))); err != nil {
				return response, err
			}
			shown, err := v0.ToAPIContract(a.packages, right.Contract)
			if err != nil {
				return response, err
			}
			response.FeaturedApps = append(response.FeaturedApps, shown)
		}
	}
	return response, nil
}
