package walletapi

import (
	"context"
	"encoding/json"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/tracking"
)

// TrafficRequestStatus is the status of a request to buy traffic: created, completed or failed.
type TrafficRequestStatus string

// GetBuyTrafficRequestStatusResponse is the status of a request to buy traffic. The fields depend on the status.
type GetBuyTrafficRequestStatusResponse struct {
	Status          TrafficRequestStatus `json:"status" required:"true" doc:"created, completed or failed"`
	TransactionID   *ledger.UpdateID     `json:"transaction_id" doc:"The purchase, if completed"`
	FailureReason   *tracking.Failure    `json:"failure_reason" doc:"If failed: expired or rejected"`
	RejectionReason *string              `json:"rejection_reason" doc:"Reason for the rejection"`
}

// MarshalJSON writes only the fields of the status.
func (r GetBuyTrafficRequestStatusResponse) MarshalJSON() ([]byte, error) {
	if r.FailureReason != nil {
		return json.Marshal(struct {
			Status          TrafficRequestStatus `json:"status"`
			FailureReason   *tracking.Failure    `json:"failure_reason"`
			RejectionReason *string              `json:"rejection_reason"`
		}{r.Status, r.FailureReason, r.RejectionReason})
	}
	return json.Marshal(struct {
		Status        TrafficRequestStatus `json:"status"`
		TransactionID *ledger.UpdateID     `json:"transaction_id,omitempty"`
	}{r.Status, r.TransactionID})
}

func (a *API) getBuyTrafficRequestStatus(
	ctx context.Context, req trackingRequest,
) (response GetBuyTrafficRequestStatusResponse, err error) {
	w, err := a.Caller(ctx, "getBuyTrafficRequestStatus")
	if err != nil {
		return response, err
	}
	state, known, err := a.findTracked(ctx, w, w.Party, tracking.BuyTraffic, req.TrackingID)
	if err != nil {
		return response, err
	}
	if !known {
		return response, v0.NotFound("Couldn't find buy traffic request with tracking id %s", req.TrackingID)
	}
	response.Status = TrafficRequestStatus(state.Status)
	switch state.Status {
	case tracking.Completed:
		response.TransactionID = &state.UpdateID
	case tracking.Failed:
		response.FailureReason, response.RejectionReason = &state.Failure, state.Reason
	case tracking.Created, tracking.Accepted:
	}
	return response, nil
}

// explainPurchase converts the error of a purchase to the reason in its request's status.
func explainPurchase(asked walletapp.InstallCreateBuyTrafficRequest, refusal error) error {
	found, ok := fault.As(refusal)
	if !ok {
		return refusal
	}
	request := walletapp.BuyTrafficRequest{SynchronizerID: asked.SynchronizerID, TrafficAmount: asked.TrafficAmount}
	if reason, final := lifecycle.TrafficRejection(request, found); final {
		return v0.BadRequest("%s", reason)
	}
	return refusal
}
