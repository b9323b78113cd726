package parties

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// Onboarder onboards external parties.
type Onboarder interface {
	// Onboard passes a contribution to the onboarding of the party. With wait it returns the outcome. Without wait it
	// returns as soon as the contribution is stored.
	Onboard(
		ctx context.Context, party ledger.Party, contribution topology.Contribution, wait bool,
	) (topology.Outcome, error)
}

// OnboardingRecord reads external parties and their onboardings.
type OnboardingRecord interface {
	// ExternalParty finds an allocated external party.
	ExternalParty(ctx context.Context, party ledger.Party) (db.ExternalParty, bool, error)
	// PartyStanding finds the state of a party's onboarding, and the stored namespaces.
	PartyStanding(ctx context.Context, party ledger.Party, namespaces ...string) (db.PartyStanding, error)
	// CheckPartyQuota refuses users that would have rights to too many parties.
	CheckPartyQuota(ctx context.Context, grant db.Grant, party ledger.Party) error
}

// SigningPublicKey is a public key (contract, "SigningPublicKey").
type SigningPublicKey struct {
	Format  signing.KeyFormat `json:"format" required:"true" doc:"Format of keyData"`
	KeyData endpoint.Bytes    `json:"keyData" required:"true" doc:"The key"`
	KeySpec signing.KeySpec   `json:"keySpec" required:"true" doc:"Type of the key"`
}

// GenerateExternalPartyTopologyRequest asks for the transactions that create a party (upstream's POST
// /v2/parties/external/generate-topology).
type GenerateExternalPartyTopologyRequest struct {
	Synchronizer                   string            `json:"synchronizer" required:"true" doc:"Id of the synchronizer"`
	PartyHint                      string            `json:"partyHint" required:"true" doc:"First part of the party's id"`
	PublicKey                      *SigningPublicKey `json:"publicKey" required:"true" doc:"The key of the party and of its namespace"`
	ObserveOnly                    bool              `json:"localParticipantObservationOnly" doc:"Whether this node only observes"`
	OtherConfirmingParticipantUIDs []string          `json:"otherConfirmingParticipantUids" doc:"Other participants that confirm for the party"`
	ConfirmationThreshold          int32             `json:"confirmationThreshold" doc:"Number of required confirmations; 0 for all"`
	ObservingParticipantUIDs       []string          `json:"observingParticipantUids" doc:"Participants that only observe"`
}

// GenerateExternalPartyTopologyResponse has the transactions to sign.
type GenerateExternalPartyTopologyResponse struct {
	PartyID              string           `json:"partyId" required:"true" doc:"Id of the new party"`
	PublicKeyFingerprint string           `json:"publicKeyFingerprint" required:"true" doc:"Value of signedBy in its signatures"`
	TopologyTransactions []endpoint.Bytes `json:"topologyTransactions" required:"true" doc:"Transactions that create the party"`
	MultiHash            endpoint.Bytes   `json:"multiHash" required:"true" doc:"34 bytes to sign, over all transactions"`
}

// SignedTransaction is a topology transaction with its own signatures.
type SignedTransaction struct {
	Transaction endpoint.Bytes `json:"transaction" required:"true" doc:"The exact signed bytes"`
	Signatures  []v2.Signature `json:"signatures" doc:"Signatures of its hash; optional with multiHashSignatures"`
}

// AllocateExternalPartyRequest onboards a party (contract, "POST /v2/parties/external/allocate").
type AllocateExternalPartyRequest struct {
	Synchronizer           string              `json:"synchronizer" required:"true" doc:"Id of the synchronizer"`
	OnboardingTransactions []SignedTransaction `json:"onboardingTransactions" required:"true" doc:"Transactions that create the party"`
	MultiHashSignatures    []v2.Signature      `json:"multiHashSignatures" doc:"Signatures of the hash of all transactions"`
	IdentityProviderID     string              `json:"identityProviderId" doc:"Empty for the default identity provider"`
	WaitForAllocation      *bool               `json:"waitForAllocation" doc:"Whether to wait until the party is ready"`
	UserID                 string              `json:"userId" doc:"User who gets the right to act as the party"`
}

// AllocateExternalPartyResponse names the party.
type AllocateExternalPartyResponse struct {
	PartyID  string          `json:"partyId" required:"true" doc:"The party"`
	State    OnboardingState `json:"state,omitempty" doc:"WAITING until the party is ready, then left out; only on this node"`
	WaitsFor []string        `json:"waitsFor,omitempty" doc:"What is missing, in words; only on this node"`
}

type generateTopologyRequest struct {
	Body GenerateExternalPartyTopologyRequest `body:"json"`
}

type allocateExternalRequest struct {
	Body AllocateExternalPartyRequest `body:"json"`
}

func (a *API) self() topology.Node {
	return topology.Node{ParticipantID: a.node.ParticipantID, SynchronizerID: a.node.SynchronizerID}
}

func (a *API) generateTopology(
	_ context.Context, req generateTopologyRequest,
) (GenerateExternalPartyTopologyResponse, error) {
	request := topology.GenerateRequest{
		Synchronizer: req.Body.Synchronizer, PartyHint: req.Body.PartyHint, ObserveOnly: req.Body.ObserveOnly,
		OtherConfirming:       req.Body.OtherConfirmingParticipantUIDs,
		ConfirmationThreshold: req.Body.ConfirmationThreshold, Observing: req.Body.ObservingParticipantUIDs,
	}
	if key := req.Body.PublicKey; key != nil {
		request.PublicKey = &topology.PublicKey{Format: key.Format, Data: key.KeyData, Spec: key.KeySpec}
	}
	generated, refusal := topology.Generate(request, a.self())
	if refusal != nil {
		return GenerateExternalPartyTopologyResponse{}, refusal
	}
	out := GenerateExternalPartyTopologyResponse{
		PartyID: string(generated.Party), PublicKeyFingerprint: generated.Fingerprint, MultiHash: generated.MultiHash[:],
	}
	for _, transaction := range generated.Transactions {
		out.TopologyTransactions = append(out.TopologyTransactions, transaction)
	}
	return out, nil
}

func (a *API) allocateExternal(
	ctx context.Context, req allocateExternalRequest,
) (AllocateExternalPartyResponse, error) {
	contribution, onboarding, err := a.checkAllocateExternal(ctx, req.Body)
	if err != nil {
		return AllocateExternalPartyResponse{}, err
	}
	party := onboarding.Party()
	wait := req.Body.WaitForAllocation == nil || *req.Body.WaitForAllocation
	if wait && onboarding.Allocates() {
		if !a.allocating.enter(party) {
			return AllocateExternalPartyResponse{}, fault.RequestAlreadyInFlight.New(
				"Party %s is in the process of being allocated on this node.", party).
				WithHint("Wait until GET /v2/parties/{party} shows the party.")
		}
		defer a.allocating.leave(party)
	}
	outcome, err := a.onboard(ctx, party, contribution, wait)
	if err != nil {
		return AllocateExternalPartyResponse{}, err
	}
	answer := AllocateExternalPartyResponse{PartyID: string(party)}
	if outcome.Progress != topology.Allocated {
		answer.State, answer.WaitsFor = OnboardingWaiting, outcome.Missing.Describe()
	}
	return answer, nil
}

// onboard passes the contribution on, and waits if the request says so.
func (a *API) onboard(
	ctx context.Context, party ledger.Party, contribution topology.Contribution, wait bool,
) (topology.Outcome, error) {
	waiting, cancel := context.WithTimeout(ctx, allocationTimeout)
	defer cancel()
	outcome, err := endpoint.OnboardInTurn(waiting, func() (topology.Outcome, error) {
		return a.onboarder.Onboard(waiting, party, contribution, wait)
	})
	switch {
	case err == nil:
		return outcome, outcome.Err()
	case ctx.Err() == nil && errors.Is(waiting.Err(), context.DeadlineExceeded):
		return outcome, fault.RequestTimeOut.New("Timed out while awaiting item corresponding to %s", party).
			WithDefiniteAnswer(false).WithHint(allocationAdvice)
	case endpoint.OutOfTime(ctx):
		return outcome, &endpoint.TimeoutError{Advice: allocationAdvice}
	default:
		return outcome, err
	}
}

const allocationAdvice = "The allocation may still succeed: check GET /v2/parties/{party}, or send the request again."

// checkAllocateExternal checks a request in upstream's order, except for facts that only the transaction that stores
// the party can check.
func (a *API) checkAllocateExternal(
	ctx context.Context, body AllocateExternalPartyRequest,
) (contribution topology.Contribution, onboarding topology.Onboarding, err error) {
	maxParties, err := a.mayAllocate(ctx, body.UserID, body.IdentityProviderID)
	if err != nil {
		return contribution, onboarding, err
	}
	if err := a.checkConnected(body.Synchronizer); err != nil {
		return contribution, onboarding, err
	}
	contribution = topology.Contribution{
		ID: uuid.NewString(), MultiHash: v2.FromAPISignatures(body.MultiHashSignatures), UserID: body.UserID,
		MaxUserParties: maxParties, Origin: endpoint.Origin(ctx), Trace: endpoint.Trace(ctx),
	}
	caller, bound := users.BoundCaller(ctx)
	contribution.Unbound = !bound && body.UserID != "" // without a user there is nothing to limit
	if caller.ID != "" {
		contribution.AskedBy = new(caller.Identity())
	}
	for _, wire := range body.OnboardingTransactions {
		contribution.Transactions = append(contribution.Transactions, topology.OnboardingTransaction{
			Transaction: wire.Transaction, Signatures: v2.FromAPISignatures(wire.Signatures),
		})
	}
	request, refusal := topology.ParseRequest(contribution.Transactions, contribution.MultiHash)
	if refusal != nil {
		return contribution, onboarding, refusal
	}
	if err := checkOwnership(body); err != nil {
		return contribution, onboarding, err
	}
	if onboarding, refusal = request.Onboarding(a.self()); refusal != nil {
		return contribution, onboarding, refusal
	}
	if body.IdentityProviderID, err = idps.For(ctx, a.record, body.IdentityProviderID); err != nil {
		return contribution, onboarding, err
	}
	contribution.IdentityProviderID = body.IdentityProviderID
	if err := a.checkGrantee(ctx, body.UserID, body.IdentityProviderID); err != nil {
		return contribution, onboarding, err
	}
	grant := db.Grant{UserID: body.UserID, Guard: users.WithinReach(ctx), MaxParties: maxParties}
	if err := a.record.CheckPartyQuota(ctx, grant, onboarding.Party()); err != nil {
		return contribution, onboarding, err
	}
	onboarding, err = a.checkStanding(ctx, contribution, onboarding)
	return contribution, onboarding, err
}

// checkConnected refuses synchronizers other than the node's own.
func (a *API) checkConnected(synchronizer string) error {
	if synchronizer == "" {
		return fault.MissingFieldNamed("synchronizer")
	}
	if err := ledger.CheckSynchronizerID(synchronizer); err != nil {
		return fault.InvalidFieldNamed("synchronizer", err.Error())
	}
	if !a.node.IsSynchronizer(synchronizer) {
		return fault.InvalidArgumentf("This node is not connected to the requested synchronizer %s.", synchronizer).
			WithHint("Take the id from GET /v2/state/connected-synchronizers.")
	}
	return nil
}

// checkOwnership checks the form of the ids in the request.
func checkOwnership(body AllocateExternalPartyRequest) error {
	if body.IdentityProviderID != "" {
		if err := ledger.CheckLedgerString(body.IdentityProviderID); err != nil {
			return fault.InvalidFieldNamed("identity_provider_id", err.Error())
		}
	}
	if body.UserID != "" {
		if err := ledger.CheckUserID(body.UserID); err != nil {
			return fault.InvalidFieldNamed("user_id", err.Error())
		}
	}
	return nil
}

// checkStanding adds an onboarding to the present state. It refuses existing parties, parties of other namespaces, and
// signatures that do not authorize.
func (a *API) checkStanding(
	ctx context.Context, contribution topology.Contribution, onboarding topology.Onboarding,
) (topology.Onboarding, error) {
	standing, err := a.record.PartyStanding(ctx, onboarding.Party(), onboarding.Concerned()...)
	if err != nil {
		return onboarding, err
	}
	merged, err := contribution.Merge(onboarding, a.self(), standing.Standing())
	if err != nil {
		return onboarding, err
	}
	_, err = merged.Authorize(a.self())
	return merged.Onboarding, err
}
