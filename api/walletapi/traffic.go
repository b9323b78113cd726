package walletapi

import (
	"context"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/tracking"
)

// CreateBuyTrafficRequest asks the caller's wallet to buy traffic (contract, POST /v0/wallet/buy-traffic-requests).
type CreateBuyTrafficRequest struct {
	endpoint.Strict

	ReceivingValidatorPartyID string `json:"receiving_validator_party_id" required:"true" doc:"A party of the node"`
	DomainID                  string `json:"domain_id" required:"true" doc:"The synchronizer"`
	TrafficAmount             int64  `json:"traffic_amount" required:"true" doc:"In bytes"`
	TrackingID                string `json:"tracking_id" required:"true" doc:"Name that the caller chooses"`
	ExpiresAt                 int64  `json:"expires_at" required:"true" doc:"Deadline for the purchase; microseconds since 1970"`
}

// CreateBuyTrafficRequestResponse has the request, which automation executes.
type CreateBuyTrafficRequestResponse struct {
	RequestContractID ledger.ContractID `json:"request_contract_id" required:"true" doc:"The request"`
}

type buyTrafficRequest struct {
	Body CreateBuyTrafficRequest `body:"json"`
}

// createBuyTrafficRequest requests a purchase, which a workflow makes. Unlike for transfer offers, it checks the
// tracking id after the other ids (upstream).
func (a *API) createBuyTrafficRequest(
	ctx context.Context, req buyTrafficRequest,
) (none validator.Composed[CreateBuyTrafficRequestResponse], err error) {
	w, err := a.Caller(ctx, "createBuyTrafficRequest")
	if err != nil {
		return none, err
	}
	member, err := a.trafficMember(ctx, req.Body)
	if err != nil {
		return none, err
	}
	if err := checkTrackingID(req.Body.TrackingID); err != nil {
		return none, err
	}
	if err := a.checkUnused(ctx, w, tracking.BuyTraffic, req.Body.TrackingID,
		"Buy traffic request with trackingId "+req.Body.TrackingID+" already exists."); err != nil {
		return none, err
	}
	expiresAt, err := decodeTime("expires_at", req.Body.ExpiresAt)
	if err != nil {
		return none, err
	}
	asked := walletapp.InstallCreateBuyTrafficRequest{
		MemberID: member, SynchronizerID: a.Node.SynchronizerID, TrafficAmount: req.Body.TrafficAmount,
		ExpiresAt: expiresAt, TrackingID: req.Body.TrackingID,
	}
	id := commandID("createBuyTrafficRequest", []ledger.Party{w.Party}, req.Body.TrackingID)
	made, err := validator.ThroughWallet(a.Base, w, id, "WalletAppInstall_CreateBuyTrafficRequest", asked)
	if err != nil {
		return none, err
	}
	made.Urgent, made.Deadlines = true, []validator.Deadline{validator.DeadlineOf("expires_at", expiresAt.Time())}
	request := validator.ComposedOf[walletapp.InstallCreateBuyTrafficRequestResult](a.Base, w, made)
	request.Name, err = validator.Named("tracking_id", req.Body.TrackingID, member, req.Body.TrafficAmount)
	if err != nil {
		return none, err
	}
	request.Later = a.composePurchase(ctx, w, asked)
	return validator.MapAnswer(request, func(
		result walletapp.InstallCreateBuyTrafficRequestResult,
	) (CreateBuyTrafficRequestResponse, error) {
		return CreateBuyTrafficRequestResponse{result.BuyTrafficRequest.ID()}, nil
	}), nil
}

// trafficMember is the synchronizer member that gets the traffic: the participant that hosts the party, which is this
// node.
func (a *API) trafficMember(ctx context.Context, asked CreateBuyTrafficRequest) (string, error) {
	name, fingerprint, ok := strings.Cut(asked.DomainID, "::")
	if !ok || name == "" || fingerprint == "" {
		return "", decodeFailed("domain_id: '%s' is not a synchronizer id: it must be a name, two colons and a fingerprint",
			asked.DomainID)
	}
	party, err := decodeParty("receiving_validator_party_id", asked.ReceivingValidatorPartyID)
	if err != nil {
		return "", err
	}
	if asked.TrafficAmount <= 0 {
		return "", v0.BadRequest("traffic_amount: trafficAmount must be positive")
	}
	hosted, err := a.record.Parties(ctx, []ledger.Party{party})
	if err != nil {
		return "", err
	}
	if len(hosted) == 0 || !hosted[0].IsLocal || !a.Node.IsSynchronizer(asked.DomainID) {
		return "", v0.BadRequest("Could not find participant hosting %s on domain %s", party, asked.DomainID)
	}
	return coin.MemberOf(a.Node.ParticipantID), nil
}

// composePurchase composes the change that automation makes for a request to buy traffic.
func (a *API) composePurchase(
	ctx context.Context, w validator.Owner, asked walletapp.InstallCreateBuyTrafficRequest,
) *validator.LaterChange {
	compose := func(v plan.View) (validator.Change, error) {
		n, err := a.Network(ctx)
		if err != nil {
			return validator.Change{}, err
		}
		inputs, err := plan.Inputs(v, w.Party)
		if err != nil {
			return validator.Change{}, err
		}
		command, err := validator.Exercise[coin.AmuletRules](a.Base, n.Rules.ID, "AmuletRules_BuyMemberTraffic",
			coin.AmuletRulesBuyMemberTraffic{
				Inputs: inputs, Context: coin.TransferContext{OpenMiningRound: lf.CID[coin.OpenMiningRound](n.Latest.ID)},
				Provider: w.Party, MemberID: asked.MemberID, SynchronizerID: asked.SynchronizerID,
				TrafficAmount: asked.TrafficAmount, ExpectedDSO: &a.Node.DSO,
			})
		return validator.Change{
			ActAs: []ledger.Party{w.Party}, ReadAs: []ledger.Party{a.Node.DSO}, Commands: []ledger.Command{command},
		}, err
	}
	return &validator.LaterChange{
		Payer: w.Party, Compose: compose,
		Explain: func(refusal error) error { return explainPurchase(asked, refusal) },
	}
}
