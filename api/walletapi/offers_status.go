package walletapi

import (
	"context"
	"encoding/json"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/tracking"
)

// tracked is what became of a request of the wallet's party; false when its tracking id is not known. It is read from
// what the commits themselves noted, which neither restarts nor pruning take away.
func (a *API) tracked(
	ctx context.Context, w walletUser, kind tracking.Kind, trackingID string,
) (state tracking.State, known bool, err error) {
	content, known, err := a.record.TrackedState(ctx,
		db.TrackedID{Party: w.party, Kind: string(kind), TrackingID: trackingID})
	if err != nil || !known {
		return state, false, err
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return state, false, fault.Internal(err)
	}
	return state, true, nil
}

type trackingRequest struct {
	TrackingID string `path:"tracking_id" doc:"The name that the request was given"`
}

// GetTransferOfferStatusResponse is what became of an offer. Which fields there are depends on the status.
type GetTransferOfferStatusResponse struct {
	Status        OfferStatus        `json:"status" required:"true" doc:"How far it has come"`
	TransactionID *ledger.UpdateID   `json:"transaction_id" doc:"The update that brought it there; unless it failed"`
	ContractID    *ledger.ContractID `json:"contract_id" doc:"The offer, the accepted offer, or the receiver's new coin"`

	FailureKind     *FailureKind `json:"failure_kind" doc:"Why it failed"`
	WithdrawnReason *string      `json:"withdrawn_reason" doc:"What was said of that, if it was withdrawn"`
}

// OfferStatus is how far an offer has come.
type OfferStatus string

// Names implements [endpoint.Enum].
func (OfferStatus) Names() []string { return []string{"created", "accepted", "completed", "failed"} }

// FailureKind is why an offer failed.
type FailureKind string

// Names implements [endpoint.Enum].
func (FailureKind) Names() []string { return []string{"expired", "rejected", "withdrawn"} }

// MarshalJSON writes the fields that the status has, and no others.
func (r GetTransferOfferStatusResponse) MarshalJSON() ([]byte, error) {
	if r.FailureKind != nil {
		return json.Marshal(struct {
			Status          OfferStatus  `json:"status"`
			FailureKind     *FailureKind `json:"failure_kind"`
			WithdrawnReason *string      `json:"withdrawn_reason"`
		}{r.Status, r.FailureKind, r.WithdrawnReason})
	}
	return json.Marshal(struct {
		Status        OfferStatus        `json:"status"`
		TransactionID *ledger.UpdateID   `json:"transaction_id"`
		ContractID    *ledger.ContractID `json:"contract_id"`
	}{r.Status, r.TransactionID, r.ContractID})
}

func (a *API) transferOfferStatus(
	ctx context.Context, req trackingRequest,
) (response GetTransferOfferStatusResponse, err error) {
	w, err := a.caller(ctx, "getTransferOfferStatus")
	if err != nil {
		return response, err
	}
	state, known, err := a.tracked(ctx, w, tracking.TransferOffer, req.TrackingID)
	if err != nil {
		return response, err
	}
	if !known {
		return response, v0.NotFound("Couldn't find transfer offer with tracking id %s", req.TrackingID)
	}
	response.Status = OfferStatus(state.Status)
	if state.Status == tracking.Failed {
		response.FailureKind, response.WithdrawnReason = new(FailureKind(state.Failure)), state.Reason
		return response, nil
	}
	response.TransactionID, response.ContractID = &state.UpdateID, &state.ContractID
	return response, nil
}
