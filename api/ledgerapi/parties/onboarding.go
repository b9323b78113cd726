package parties

import (
	"context"
	"sync"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// allocationTimeout is the maximum wait of a request for its party (upstream's management timeout).
const allocationTimeout = 2 * time.Minute

// OnboardingState is the state of the onboarding of an external party.
type OnboardingState string

// The states of an onboarding.
const (
	OnboardingWaiting   OnboardingState = "WAITING"
	OnboardingAllocated OnboardingState = "ALLOCATED"
)

// Names implements [endpoint.Enum].
func (OnboardingState) Names() []string {
	return []string{string(OnboardingWaiting), string(OnboardingAllocated)}
}

// GetPartyOnboardingResponse is the onboarding of an external party. Only this node has it.
type GetPartyOnboardingResponse struct {
	PartyID               string              `json:"partyId" required:"true" doc:"The party"`
	State                 OnboardingState     `json:"state" required:"true" doc:"Whether the party is ready"`
	Hosts                 []PartyHost         `json:"hosts" required:"true" doc:"The hosts of the party"`
	ConfirmationThreshold int32               `json:"confirmationThreshold" required:"true" doc:"Number of hosts that must confirm"`
	SigningKeys           []string            `json:"signingKeys" required:"true" doc:"Fingerprints of the party's keys"`
	SigningThreshold      int32               `json:"signingThreshold" required:"true" doc:"Number of keys that must sign"`
	WaitsFor              []string            `json:"waitsFor" required:"true" doc:"What is missing, in words"`
	MissingNamespaces     []string            `json:"missingNamespaces" required:"true" doc:"Namespaces without the owner's signature"`
	MissingKeys           []string            `json:"missingKeys" required:"true" doc:"Keys without a signature"`
	MissingParticipants   []string            `json:"missingParticipants" required:"true" doc:"Hosts that did not agree yet"`
	Agreement             []SignedTransaction `json:"onboardingTransactions" required:"true" doc:"This node's agreement, for allocate on the other hosts"`
	StartedAt             *endpoint.Timestamp `json:"startedAt" doc:"Start of the onboarding; null for an allocated party"`
	ExpiresAt             *endpoint.Timestamp `json:"expiresAt" doc:"End of the onboarding if not all agree; null for an allocated party"`
}

// PartyHost is a participant that hosts a party.
type PartyHost struct {
	ParticipantUID string                   `json:"participantUid" required:"true" doc:"The participant"`
	Permission     v2.ParticipantPermission `json:"permission" required:"true" doc:"What it does for the party"`
}

type partyOnboardingRequest struct {
	Party              string `path:"party" doc:"The party"`
	IdentityProviderID string `query:"identity-provider-id" doc:"Empty for the default identity provider"`
}

func (a *API) partyOnboarding(ctx context.Context, req partyOnboardingRequest) (GetPartyOnboardingResponse, error) {
	party := ledger.Party(req.Party)
	if err := endpoint.Claims(ctx).RequireOperateAs(req.IdentityProviderID, party); err != nil {
		return GetPartyOnboardingResponse{}, err
	}
	if err := v2.CheckParties([]string{req.Party}); err != nil {
		return GetPartyOnboardingResponse{}, err
	}
	identityProviderID, err := idps.For(ctx, a.record, req.IdentityProviderID)
	if err != nil {
		return GetPartyOnboardingResponse{}, err
	}
	standing, err := a.record.PartyStanding(ctx, party)
	switch pending := standing.Pending; {
	case err != nil:
		return GetPartyOnboardingResponse{}, err
	case standing.Standing().IdentityProviderID != identityProviderID:
	case pending != nil:
		out, err := a.toAPIOnboarding(pending.Onboarding, OnboardingWaiting)
		out.StartedAt, out.ExpiresAt = new(endpoint.Timestamp(pending.StartedAt)), new(endpoint.Timestamp(pending.ExpiresAt))
		return out, err
	case standing.External != nil:
		return a.toAPIOnboarding(standing.External.Onboarding, OnboardingAllocated)
	}
	return GetPartyOnboardingResponse{}, fault.PartyNotFoundWhen("reading an onboarding", req.Party).
		WithHint("This node has no external party and no open onboarding with this id. Check the id, or begin with " +
			"POST /v2/parties/external/generate-topology.")
}

func (a *API) toAPIOnboarding(
	onboarding topology.Onboarding, state OnboardingState,
) (GetPartyOnboardingResponse, error) {
	missing, err := onboarding.Missing()
	if err != nil {
		return GetPartyOnboardingResponse{}, err
	}
	keys, threshold := onboarding.Keys()
	out := GetPartyOnboardingResponse{
		PartyID: string(onboarding.Party()), State: state, SigningThreshold: int32(threshold),
		ConfirmationThreshold: int32(onboarding.ConfirmationThreshold()), WaitsFor: missing.Describe(),
		MissingNamespaces: missing.Namespaces, MissingKeys: missing.Keys, MissingParticipants: missing.Participants,
	}
	for _, key := range keys {
		out.SigningKeys = append(out.SigningKeys, key.Public.Fingerprint())
	}
	for _, host := range onboarding.Hosts() {
		permission := v2.PermissionConfirmation
		if host.Permission == topology.Observation {
			permission = v2.PermissionObservation
		}
		out.Hosts = append(out.Hosts, PartyHost{ParticipantUID: host.Participant, Permission: permission})
	}
	out.Agreement, err = a.agreement(onboarding)
	return out, err
}

// agreement is this node's agreement to host the party, for the other hosts.
func (a *API) agreement(onboarding topology.Onboarding) ([]SignedTransaction, error) {
	key, err := signing.PrivateKeyOf(signing.Curve25519, a.node.PrivateKey)
	if err != nil {
		return nil, err
	}
	agreed, err := onboarding.Agreement(a.self(), key)
	if err != nil {
		return nil, err
	}
	out := make([]SignedTransaction, len(agreed))
	for i, transaction := range agreed {
		out[i].Transaction = transaction.Transaction
		for _, signature := range transaction.Signatures {
			out[i].Signatures = append(out[i].Signatures, v2.Signature{
				Format: signature.Format, Signature: signature.Signature, SignedBy: signature.SignedBy,
				SigningAlgorithmSpec: signature.Algorithm,
			})
		}
	}
	return out, nil
}

// allocations are the external parties with a waiting request on this process.
type allocations struct {
	mu      sync.Mutex
	parties map[ledger.Party]bool
}

// enter adds the party; false if another request waits for it.
func (a *allocations) enter(party ledger.Party) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.parties[party] {
		return false
	}
	if a.parties == nil {
		a.parties = map[ledger.Party]bool{}
	}
	a.parties[party] = true
	return true
}

func (a *allocations) leave(party ledger.Party) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.parties, party)
}
