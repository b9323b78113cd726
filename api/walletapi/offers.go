package walletapi

import (
	"context"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/tracking"
)

// CreateTransferOfferRequest offers coin to a receiver, who has to accept (contract, POST /v0/wallet/transfer-offers).
type CreateTransferOfferRequest struct {
	endpoint.Strict

	ReceiverPartyID string `json:"receiver_party_id" required:"true" doc:"Receiver of the coin"`
	Amount          string `json:"amount" required:"true" doc:"In coin, with at most ten digits after the point"`
	Description     string `json:"description" required:"true" doc:"Text for the receiver; fewer than 280 characters"`
	ExpiresAt       int64  `json:"expires_at" required:"true" doc:"Deadline to accept; microseconds since 1970"`
	TrackingID      string `json:"tracking_id" required:"true" doc:"Name that the sender chooses; fewer than 280 characters"`
}

// CreateTransferOfferResponse is the offer.
type CreateTransferOfferResponse struct {
	OfferContractID ledger.ContractID `json:"offer_contract_id" required:"true" doc:"The offer"`
}

type createTransferOfferRequest struct {
	Body CreateTransferOfferRequest `body:"json"`
}

// createTransferOffer offers coin. It refuses a used tracking id before it checks anything else (upstream). Only the
// wallet's own requests count: other parties cannot reserve a tracking id.
func (a *API) createTransferOffer(
	ctx context.Context, req createTransferOfferRequest,
) (none validator.Composed[CreateTransferOfferResponse], err error) {
	w, err := a.Caller(ctx, "createTransferOffer")
	if err != nil {
		return none, err
	}
	if err := checkOfferTrackingID(req.Body.TrackingID); err != nil {
		return none, err
	}
	if err := a.checkUnused(ctx, w, tracking.TransferOffer, req.Body.TrackingID,
		"CreateTransferOffer duplicate command"); err != nil {
		return none, err
	}
	var read fields
	receiver := read.party("receiver_party_id", req.Body.ReceiverPartyID)
	amount := read.amount("amount", req.Body.Amount)
	expiresAt := read.time("expires_at", req.Body.ExpiresAt)
	if read.err != nil {
		return none, read.err
	}
	id := commandID("createTransferOffer", []ledger.Party{w.Party}, req.Body.TrackingID)
	offer := walletapp.InstallCreateTransferOffer{
		Receiver: receiver, Amount: payments.PaymentAmount{Amount: amount, Unit: payments.AmuletUnit},
		Description: req.Body.Description, ExpiresAt: expiresAt, TrackingID: req.Body.TrackingID,
	}
	made, err := validator.ThroughWallet(a.Base, w, id, "WalletAppInstall_CreateTransferOffer", offer)
	if err != nil {
		return none, err
	}
	made.Deadlines = []validator.Deadline{validator.DeadlineOf("expires_at", expiresAt.Time())}
	offered := validator.ComposedOf[walletapp.InstallCreateTransferOfferResult](a.Base, w, made)
	offered.Name, err = validator.Named("tracking_id", req.Body.TrackingID, receiver, amount, req.Body.Description)
	if err != nil {
		return none, err
	}
	offered.Later = a.composeCompletion(ctx, w.Party, offer)
	return validator.MapAnswer(offered, func(
		result walletapp.InstallCreateTransferOfferResult,
	) (CreateTransferOfferResponse, error) {
		return CreateTransferOfferResponse{OfferContractID: result.TransferOffer.ID()}, nil
	}), nil
}

// composeCompletion composes the change that automation makes when the receiver has accepted.
func (a *API) composeCompletion(
	ctx context.Context, sender ledger.Party, offer walletapp.InstallCreateTransferOffer,
) *validator.LaterChange {
	compose := func(v plan.View) (validator.Change, error) {
		n, err := a.Network(ctx)
		if err != nil {
			return validator.Change{}, err
		}
		inputs, err := plan.Inputs(v, sender)
		if err != nil {
			return validator.Change{}, err
		}
		command, err := createAndExercise(a,
			walletapp.AcceptedTransferOffer{
				Sender: sender, Receiver: offer.Receiver, DSO: a.Node.DSO, Amount: offer.Amount, ExpiresAt: offer.ExpiresAt,
				TrackingID: offer.TrackingID,
			},
			"AcceptedTransferOffer_Complete", walletapp.AcceptedTransferOfferComplete{
				Inputs: inputs, TransferContext: n.Payment(), WalletProvider: a.Node.Operator,
			})
		return validator.Change{
			ActAs:  []ledger.Party{sender, offer.Receiver, a.Node.Operator},
			ReadAs: []ledger.Party{a.Node.DSO}, Commands: []ledger.Command{command},
		}, err
	}
	return &validator.LaterChange{
		Payer: sender, Compose: compose, Awaited: true,
		Explain: func(refusal error) error { return a.explainCompletion(offer, refusal) },
	}
}

// explainCompletion converts the error of a completion to the reason that the sender would get.
func (a *API) explainCompletion(offer walletapp.InstallCreateTransferOffer, refusal error) error {
	if expires := offer.ExpiresAt.Time(); !a.Now().Before(expires) {
		return v0.BadRequest("expired: expires_at, %s, is in the past: nobody can accept the offer",
			expires.Format(time.RFC3339))
	}
	if found, ok := fault.As(refusal); ok {
		if reason, final := lifecycle.OfferRejection(found); final {
			return v0.BadRequest("%s", reason)
		}
	}
	return refusal
}

// ListTransferOffersResponse has the open offers.
type ListTransferOffersResponse struct {
	Offers []v0.Contract `json:"offers" required:"true" doc:"To and from the caller, oldest first; at most 1000"`
}

func (a *API) listTransferOffers(ctx context.Context, _ endpoint.NoRequest) (ListTransferOffersResponse, error) {
	offers, err := listContracts[walletapp.TransferOffer](ctx, a, "listTransferOffers")
	return ListTransferOffersResponse{offers}, err
}

// ListAcceptedTransferOffersResponse has the accepted offers that wait for the sender's wallet.
type ListAcceptedTransferOffersResponse struct {
	Offers []v0.Contract `json:"accepted_offers" required:"true" doc:"To and from the caller, oldest first"`
}

func (a *API) listAcceptedTransferOffers(
	ctx context.Context, _ endpoint.NoRequest,
) (ListAcceptedTransferOffersResponse, error) {
	offers, err := listContracts[walletapp.AcceptedTransferOffer](ctx, a, "listAcceptedTransferOffers")
	return ListAcceptedTransferOffersResponse{offers}, err
}

// listContracts lists the contracts of a template of which the caller is a stakeholder. The operation is the endpoint's
// id.
func listContracts[T any](ctx context.Context, a *API, operation string) ([]v0.Contract, error) {
	return listContractsIf(ctx, a, operation, func(validator.Owner, T) bool { return true })
}

// listContractsIf lists those for which concerns is true.
func listContractsIf[T any](
	ctx context.Context, a *API, operation string, concerns func(validator.Owner, T) bool,
) ([]v0.Contract, error) {
	w, err := a.Caller(ctx, operation)
	if err != nil {
		return nil, err
	}
	found, err := validator.ActiveIf(ctx, a.Base, w.Party, func(payload T) bool { return concerns(w, payload) })
	if err != nil {
		return nil, err
	}
	shown := make([]v0.Contract, len(found))
	for i, c := range found {
		if shown[i], err = v0.ToAPIContract(a.Packages, c.Contract); err != nil {
			return nil, err
		}
	}
	return shown, nil
}
