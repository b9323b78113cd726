package walletapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/tracking"
)

// findTracked finds the state of the requester's request, as far as it concerns the wallet's party. Commits write the
// state, and neither restarts nor pruning delete it.
func (a *API) findTracked(
	ctx context.Context, w validator.Owner, requester ledger.Party, kind tracking.Kind, trackingID string,
) (state tracking.State, known bool, err error) {
	content, known, err := a.record.TrackedState(ctx,
		db.TrackedID{Party: w.Party, Requester: requester, Kind: string(kind), TrackingID: trackingID})
	if err != nil || !known {
		return state, false, err
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return state, false, fault.Internal(err)
	}
	return state, true, nil
}

// checkUnused refuses a tracking id that the wallet's party has used for a request of the kind, whatever its state.
func (a *API) checkUnused(
	ctx context.Context, w validator.Owner, kind tracking.Kind, trackingID, refusal string,
) error {
	_, known, err := a.findTracked(ctx, w, w.Party, kind, trackingID)
	if err == nil && known {
		err = v0.Refuse(http.StatusConflict, "%s", refusal)
	}
	return err
}

// findTrackedOffer finds the state of the caller's own offer with the tracking id, or else of the offer that the caller
// received. If several senders used the id, the caller has to name one.
func (a *API) findTrackedOffer(
	ctx context.Context, w validator.Owner, sender ledger.Party, trackingID string,
) (state tracking.State, known bool, err error) {
	if sender != "" {
		return a.findTracked(ctx, w, sender, tracking.TransferOffer, trackingID)
	}
	state, known, err = a.findTracked(ctx, w, w.Party, tracking.TransferOffer, trackingID)
	if known || err != nil {
		return state, known, err
	}
	senders, err := a.record.Requesters(ctx, w.Party, string(tracking.TransferOffer), trackingID, 2)
	switch {
	case err != nil || len(senders) == 0:
		return state, false, err
	case len(senders) > 1:
		return state, false, v0.Refuse(http.StatusConflict, "Several senders offered coin with tracking id %s: choose one "+
			"with ?sender=, such as %s", trackingID, senders[0])
	default:
		return a.findTracked(ctx, w, senders[0], tracking.TransferOffer, trackingID)
	}
}

type trackingRequest struct {
	TrackingID string `path:"tracking_id" doc:"The tracking id of the request"`
}

type offerStatusRequest struct {
	TrackingID string       `path:"tracking_id" doc:"The tracking id of the offer"`
	Sender     ledger.Party `query:"sender" doc:"Sender of the offer; default: the caller, or the only sender"`
}

// GetTransferOfferStatusResponse is the status of an offer. The fields depend on the status.
type GetTransferOfferStatusResponse struct {
	Status        OfferStatus        `json:"status" required:"true" doc:"Status of the offer"`
	TransactionID *ledger.UpdateID   `json:"transaction_id" doc:"The update that led to this status; not for failed offers"`
	ContractID    *ledger.ContractID `json:"contract_id" doc:"The offer, the accepted offer, or the receiver's new coin"`

	FailureKind     *FailureKind `json:"failure_kind" doc:"Kind of failure"`
	WithdrawnReason *string      `json:"withdrawn_reason" doc:"Reason of the withdrawal, if any"`
}

// OfferStatus is the status of an offer.
type OfferStatus string

// Names implements [endpoint.Enum].
func (OfferStatus) Names() []string { return []string{"created", "accepted", "completed", "failed"} }

// FailureKind is the kind of an offer's failure.
type FailureKind string

// Names implements [endpoint.Enum].
func (FailureKind) Names() []string { return []string{"expired", "rejected", "withdrawn"} }

// MarshalJSON writes only the fields of the status.
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
	ctx context.Context, req offerStatusRequest,
) (response GetTransferOfferStatusResponse, err error) {
	w, err := a.Caller(ctx, "getTransferOfferStatus")
	if err != nil {
		return response, err
	}
	state, known, err := a.findTrackedOffer(ctx, w, req.Sender, req.TrackingID)
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
