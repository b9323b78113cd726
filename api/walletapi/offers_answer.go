package walletapi

import (
	"cmp"
	"context"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// AcceptTransferOfferResponse has the accepted offer.
type AcceptTransferOfferResponse struct {
	AcceptedOfferContractID ledger.ContractID `json:"accepted_offer_contract_id" required:"true" doc:"The accepted offer"`
}

// TransferOfferReference names an offer in the body, for the paths without its id.
type TransferOfferReference struct {
	ContractID      string `json:"contract_id" doc:"The offer"`
	OfferContractID string `json:"offer_contract_id" doc:"The offer; alternative name for contract_id"`
}

type offerRequest struct {
	Body TransferOfferReference `body:"json"`
}

// answerByBody makes a handler for the path without an id from the handler for the path with it.
func answerByBody[R any](
	answer func(context.Context, contractRequest) (R, error),
) func(context.Context, offerRequest) (R, error) {
	return func(ctx context.Context, req offerRequest) (none R, err error) {
		id := cmp.Or(req.Body.ContractID, req.Body.OfferContractID)
		if id == "" {
			return none, v0.BadRequest("contract_id: send the id of the transfer offer here, or in the path " +
				"/v0/wallet/transfer-offers/{contract_id}/…")
		}
		return answer(ctx, contractRequest{ID: id})
	}
}

// findOffer finds an offer to or from the caller.
func (a *API) findOffer(
	ctx context.Context, operation, id string,
) (w validator.Owner, offer validator.Contract[walletapp.TransferOffer], err error) {
	if w, err = a.Caller(ctx, operation); err != nil {
		return w, offer, err
	}
	offer, err = validator.ActiveByID[walletapp.TransferOffer](ctx, a.Base, w.Party, id)
	return w, offer, err
}

func (a *API) acceptTransferOffer(
	ctx context.Context, req contractRequest,
) (none validator.Composed[AcceptTransferOfferResponse], err error) {
	w, offer, err := a.findOffer(ctx, "acceptTransferOffer", req.ID)
	if err != nil {
		return none, err
	}
	if err := w.MustBe(offer.Payload.Receiver, "TransferOffer_Accept"); err != nil {
		return none, err
	}
	accepted, err := composeChoice[walletapp.InstallTransferOfferAcceptResult](a, w,
		"WalletAppInstall_TransferOffer_Accept",
		walletapp.InstallTransferOfferAccept{CID: lf.CID[walletapp.TransferOffer](offer.ID)})
	accepted.Later = a.composeCompletion(ctx, offer.Payload.Sender, walletapp.InstallCreateTransferOffer{
		Receiver: w.Party, Amount: offer.Payload.Amount, ExpiresAt: offer.Payload.ExpiresAt,
		TrackingID: offer.Payload.TrackingID,
	})
	accepted.Later.Awaited = false // this request is the acceptance
	return validator.MapAnswer(accepted, func(
		result walletapp.InstallTransferOfferAcceptResult,
	) (AcceptTransferOfferResponse, error) {
		return AcceptTransferOfferResponse{AcceptedOfferContractID: result.AcceptedTransferOffer.ID()}, nil
	}), err
}

func (a *API) rejectTransferOffer(ctx context.Context, req contractRequest) (none emptyAnswer, err error) {
	w, offer, err := a.findOffer(ctx, "rejectTransferOffer", req.ID)
	if err != nil {
		return none, err
	}
	if err := w.MustBe(offer.Payload.Receiver, "TransferOffer_Reject"); err != nil {
		return none, err
	}
	return withEmptyAnswer(composeChoice[walletapp.InstallTransferOfferRejectResult](a, w,
		"WalletAppInstall_TransferOffer_Reject",
		walletapp.InstallTransferOfferReject{CID: lf.CID[walletapp.TransferOffer](offer.ID)}))
}

// withdrawnBySender is the reason in offers that their sender withdrew here (upstream).
const withdrawnBySender = "Withdrawn by sender"

func (a *API) withdrawTransferOffer(ctx context.Context, req contractRequest) (none emptyAnswer, err error) {
	w, offer, err := a.findOffer(ctx, "withdrawTransferOffer", req.ID)
	if err != nil {
		return none, err
	}
	if err := w.MustBe(offer.Payload.Sender, "TransferOffer_Withdraw"); err != nil {
		return none, err
	}
	return withEmptyAnswer(composeChoice[walletapp.InstallTransferOfferWithdrawResult](a, w,
		"WalletAppInstall_TransferOffer_Withdraw", walletapp.InstallTransferOfferWithdraw{
			CID: lf.CID[walletapp.TransferOffer](offer.ID), Reason: withdrawnBySender,
		}))
}
