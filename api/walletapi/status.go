package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// UserStatusResponse is the status of the caller's wallet (contract, GET /v0/wallet/user-status).
type UserStatusResponse struct {
	PartyID             ledger.Party `json:"party_id" required:"true" doc:"The wallet's party; empty without a wallet"`
	UserOnboarded       bool         `json:"user_onboarded" required:"true" doc:"Whether the wallet can be used"`
	UserWalletInstalled bool         `json:"user_wallet_installed" required:"true" doc:"Whether there is a wallet"`
	HasFeaturedAppRight bool         `json:"has_featured_app_right" required:"true" doc:"Whether the party is featured"`
}

// userStatus answers every caller with a token, also one that is no ledger user. A wallet is usable as soon as it
// exists.
func (a *API) userStatus(ctx context.Context, _ endpoint.NoRequest) (none UserStatusResponse, err error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return none, err
	}
	user, known, err := a.record.User(ctx, claims.Identity())
	if err != nil || !known {
		return none, err
	}
	install, installed, err := a.InstallOf(ctx, user)
	if err != nil || !installed {
		return none, err
	}
	party := install.Payload.EndUserParty
	right, err := plan.FeaturedAppRight(a.View(ctx), party)
	return UserStatusResponse{
		PartyID: party, UserOnboarded: true, UserWalletInstalled: true, HasFeaturedAppRight: right != nil,
	}, err
}

// FeatureSupportResponse has the features of the network's contracts.
type FeatureSupportResponse struct {
	TokenStandard                  bool `json:"token_standard" required:"true" doc:"Support for token standard transfers"`
	TransferPreapprovalDescription bool `json:"transfer_preapproval_description" required:"true" doc:"Support for a description in sends"`
}

func (a *API) featureSupport(ctx context.Context, _ endpoint.NoRequest) (FeatureSupportResponse, error) {
	return FeatureSupportResponse{TokenStandard: true, TransferPreapprovalDescription: true},
		endpoint.Claims(ctx).Require()
}
