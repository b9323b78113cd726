package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// ListAppPaymentRequestsResponse has the payment requests to the caller.
type ListAppPaymentRequestsResponse struct {
	Requests []v0.ContractWithState `json:"payment_requests" required:"true" doc:"Oldest first; at most 1000"`
}

func (a *API) listAppPaymentRequests(
	ctx context.Context, _ endpoint.NoRequest,
) (ListAppPaymentRequestsResponse, error) {
	requests, err := listContractsIf(ctx, a, "listAppPaymentRequests",
		func(w validator.Owner, r payments.AppPaymentRequest) bool {
			return r.Sender == w.Party
		})
	return ListAppPaymentRequestsResponse{a.withState(requests)}, err
}

// withState adds the synchronizer to contracts.
func (a *API) withState(contracts []v0.Contract) []v0.ContractWithState {
	located := make([]v0.ContractWithState, len(contracts))
	for i, c := range contracts {
		located[i] = v0.ContractWithState{Contract: c, DomainID: &a.Node.SynchronizerID}
	}
	return located
}

// findPaymentRequest finds a payment request to the caller.
func (a *API) findPaymentRequest(
	ctx context.Context, w validator.Owner, id string,
) (validator.Contract[payments.AppPaymentRequest], error) {
	request, err := validator.ActiveByID[payments.AppPaymentRequest](ctx, a.Base, w.Party, id)
	if err != nil {
		return request, err
	}
	return request, w.MustBe(request.Payload.Sender, "AppPaymentRequest_Accept or _Reject")
}

func (a *API) getAppPaymentRequest(ctx context.Context, req contractRequest) (shown v0.ContractWithState, err error) {
	w, err := a.Caller(ctx, "getAppPaymentRequest")
	if err != nil {
		return shown, err
	}
	request, err := validator.ActiveByID[payments.AppPaymentRequest](ctx, a.Base, w.Party, req.ID)
	if err != nil {
		return shown, err
	}
	return v0.ToAPIContractWithState(a.Packages, request.Contract, a.Node.SynchronizerID)
}

// AcceptAppPaymentRequestResponse has the payment, which the app can collect.
type AcceptAppPaymentRequestResponse struct {
	ContractID ledger.ContractID `json:"accepted_payment_contract_id" required:"true" doc:"The payment"`
}

// acceptAppPaymentRequest locks the coin for the app to collect.
func (a *API) acceptAppPaymentRequest(
	ctx context.Context, req contractRequest,
) (validator.Composed[AcceptAppPaymentRequestResponse], error) {
	paid, err := composeAppPayment(ctx, a, "acceptAppPaymentRequest", req.ID, a.findPaymentRequest,
		func(id *lf.CID[payments.AppPaymentRequest]) walletapp.AmuletOperation {
			return walletapp.AmuletOperation{AppPayment: id}
		})
	return validator.MapAnswer(paid, func(
		outcome walletapp.AmuletOperationOutcome,
	) (AcceptAppPaymentRequestResponse, error) {
		accepted, err := outcomeOf(outcome.AcceptedAppPayment)
		return AcceptAppPaymentRequestResponse{ContractID: accepted.ID()}, err
	}), err
}

// composeAppPayment composes an operation that pays a request with any coin of the caller. find finds the request.
func composeAppPayment[T any](
	ctx context.Context, a *API, endpointName, id string,
	find func(context.Context, validator.Owner, string) (validator.Contract[T], error),
	operation func(*lf.CID[T]) walletapp.AmuletOperation,
) (none validator.Composed[walletapp.AmuletOperationOutcome], err error) {
	w, err := a.Caller(ctx, endpointName)
	if err != nil {
		return none, err
	}
	return a.composeOperation(ctx, w, "",
		func(_ plan.Network, v plan.View) (none walletapp.AmuletOperation, _ []coin.TransferInput, err error) {
			request, err := find(ctx, w, id)
			if err != nil {
				return none, nil, err
			}
			requestID := lf.CID[T](request.ID)
			inputs, err := plan.Inputs(v, w.Party)
			return operation(&requestID), inputs, err
		}), nil
}

func (a *API) rejectAppPaymentRequest(ctx context.Context, req contractRequest) (none emptyAnswer, err error) {
	w, err := a.Caller(ctx, "rejectAppPaymentRequest")
	if err != nil {
		return none, err
	}
	request, err := a.findPaymentRequest(ctx, w, req.ID)
	if err != nil {
		return none, err
	}
	return withEmptyAnswer(composeChoice[walletapp.InstallAppPaymentRequestRejectResult](a, w,
		"WalletAppInstall_AppPaymentRequest_Reject",
		walletapp.InstallAppPaymentRequestReject{CID: lf.CID[payments.AppPaymentRequest](request.ID)}))
}

// ListAcceptedAppPaymentsResponse has the payments that apps have not collected.
type ListAcceptedAppPaymentsResponse struct {
	Payments []v0.ContractWithState `json:"accepted_app_payments" required:"true" doc:"Oldest first; at most 1000"`
}

func (a *API) listAcceptedAppPayments(
	ctx context.Context, _ endpoint.NoRequest,
) (ListAcceptedAppPaymentsResponse, error) {
	accepted, err := listContractsIf(ctx, a, "listAcceptedAppPayments",
		func(w validator.Owner, p payments.AcceptedAppPayment) bool {
			return p.Sender == w.Party
		})
	return ListAcceptedAppPaymentsResponse{a.withState(accepted)}, err
}
