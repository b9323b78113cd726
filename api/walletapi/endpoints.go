package walletapi

import (
	"net/http"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
)

// The tags of operations in the API document.
const (
	tagWallet   = "Wallet"
	tagOffers   = "Wallet: transfer offers"
	tagToken    = "Wallet: token standard" //nolint:gosec // no credential
	tagPayments = "Wallet: payments to apps"
	tagRewards  = "Wallet: rewards"
)

// group makes the descriptions of related endpoints. The operation ids are upstream's. The endpoints check the caller's
// wallet and rights themselves, because upstream's order of checks requires it.
type group struct {
	api        *API
	tag        string
	deprecated bool
}

func (g group) info(method, path, operationID, summary string) endpoint.Info {
	return endpoint.Info{
		Method: method, Path: path, OperationID: operationID, Tag: g.tag, Access: endpoint.Public, Summary: summary,
		Deprecated: g.deprecated,
	}
}

// change describes an endpoint that changes something for the owner of a wallet.
func (g group) change(method, path, operationID, summary string) endpoint.Info {
	info := g.info(method, path, operationID, summary)
	info.Authorize = g.api.OwnersOnly(operationID)
	return info
}

func (g group) get(path, operationID, summary string) endpoint.Info {
	return g.info(http.MethodGet, path, operationID, summary)
}

func (g group) post(path, operationID, summary string) endpoint.Info {
	return g.change(http.MethodPost, path, operationID, summary)
}

func (g group) delete(path, operationID, summary string) endpoint.Info {
	return g.change(http.MethodDelete, path, operationID, summary)
}

// read describes a POST that changes nothing.
func (g group) read(path, operationID, summary string) endpoint.Info {
	info := g.info(http.MethodPost, path, operationID, summary)
	info.Reads = true
	return info
}

func deprecate(info endpoint.Info) endpoint.Info {
	info.Deprecated = true
	return info
}

// withConflictBody sets the body type of conflicts.
func withConflictBody(conflict any, info endpoint.Info) endpoint.Info {
	info.Refusals = map[int]any{http.StatusConflict: conflict}
	return info
}

// Wallet lists the endpoints of wallet users, for any token: each endpoint checks whether the caller has a wallet.
func (a *API) Wallet() []endpoint.Endpoint {
	return slices.Concat(
		a.walletEndpoints(),
		a.offerEndpoints(),
		a.tokenEndpoints(),
		a.paymentEndpoints(),
		a.rewardEndpoints(),
	)
}

// Validator lists the endpoints for any token, with or without a wallet.
func (a *API) Validator() []endpoint.Endpoint { return a.onboarding.Registration() }

// Operator lists the operator's endpoints.
func (a *API) Operator() []endpoint.Endpoint {
	return slices.Concat(a.onboarding.Endpoints(), a.admin.Endpoints(), a.external.Endpoints())
}

func (a *API) walletEndpoints() []endpoint.Endpoint {
	g := group{api: a, tag: tagWallet}
	return []endpoint.Endpoint{
		endpoint.New(g.get("/v0/wallet/balance", "getBalance", "Get the balance of the caller's wallet."), a.balance),
		endpoint.New(g.get("/v0/wallet/coins", "listCoins", "List the coins of the caller's wallet."), a.listHoldings),
		endpoint.New(g.get("/v0/wallet/amulets", "list", "List the coins of the caller's wallet (upstream's path)."),
			a.listHoldings),
		endpoint.New(g.read("/v0/wallet/transactions", "listTransactions", "Get a page of the wallet's history."),
			a.listTransactions),
		endpoint.New(g.get("/v0/wallet/user-status", "userStatus", "Get the status of the caller's wallet."),
			a.userStatus),
		endpoint.New(g.get("/v0/wallet/overview", "getWalletOverview",
			"Get the status of the caller's wallet and several of its lists at once."), a.overview),
		endpoint.New(g.get("/v0/feature-support", "featureSupport", "Get the features of the network's contracts."),
			a.featureSupport),
		endpoint.New(g.post("/v0/wallet/tap", "tap", "Get test coin (development networks only)."), a.tap),
		endpoint.New(g.post("/v0/wallet/self-grant-feature-app-right", "selfGrantFeatureAppRight",
			"Make the caller a featured app (development networks only)."), a.selfGrantFeaturedAppRight),
		endpoint.New(g.delete("/v0/wallet/cancel-featured-app-rights", "cancelFeaturedAppRights",
			"Cancel the caller's featured app rights."), a.cancelFeaturedAppRights),
		validator.Endpoint(a.Base, withConflictBody(TransferPreapprovalConflict{}, g.post("/v0/wallet/transfer-preapproval",
			"createTransferPreapproval", "Turn on automatic receiving for 90 days; the operator renews it.")),
			a.createTransferPreapproval),
		endpoint.New(g.get("/v0/wallet/transfer-preapproval", "getTransferPreapproval",
			"Get the caller's preapproval."), a.ownPreapproval),
		endpoint.New(g.delete("/v0/wallet/transfer-preapproval", "cancelTransferPreapproval",
			"Turn off automatic receiving. The fee of the preapproval is not refunded."), a.cancelOwnPreapproval),
		validator.Endpoint(a.Base, g.post("/v0/wallet/transfer-preapproval/send", "transferPreapprovalSend",
			"Send coin to a receiver with a preapproval."), a.transferPreapprovalSend),
	}
}

func (a *API) offerEndpoints() []endpoint.Endpoint {
	const offers = "/v0/wallet/transfer-offers"
	g := group{api: a, tag: tagOffers}
	return []endpoint.Endpoint{
		validator.Endpoint(a.Base, deprecate(g.post(offers, "createTransferOffer", "Offer coin to a receiver.")),
			a.createTransferOffer),
		endpoint.New(g.get(offers, "listTransferOffers", "List the open offers to and from the caller."),
			a.listTransferOffers),
		endpoint.New(g.read(offers+"/{tracking_id}/status", "getTransferOfferStatus",
			"Get the status of an offer by its tracking id."), a.transferOfferStatus),
		validator.Endpoint(a.Base, g.post(offers+"/{contract_id}/accept", "acceptTransferOffer", "Accept an offer."),
			a.acceptTransferOffer),
		validator.Endpoint(a.Base, g.post(offers+"/{contract_id}/reject", "rejectTransferOffer", "Decline an offer."),
			a.rejectTransferOffer),
		validator.Endpoint(a.Base, g.post(offers+"/{contract_id}/withdraw", "withdrawTransferOffer", "Withdraw an offer."),
			a.withdrawTransferOffer),
		validator.Endpoint(a.Base, g.post(offers+"/accept", "acceptTransferOfferByBody",
			"Accept the offer with the id in the body."),
			answerByBody(a.acceptTransferOffer)),
		validator.Endpoint(a.Base, g.post(offers+"/reject", "rejectTransferOfferByBody",
			"Decline the offer with the id in the body."),
			answerByBody(a.rejectTransferOffer)),
		validator.Endpoint(a.Base, g.post(offers+"/withdraw", "withdrawTransferOfferByBody",
			"Withdraw the offer with the id in the body."),
			answerByBody(a.withdrawTransferOffer)),
		endpoint.New(g.get("/v0/wallet/accepted-transfer-offers", "listAcceptedTransferOffers",
			"List the accepted offers that are not completed."), a.listAcceptedTransferOffers),
	}
}

func (a *API) tokenEndpoints() []endpoint.Endpoint {
	const (
		transfers = "/v0/wallet/token-standard/transfers"
		requests  = "/v0/wallet/token-standard/allocation-requests"
	)
	g := group{api: a, tag: tagToken}
	return []endpoint.Endpoint{
		endpoint.New(g.get("/v0/wallet/token-standard/holdings", "listTokenHoldings",
			"List the caller's holdings and balances of tokens of uploaded packages, as their code claims them."),
			a.instruments.ListHoldings),
		endpoint.New(g.get("/v0/wallet/token-standard/history", "listTokenHistory",
			"Get a page of the history of tokens of uploaded packages, as their code claims it."),
			a.instruments.ListHistory),
		validator.Endpoint(a.Base, g.post(transfers, "createTokenStandardTransfer", "Transfer coin by the token standard."),
			a.createTokenStandardTransfer),
		endpoint.New(g.get(transfers, "listTokenStandardTransfers", "List the pending transfers."),
			a.listTokenStandardTransfers),
		validator.Endpoint(a.Base, g.post(transfers+"/{contract_id}/accept", "acceptTokenStandardTransfer",
			"Accept a transfer."),
			a.acceptTokenStandardTransfer),
		validator.Endpoint(a.Base, g.post(transfers+"/{contract_id}/reject", "rejectTokenStandardTransfer",
			"Decline a transfer."),
			a.rejectTokenStandardTransfer),
		validator.Endpoint(a.Base, g.post(transfers+"/{contract_id}/withdraw", "withdrawTokenStandardTransfer",
			"Withdraw a transfer."),
			a.withdrawTokenStandardTransfer),
		endpoint.New(g.get(requests, "listAllocationRequests", "List the requests to set coin aside."),
			a.listAllocationRequests),
		validator.Endpoint(a.Base, g.post(requests+"/{contract_id}/reject", "rejectAllocationRequest",
			"Decline to set coin aside."),
			a.rejectAllocationRequest),
		endpoint.New(g.post("/v0/allocations", "allocateAmulet", "Set coin aside for a settlement."), a.allocateAmulet),
		endpoint.New(g.get("/v0/allocations", "listAmuletAllocations", "List the caller's allocations."),
			a.listAllocations),
		validator.Endpoint(a.Base, g.post("/v0/allocations/{contract_id}/withdraw", "withdrawAmuletAllocation",
			"Withdraw an allocation."), a.withdrawAllocation),
	}
}

func (a *API) paymentEndpoints() []endpoint.Endpoint {
	const (
		requests      = "/v0/wallet/app-payment-requests"
		subscriptions = "/v0/wallet/subscription-requests"
	)
	g := group{api: a, tag: tagPayments, deprecated: true}
	return []endpoint.Endpoint{
		endpoint.New(g.get(requests, "listAppPaymentRequests", "List the payment requests of apps."),
			a.listAppPaymentRequests),
		endpoint.New(g.get(requests+"/{contract_id}", "getAppPaymentRequest", "Get a payment request of an app."),
			a.getAppPaymentRequest),
		validator.Endpoint(a.Base, g.post(requests+"/{contract_id}/accept", "acceptAppPaymentRequest", "Pay an app."),
			a.acceptAppPaymentRequest),
		validator.Endpoint(a.Base, g.post(requests+"/{contract_id}/reject", "rejectAppPaymentRequest",
			"Reject the payment request of an app."),
			a.rejectAppPaymentRequest),
		endpoint.New(g.get("/v0/wallet/accepted-app-payments", "listAcceptedAppPayments",
			"List payments that apps have not collected."), a.listAcceptedAppPayments),
		endpoint.New(g.get(subscriptions, "listSubscriptionRequests", "List the subscription requests of apps."),
			a.listSubscriptionRequests),
		endpoint.New(g.get(subscriptions+"/{contract_id}", "getSubscriptionRequest",
			"Get a subscription request of an app."), a.getSubscriptionRequest),
		validator.Endpoint(a.Base, g.post(subscriptions+"/{contract_id}/accept", "acceptSubscriptionRequest",
			"Subscribe, and make the first payment."), a.acceptSubscriptionRequest),
		validator.Endpoint(a.Base, g.post(subscriptions+"/{contract_id}/reject", "rejectSubscriptionRequest",
			"Reject a subscription request."), a.rejectSubscriptionRequest),
		validator.Endpoint(a.Base, g.delete(subscriptions+"/{contract_id}", "cancelSubscriptionRequest",
			"Cancel a subscription by the contract id of its idle state."), a.cancelSubscription),
		endpoint.New(g.get("/v0/wallet/subscription-initial-payments", "listSubscriptionInitialPayments",
			"List first payments that apps have not collected."), a.listSubscriptionInitialPayments),
		endpoint.New(g.get("/v0/wallet/subscriptions", "listSubscriptions", "List the caller's subscriptions."),
			a.listSubscriptions),
	}
}

func (a *API) rewardEndpoints() []endpoint.Endpoint {
	const (
		fund      = "/v0/wallet/development-fund-coupons"
		proposals = "/v0/wallet/minting-delegation-proposals"
		minting   = "/v0/wallet/minting-delegations"
	)
	g := group{api: a, tag: tagRewards}
	return []endpoint.Endpoint{
		endpoint.New(g.get("/v0/wallet/app-reward-coupons", "listAppRewardCoupons", "List rewards for use of an app."),
			a.listAppRewardCoupons),
		endpoint.New(g.get("/v0/wallet/validator-reward-coupons", "listValidatorRewardCoupons",
			"List rewards for coin that users burned."), a.listValidatorRewardCoupons),
		endpoint.New(g.get("/v0/wallet/validator-faucet-coupons", "listValidatorFaucetCoupons",
			"List faucet coupons, the older rewards for running a node."), a.listValidatorFaucetCoupons),
		endpoint.New(g.get("/v0/wallet/validator-liveness-activity-records", "listValidatorLivenessActivityRecords",
			"List rewards for running a node."), a.listValidatorLivenessActivityRecords),
		endpoint.New(g.get("/v0/wallet/sv-reward-coupons", "listSvRewardCoupons", "List rewards of super validators."),
			a.listSvRewardCoupons),
		endpoint.New(g.post(fund+"/allocate", "allocateDevelopmentFundCoupon",
			"Allocate coin of the development fund to a beneficiary."), a.allocateDevelopmentFundCoupon),
		endpoint.New(g.get(fund, "listActiveDevelopmentFundCoupons", "List the coupons of the development fund."),
			a.listActiveDevelopmentFundCoupons),
		endpoint.New(g.get(fund+"/history", "listDevelopmentFundCouponHistory",
			"List the ended coupons of the development fund."), a.listDevelopmentFundCouponHistory),
		validator.Endpoint(a.Base, g.post(fund+"/{contract_id}/withdraw", "withdrawDevelopmentFundCoupon",
			"Withdraw a coupon of the development fund."), a.withdrawDevelopmentFundCoupon),
		endpoint.New(g.get(proposals, "listMintingDelegationProposals", "List the proposals to mint others' rewards."),
			a.listMintingDelegationProposals),
		validator.Endpoint(a.Base, g.post(proposals+"/{contract_id}/accept", "acceptMintingDelegationProposal",
			"Agree to mint a beneficiary's rewards."), a.acceptMintingDelegationProposal),
		validator.Endpoint(a.Base, g.post(proposals+"/{contract_id}/reject", "rejectMintingDelegationProposal",
			"Decline to mint a beneficiary's rewards."), a.rejectMintingDelegationProposal),
		endpoint.New(g.get(minting, "listMintingDelegations", "List the minting delegations to the caller."),
			a.listMintingDelegations),
		validator.Endpoint(a.Base, g.post(minting+"/{contract_id}/reject", "rejectMintingDelegation",
			"Stop minting a beneficiary's rewards."), a.rejectMintingDelegation),
	}
}
