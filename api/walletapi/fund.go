package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AllocateDevelopmentFundCouponRequest gives coin of the development fund to a beneficiary, who can mint it.
type AllocateDevelopmentFundCouponRequest struct {
	endpoint.Strict

	Beneficiary string `json:"beneficiary" required:"true" doc:"Party that can mint the coin"`
	Amount      string `json:"amount" required:"true" doc:"In coin"`
	ExpiresAt   int64  `json:"expiresAt" required:"true" doc:"Deadline to mint; microseconds since 1970"`
	Reason      string `json:"reason" required:"true" doc:"Purpose of the coupon"`
}

// AllocateDevelopmentFundCouponResponse has the coupon, and the rest of the fund's coupons that it used.
type AllocateDevelopmentFundCouponResponse struct {
	ContractID ledger.ContractID  `json:"development_fund_coupon_contract_id" required:"true" doc:"The coupon"`
	LeftoverID *ledger.ContractID `json:"unclaimed_development_fund_coupon_contract_id" doc:"The rest, if any"`
}

type allocateDevelopmentFundCouponRequest struct {
	Body AllocateDevelopmentFundCouponRequest `body:"json"`
}

// allocateDevelopmentFundCoupon acts as the caller, who must be the fund's manager in the rules of the coin.
func (a *API) allocateDevelopmentFundCoupon(
	ctx context.Context, req allocateDevelopmentFundCouponRequest,
) (response AllocateDevelopmentFundCouponResponse, err error) {
	w, err := a.Caller(ctx, "allocateDevelopmentFundCoupon")
	if err != nil {
		return response, err
	}
	var read fields
	argument := coin.AmuletRulesAllocateDevelopmentFundCoupon{
		Beneficiary: read.party("beneficiary", req.Body.Beneficiary), Amount: read.amount("amount", req.Body.Amount),
		ExpiresAt: read.time("expiresAt", req.Body.ExpiresAt), Reason: req.Body.Reason, FundManager: w.Party,
	}
	if read.err != nil {
		return response, read.err
	}
	n, err := a.Network(ctx)
	if err != nil {
		return response, err
	}
	if argument.UnclaimedDevelopmentFundCouponCids, err = a.findUnclaimedCoupons(ctx, argument.Amount); err != nil {
		return response, err
	}
	allocated, err := actAs[coin.AmuletRules, coin.AmuletRulesAllocateDevelopmentFundCouponResult](a, w, n.Rules.ID,
		"AmuletRules_AllocateDevelopmentFundCoupon", argument, validator.DeadlineOf("expiresAt", argument.ExpiresAt.Time()))
	if err != nil {
		return response, err
	}
	result, err := allocated.Submit(ctx, a.Base)
	response.ContractID = result.DevelopmentFundCouponCid.ID()
	if result.LeftoverCid != nil {
		id := result.LeftoverCid.ID()
		response.LeftoverID = &id
	}
	return response, err
}

// findUnclaimedCoupons finds the oldest coupons of the fund that cover an amount, or all of them.
func (a *API) findUnclaimedCoupons(
	ctx context.Context, amount decimal.Decimal,
) (ids []lf.CID[coin.UnclaimedDevelopmentFundCoupon], err error) {
	var sum decimal.Decimal
	var overflow error
	visit := func(c validator.Contract[coin.UnclaimedDevelopmentFundCoupon]) bool {
		ids = append(ids, lf.CID[coin.UnclaimedDevelopmentFundCoupon](c.ID))
		sum, overflow = sum.Add(c.Payload.Amount)
		return overflow == nil && sum.Cmp(amount) < 0
	}
	err = validator.EachActive(ctx, a.Base, a.Node.DSO, visit)
	return ids, err
}

// actAs composes a choice in the name of the wallet's party, on a contract that the party or the DSO sees. Its result
// is the answer.
func actAs[T, R, A any](
	a *API, w validator.Owner, id ledger.ContractID, choice string, argument A, deadlines ...validator.Deadline,
) (validator.Composed[R], error) {
	command, err := validator.Exercise[T](a.Base, id, choice, argument)
	return validator.ComposedOf[R](a.Base, w, validator.Change{
		ActAs: []ledger.Party{w.Party}, ReadAs: []ledger.Party{a.Node.DSO}, Commands: []ledger.Command{command},
		Deadlines: deadlines,
	}), err
}

// ListActiveDevelopmentFundCouponsResponse has the active coupons.
type ListActiveDevelopmentFundCouponsResponse struct {
	Coupons []v0.Contract `json:"active_development_fund_coupons" required:"true" doc:"Coupons from or for the caller"`
}

func (a *API) listActiveDevelopmentFundCoupons(
	ctx context.Context, _ endpoint.NoRequest,
) (ListActiveDevelopmentFundCouponsResponse, error) {
	coupons, err := listContracts[coin.DevelopmentFundCoupon](ctx, a, "listActiveDevelopmentFundCoupons")
	return ListActiveDevelopmentFundCouponsResponse{coupons}, err
}

// WithdrawDevelopmentFundCouponRequest has the reason for the withdrawal.
type WithdrawDevelopmentFundCouponRequest struct {
	endpoint.Strict

	Reason string `json:"reason" required:"true" doc:"Reason for the withdrawal"`
}

// WithdrawDevelopmentFundCouponResponse has the new coupon of the fund.
type WithdrawDevelopmentFundCouponResponse struct {
	ContractID ledger.ContractID `json:"unclaimed_development_fund_coupon_contract_id" required:"true" doc:"The coupon of the fund"`
}

type withdrawDevelopmentFundCouponRequest struct {
	ID   string                               `path:"contract_id" doc:"The coupon"`
	Body WithdrawDevelopmentFundCouponRequest `body:"json"`
}

func (a *API) withdrawDevelopmentFundCoupon(
	ctx context.Context, req withdrawDevelopmentFundCouponRequest,
) (none validator.Composed[WithdrawDevelopmentFundCouponResponse], err error) {
	w, err := a.Caller(ctx, "withdrawDevelopmentFundCoupon")
	if err != nil {
		return none, err
	}
	coupon, err := validator.ActiveByID[coin.DevelopmentFundCoupon](ctx, a.Base, w.Party, req.ID)
	if err != nil {
		return none, err
	}
	withdrawn, err := actAs[coin.DevelopmentFundCoupon, coin.DevelopmentFundCouponWithdrawResult](a, w, coupon.ID,
		"DevelopmentFundCoupon_Withdraw", coin.DevelopmentFundCouponWithdraw{Reason: req.Body.Reason})
	return validator.MapAnswer(withdrawn, func(
		result coin.DevelopmentFundCouponWithdrawResult,
	) (WithdrawDevelopmentFundCouponResponse, error) {
		return WithdrawDevelopmentFundCouponResponse{ContractID: result.UnclaimedDevelopmentFundCouponCid.ID()}, nil
	}), err
}
