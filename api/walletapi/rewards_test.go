package walletapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

func TestCoupons_ListsRewards(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	dso, alice, one := b.Node.DSO, b.alice.Party, decimal.MustParse("1")
	operator := b.OperatorWallet()
	app := apitest.Create(b.Server, coin.AppRewardCoupon{DSO: dso, Provider: alice, Amount: one}, dso)
	shared := apitest.Create(b.Server,
		coin.AppRewardCoupon{DSO: dso, Provider: alice, Amount: one, Beneficiary: &b.bob.Party}, dso)
	burned := apitest.Create(b.Server, coin.ValidatorRewardCoupon{DSO: dso, User: alice, Amount: one}, dso)
	faucet := apitest.Create(b.Server, coin.ValidatorFaucetCoupon{DSO: dso, Validator: alice}, dso, alice)
	alive := apitest.Create(b.Server, coin.ValidatorLivenessActivityRecord{DSO: dso, Validator: alice}, dso, alice)
	sv := apitest.Create(b.Server, coin.SvRewardCoupon{DSO: dso, SV: b.carol.Party, Beneficiary: alice, Weight: 1}, dso)
	for _, expected := range []struct {
		w         *apitest.Wallet
		path, key string
		ids       []string
	}{
		{b.alice, "app-reward-coupons", "app_reward_coupons", []string{string(app)}},
		{b.bob, "app-reward-coupons", "app_reward_coupons", []string{string(shared)}},
		{operator, "validator-reward-coupons", "validator_reward_coupons", []string{string(burned)}},
		{b.alice, "validator-reward-coupons", "validator_reward_coupons", []string{}},
		{b.alice, "validator-faucet-coupons", "validator_faucet_coupons", []string{string(faucet)}},
		{
			b.alice, "validator-liveness-activity-records", "validator_liveness_activity_records",
			[]string{string(alive)},
		},
		{b.alice, "sv-reward-coupons", "sv_reward_coupons", []string{string(sv)}},
		{b.carol, "sv-reward-coupons", "sv_reward_coupons", []string{}},
	} {
		require.Equal(t, expected.ids, b.offers(expected.w, "/v0/wallet/"+expected.path, expected.key), expected.path)
	}
}

func TestDevelopmentFund_WithdrawsAndLists(t *testing.T) {
	t.Parallel()
	const path = "/v0/wallet/development-fund-coupons"
	b := newBank(t, apitest.Options{})
	fails(t, b.post(b.alice, path+"/allocate", map[string]any{
		"beneficiary": b.bob.Party, "amount": "1", "expiresAt": micros(time.Hour), "reason": "work",
	}), http.StatusBadRequest, "DAML_FAILURE")
	withdrawn, claimed := b.FundCoupon(b.bob.Party, b.alice.Party), b.FundCoupon(b.bob.Party, b.alice.Party)
	for _, w := range []*apitest.Wallet{b.alice, b.bob} {
		require.Equal(t, []string{withdrawn, claimed}, b.offers(w, path, "active_development_fund_coupons"))
	}
	require.Empty(t, b.offers(b.carol, path, "active_development_fund_coupons"))
	why := map[string]any{"reason": "an error"}
	fails(t, b.post(b.bob, path+"/"+withdrawn+"/withdraw", why), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	var unclaimed struct {
		ID string `json:"unclaimed_development_fund_coupon_contract_id"`
	}
	b.post(b.alice, path+"/"+withdrawn+"/withdraw", why).OK(&unclaimed)
	require.NotEmpty(t, unclaimed.ID)
	rejected := b.FundCoupon(b.bob.Party, b.alice.Party)
	apitest.Exercise[coin.DevelopmentFundCouponRejectResult](b.Server, cidOf[coin.DevelopmentFundCoupon](rejected),
		"DevelopmentFundCoupon_Reject", coin.DevelopmentFundCouponReject{Reason: "no"}, b.bob.Party)

	type page struct {
		History []struct {
			Status string  `json:"status"`
			Amount string  `json:"amount"`
			Reason *string `json:"rejection_or_withdrawal_reason"`
		} `json:"development_fund_coupon_history"`
		Next *int64 `json:"next_page_token"`
	}
	var first, second page
	b.get(b.alice, path+"/history?limit=1").OK(&first)
	require.Len(t, first.History, 1)
	require.Equal(t, "rejected", first.History[0].Status)
	require.Equal(t, "no", *first.History[0].Reason)
	b.get(b.alice, fmt.Sprintf("%s/history?limit=10&after=%d", path, *first.Next)).OK(&second)
	require.Len(t, second.History, 1)
	require.Nil(t, second.Next)
	require.Equal(t, "withdrawn", second.History[0].Status)
	require.Equal(t, "an error", *second.History[0].Reason)
	require.Equal(t, "10.0000000000", second.History[0].Amount)
	fails(t, b.get(b.alice, path+"/history"), http.StatusBadRequest, "missing required query parameter 'limit'")
	fails(t, b.get(b.alice, path+"/history?limit=0"), http.StatusBadRequest, "Limit must be at least 1.")
	b.get(b.carol, path+"/history?limit=10").OK(&first)
	require.Empty(t, first.History)
}

func TestMintingDelegation_ListsAcceptsAndRejects(t *testing.T) {
	t.Parallel()
	const proposals, delegations = "/v0/wallet/minting-delegation-proposals", "/v0/wallet/minting-delegations"
	b := newBank(t, apitest.Options{})
	propose := func() string {
		return string(apitest.Create(b.Server, walletapp.MintingDelegationProposal{
			Delegation: b.Delegation(b.bob.Party, b.alice.Party),
		}, b.bob.Party))
	}
	type page struct {
		Proposals, Delegations []struct {
			Contract listedContract
			Hosted   bool `json:"beneficiary_hosted"`
		}
		Next *int64 `json:"next_page_token"`
	}
	ids := []string{propose(), propose(), propose()}
	var got page
	b.get(b.alice, proposals+"?limit=2").OK(&got)
	require.Len(t, got.Proposals, 2)
	require.True(t, got.Proposals[0].Hosted)
	require.Equal(t, ids[0], got.Proposals[0].Contract.ContractID)
	var rest page
	b.get(b.alice, fmt.Sprintf("%s?after=%d", proposals, *got.Next)).OK(&rest)
	require.Len(t, rest.Proposals, 1)
	require.Nil(t, rest.Next)
	require.Equal(t, ids[2], rest.Proposals[0].Contract.ContractID)
	b.get(b.bob, proposals).OK(&rest)
	require.Empty(t, rest.Proposals, "Bob is the beneficiary")
	fails(t, b.get(b.alice, proposals+"?limit=1001"), http.StatusBadRequest, "Exceeded limit maximum (1001 > 1000).")

	fails(t, b.post(b.bob, proposals+"/"+ids[0]+"/accept", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	fails(t, b.post(b.bob, proposals+"/"+ids[0]+"/reject", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	var accepted struct {
		ID string `json:"contract_id"`
	}
	b.post(b.alice, proposals+"/"+ids[0]+"/accept", nil).OK(&accepted)
	first := accepted.ID
	b.post(b.alice, proposals+"/"+ids[1]+"/accept", nil).OK(&accepted)
	require.NotEqual(t, first, accepted.ID)
	b.post(b.alice, proposals+"/"+ids[2]+"/reject", nil).OK(nil)
	b.get(b.alice, delegations).OK(&rest)
	require.Len(t, rest.Delegations, 1, "the second took the place of the first")
	require.Equal(t, accepted.ID, rest.Delegations[0].Contract.ContractID)

	late := b.Delegation(b.bob.Party, b.alice.Party)
	late.ExpiresAt = lf.TimestampOf(time.Now().Add(-time.Second))
	expired := string(apitest.Create(b.Server, walletapp.MintingDelegationProposal{Delegation: late}, b.bob.Party))
	fails(t, b.post(b.alice, proposals+"/"+expired+"/accept", nil), http.StatusConflict, " expired at "+
		late.ExpiresAt.String()+", so nothing could be minted with it. Ask "+string(b.bob.Party)+" for a proposal")
	b.get(b.alice, delegations).OK(&rest)
	require.Equal(t, accepted.ID, rest.Delegations[0].Contract.ContractID, "the delegation that there is still counts")
	b.post(b.alice, proposals+"/"+expired+"/reject", nil).OK(nil)

	fails(t, b.post(b.bob, delegations+"/"+accepted.ID+"/reject", nil), http.StatusBadRequest,
		"DAML_AUTHORIZATION_ERROR")
	b.post(b.alice, delegations+"/"+accepted.ID+"/reject", nil).OK(nil)
	fails(t, b.post(b.alice, delegations+"/"+accepted.ID+"/reject", nil), http.StatusNotFound, "Contract id not found")
}
