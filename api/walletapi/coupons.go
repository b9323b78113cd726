package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
)

// ListAppRewardCouponsResponse has the rewards for use of the caller's app.
type ListAppRewardCouponsResponse struct {
	Coupons []v0.Contract `json:"app_reward_coupons" required:"true" doc:"Coupons that the caller can mint; at most 1000"`
}

func (a *API) listAppRewardCoupons(
	ctx context.Context, _ endpoint.NoRequest,
) (ListAppRewardCouponsResponse, error) {
	coupons, err := listContractsIf(ctx, a, "listAppRewardCoupons", func(w validator.Owner, c coin.AppRewardCoupon) bool {
		return c.Beneficiary == nil && c.Provider == w.Party || c.Beneficiary != nil && *c.Beneficiary == w.Party
	})
	return ListAppRewardCouponsResponse{coupons}, err
}

// ListValidatorRewardCouponsResponse has the rewards for the coin that users burned.
type ListValidatorRewardCouponsResponse struct {
	Coupons []v0.Contract `json:"validator_reward_coupons" required:"true" doc:"Coupons of the users for whom the caller mints"`
}

// listValidatorRewardCoupons lists the coupons of the users who gave the caller a ValidatorRight.
func (a *API) listValidatorRewardCoupons(
	ctx context.Context, _ endpoint.NoRequest,
) (response ListValidatorRewardCouponsResponse, err error) {
	w, err := a.Caller(ctx, "listValidatorRewardCoupons")
	if err != nil {
		return response, err
	}
	var shown []v0.Contract
	var failed error
	err = validator.EachActive(ctx, a.Base, w.Party, func(right validator.Contract[coin.ValidatorRight]) bool {
		if right.Payload.Validator != w.Party {
			return true
		}
		user := right.Payload.User
		failed = validator.EachActive(ctx, a.Base, user, func(c validator.Contract[coin.ValidatorRewardCoupon]) bool {
			if c.Payload.User != user {
				return true
			}
			one, err := v0.ToAPIContract(a.Packages, c.Contract)
			shown, failed = append(shown, one), err
			return err == nil && len(shown) < validator.MaxContracts
		})
		return failed == nil && len(shown) < validator.MaxContracts
	})
	if err == nil {
		err = failed
	}
	return ListValidatorRewardCouponsResponse{shown}, err
}

// ListValidatorFaucetCouponsResponse has the rewards for running a node, in their older form.
type ListValidatorFaucetCouponsResponse struct {
	Coupons []v0.Contract `json:"validator_faucet_coupons" required:"true" doc:"The caller's coupons; at most 1000"`
}

func (a *API) listValidatorFaucetCoupons(
	ctx context.Context, _ endpoint.NoRequest,
) (ListValidatorFaucetCouponsResponse, error) {
	coupons, err := listContractsIf(ctx, a, "listValidatorFaucetCoupons",
		func(w validator.Owner, c coin.ValidatorFaucetCoupon) bool {
			return c.Validator == w.Party
		})
	return ListValidatorFaucetCouponsResponse{coupons}, err
}

// ListValidatorLivenessActivityRecordsResponse has the rewards for running a node.
type ListValidatorLivenessActivityRecordsResponse struct {
	Records []v0.Contract `json:"validator_liveness_activity_records" required:"true" doc:"The caller's records; at most 1000"`
}

func (a *API) listValidatorLivenessActivityRecords(
	ctx context.Context, _ endpoint.NoRequest,
) (ListValidatorLivenessActivityRecordsResponse, error) {
	records, err := listContractsIf(ctx, a, "listValidatorLivenessActivityRecords",
		func(w validator.Owner, c coin.ValidatorLivenessActivityRecord) bool { return c.Validator == w.Party })
	return ListValidatorLivenessActivityRecordsResponse{records}, err
}

// ListSvRewardCouponsResponse has the rewards of super validators.
type ListSvRewardCouponsResponse struct {
	Coupons []v0.Contract `json:"sv_reward_coupons" required:"true" doc:"Coupons that the caller can mint; at most 1000"`
}

func (a *API) listSvRewardCoupons(ctx context.Context, _ endpoint.NoRequest) (ListSvRewardCouponsResponse, error) {
	coupons, err := listContractsIf(ctx, a, "listSvRewardCoupons", func(w validator.Owner, c coin.SvRewardCoupon) bool {
		return c.Beneficiary == w.Party
	})
	return ListSvRewardCouponsResponse{coupons}, err
}
