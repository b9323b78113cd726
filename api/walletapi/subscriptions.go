package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// ListSubscriptionRequestsResponse has the subscription requests to the caller.
type ListSubscriptionRequestsResponse struct {
	Requests []v0.Contract `json:"subscription_requests" required:"true" doc:"Oldest first; at most 1000"`
}

func (a *API) listSubscriptionRequests(
	ctx context.Context, _ endpoint.NoRequest,
) (ListSubscriptionRequestsResponse, error) {
	requests, err := listContractsIf(ctx, a, "listSubscriptionRequests",
		func(w validator.Owner, r payments.SubscriptionRequest) bool {
			return r.SubscriptionData.Sender == w.Party
		})
	return ListSubscriptionRequestsResponse{requests}, err
}

func (a *API) getSubscriptionRequest(ctx context.Context, req contractRequest) (shown v0.Contract, err error) {
	w, err := a.Caller(ctx, "getSubscriptionRequest")
	if err != nil {
		return shown, err
	}
	request, err := validator.ActiveByID[payments.SubscriptionRequest](ctx, a.Base, w.Party, req.ID)
	if err != nil {
		return shown, err
	}
	return v0.ToAPIContract(a.Packages, request.Contract)
}

// findSubscriptionRequest finds a subscription request to the caller.
func (a *API) findSubscriptionRequest(
	ctx context.Context, w validator.Owner, id string,
) (validator.Contract[payments.SubscriptionRequest], error) {
	request, err := validator.ActiveByID[payments.SubscriptionRequest](ctx, a.Base, w.Party, id)
	if err != nil {
		return request, err
	}
	return request, w.MustBe(request.Payload.SubscriptionData.Sender,
		"SubscriptionRequest_AcceptAndMakePayment or _Reject")
}

// AcceptSubscriptionRequestResponse has the first payment, which the app can collect.
type AcceptSubscriptionRequestResponse struct {
	ContractID ledger.ContractID `json:"initial_payment_contract_id" required:"true" doc:"The first payment"`
}

// acceptSubscriptionRequest subscribes, and locks the coin of the first payment for the app to collect.
func (a *API) acceptSubscriptionRequest(
	ctx context.Context, req contractRequest,
) (validator.Composed[AcceptSubscriptionRequestResponse], error) {
	paid, err := composeAppPayment(ctx, a, "acceptSubscriptionRequest", req.ID, a.findSubscriptionRequest,
		func(id *lf.CID[payments.SubscriptionRequest]) walletapp.AmuletOperation {
			return walletapp.AmuletOperation{Subscribe: id}
		})
	return validator.MapAnswer(paid, func(
		outcome walletapp.AmuletOperationOutcome,
	) (AcceptSubscriptionRequestResponse, error) {
		payment, err := outcomeOf(outcome.SubscriptionInitialPayment)
		return AcceptSubscriptionRequestResponse{ContractID: payment.ID()}, err
	}), err
}

func (a *API) rejectSubscriptionRequest(ctx context.Context, req contractRequest) (none emptyAnswer, err error) {
	w, err := a.Caller(ctx, "rejectSubscriptionRequest")
	if err != nil {
		return none, err
	}
	request, err := a.findSubscriptionRequest(ctx, w, req.ID)
	if err != nil {
		return none, err
	}
	return withEmptyAnswer(composeChoice[walletapp.InstallSubscriptionRequestRejectResult](a, w,
		"WalletAppInstall_SubscriptionRequest_Reject",
		walletapp.InstallSubscriptionRequestReject{CID: lf.CID[payments.SubscriptionRequest](request.ID)}))
}

// cancelSubscription cancels a subscription between two payments. The contract is its idle state, although the path
// names requests (upstream).
func (a *API) cancelSubscription(ctx context.Context, req contractRequest) (none emptyAnswer, err error) {
	w, err := a.Caller(ctx, "cancelSubscriptionRequest")
	if err != nil {
		return none, err
	}
	idle, err := validator.ActiveByID[payments.SubscriptionIdleState](ctx, a.Base, w.Party, req.ID)
	if err != nil {
		return none, err
	}
	if err := w.MustBe(idle.Payload.SubscriptionData.Sender, "SubscriptionIdleState_CancelSubscription"); err != nil {
		return none, err
	}
	return withEmptyAnswer(composeChoice[walletapp.InstallCancelSubscriptionResult](a, w,
		"WalletAppInstall_SubscriptionIdleState_CancelSubscription",
		walletapp.InstallCancelSubscription{CID: lf.CID[payments.SubscriptionIdleState](idle.ID)}))
}

// ListSubscriptionInitialPaymentsResponse has the first payments that apps have not collected.
type ListSubscriptionInitialPaymentsResponse struct {
	Payments []v0.Contract `json:"initial_payments" required:"true" doc:"Oldest first; at most 1000"`
}

func (a *API) listSubscriptionInitialPayments(
	ctx context.Context, _ endpoint.NoRequest,
) (ListSubscriptionInitialPaymentsResponse, error) {
	paid, err := listContractsIf(ctx, a, "listSubscriptionInitialPayments",
		func(w validator.Owner, p payments.SubscriptionInitialPayment) bool {
			return p.SubscriptionData.Sender == w.Party
		})
	return ListSubscriptionInitialPaymentsResponse{paid}, err
}

// ListSubscriptionsResponse has the caller's subscriptions.
type ListSubscriptionsResponse struct {
	Subscriptions []SubscriptionAndState `json:"subscriptions" required:"true" doc:"Oldest first; at most 1000"`
}

// SubscriptionAndState is a subscription and its state contract.
type SubscriptionAndState struct {
	Subscription v0.Contract       `json:"subscription" required:"true" doc:"The subscription"`
	State        SubscriptionState `json:"state" required:"true" doc:"Idle between payments, or the open payment"`
}

// SubscriptionState is the state of a subscription.
type SubscriptionState struct {
	endpoint.OneOf

	Idle    *v0.Contract `json:"idle,omitempty" doc:"The subscription waits until the next payment is due"`
	Payment *v0.Contract `json:"payment,omitempty" doc:"The payment that the app has not collected yet"`
}

func (a *API) listSubscriptions(
	ctx context.Context, _ endpoint.NoRequest,
) (response ListSubscriptionsResponse, err error) {
	w, err := a.Caller(ctx, "listSubscriptions")
	if err != nil {
		return response, err
	}
	states := map[lf.CID[payments.Subscription]]SubscriptionState{}
	idle, err := validator.Active[payments.SubscriptionIdleState](ctx, a.Base, w.Party)
	if err != nil {
		return response, err
	}
	for _, c := range idle {
		shown, err := v0.ToAPIContract(a.Packages, c.Contract)
		if err != nil {
			return response, err
		}
		states[c.Payload.Subscription] = SubscriptionState{Idle: &shown}
	}
	paid, err := validator.Active[payments.SubscriptionPayment](ctx, a.Base, w.Party)
	if err != nil {
		return response, err
	}
	for _, c := range paid {
		shown, err := v0.ToAPIContract(a.Packages, c.Contract)
		if err != nil {
			return response, err
		}
		states[c.Payload.Subscription] = SubscriptionState{Payment: &shown}
	}
	subscriptions, err := validator.Active[payments.Subscription](ctx, a.Base, w.Party)
	if err != nil {
		return response, err
	}
	for _, c := range subscriptions {
		state, known := states[lf.CID[payments.Subscription](c.ID)]
		if !known || c.Payload.SubscriptionData.Sender != w.Party {
			continue
		}
		shown, err := v0.ToAPIContract(a.Packages, c.Contract)
		if err != nil {
			return response, err
		}
		response.Subscriptions = append(response.Subscriptions, SubscriptionAndState{Subscription: shown, State: state})
	}
	return response, nil
}
