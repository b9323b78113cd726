package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// SelfGrantFeaturedAppRightResponse has the right.
type SelfGrantFeaturedAppRightResponse struct {
	ContractID ledger.ContractID `json:"contract_id" required:"true" doc:"The right"`
}

// selfGrantFeaturedAppRight makes the caller a featured app, on development networks. Each call grants one more right.
func (a *API) selfGrantFeaturedAppRight(
	ctx context.Context, _ endpoint.NoRequest,
) (response SelfGrantFeaturedAppRightResponse, err error) {
	w, err := a.Caller(ctx, "selfGrantFeatureAppRight")
	if err != nil {
		return response, err
	}
	n, err := a.Network(ctx)
	if err != nil {
		return response, err
	}
	granted, err := composeChoice[walletapp.InstallFeaturedAppRightsSelfGrantResult](a, w,
		"WalletAppInstall_FeaturedAppRights_SelfGrant", walletapp.InstallFeaturedAppRightsSelfGrant{
			AmuletRulesCid: lf.CID[coin.AmuletRules](n.Rules.ID),
		})
	if err != nil {
		return response, err
	}
	result, err := granted.Submit(ctx, a.Base)
	return SelfGrantFeaturedAppRightResponse{ContractID: result.FeaturedAppRight.ID()}, err
}

// cancelFeaturedAppRights cancels all rights of the caller in one transaction.
func (a *API) cancelFeaturedAppRights(ctx context.Context, _ endpoint.NoRequest) (none endpoint.Content, err error) {
	w, err := a.Caller(ctx, "cancelFeaturedAppRights")
	if err != nil {
		return none, err
	}
	var rights []validator.Contract[coin.FeaturedAppRight]
	err = validator.EachActive(ctx, a.Base, w.Party, func(c validator.Contract[coin.FeaturedAppRight]) bool {
		if c.Payload.Provider == w.Party {
			rights = append(rights, c)
		}
		return len(rights) < validator.MaxContracts
	})
	if err != nil || len(rights) == 0 {
		return none, err
	}
	all := validator.Change{ActAs: []ledger.Party{a.Node.Operator}, ReadAs: []ledger.Party{w.Party, a.Node.DSO}}
	for _, right := range rights {
		one, err := validator.ThroughWallet(a.Base, w, "", "WalletAppInstall_FeaturedAppRights_Cancel",
			walletapp.InstallFeaturedAppRightsCancel{CID: lf.CID[coin.FeaturedAppRight](right.ID)})
		if err != nil {
			return none, err
		}
		all.Commands = append(all.Commands, one.Commands...)
	}
	_, err = a.Submit(ctx, all)
	return none, err
}
