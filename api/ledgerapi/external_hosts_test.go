package ledgerapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/test/apitest"
)

// contract: external-multi-hosted
func TestMultiHostedParty_IsAllocatedAfterEveryHostSigns(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("custodian")
	s.Rights("auditor", ledger.Right{Kind: ledger.CanReadAsAnyParty})
	alice, otherKey := newKey(t, signing.Curve25519, 1), newKey(t, signing.Curve25519, 9)
	other := "other::" + otherKey.Public().Fingerprint()
	mapping := selfSigned("alice", alice, s.Node.ParticipantID, other)
	mapping.Threshold = 2
	first := onboard(t, s, mapping).signAll(alice)
	first.body.UserID = "custodian"
	party := first.mustAllocate()
	require.Equal(t, mapping.Party, party)
	require.Nil(t, details(s, party), "not yet")
	var answer parties.AllocateExternalPartyResponse
	first.allocate().OK(&answer)
	require.Equal(t, parties.AllocateExternalPartyResponse{
		PartyID: string(party), State: parties.OnboardingWaiting,
		WaitsFor: []string{"participant " + other + " agrees to host the party"},
	}, answer, "the same again changes nothing, and the answer says that the party cannot be used yet")
	require.Empty(t, rightsOf(s, "custodian"), "nobody gets a right before the party is there")

	state := onboardingOf(s, party)
	require.Equal(t, parties.OnboardingWaiting, state.State)
	require.Equal(t, []string{other}, state.MissingParticipants)
	require.Equal(t, []string{"participant " + other + " agrees to host the party"}, state.WaitsFor)
	require.EqualValues(t, 2, state.ConfirmationThreshold)
	require.NotNil(t, state.StartedAt)
	week := time.Time(*state.StartedAt).AddDate(0, 0, 7)
	require.WithinDuration(t, week, time.Time(*state.ExpiresAt), time.Hour)

	t.Run("what this node sends to the other hosts is its agreement", func(t *testing.T) {
		there := topology.Node{ParticipantID: other, SynchronizerID: s.Node.SynchronizerID}
		elsewhere, refusal := topology.Contribution{
			Transactions: fromWire(first.body.OnboardingTransactions),
			MultiHash:    v2.FromAPISignatures(first.body.MultiHashSignatures),
		}.Onboarding(there)
		require.Nil(t, refusal)
		agreement, refusal := topology.Contribution{Transactions: fromWire(state.Agreement)}.Onboarding(there)
		require.Nil(t, refusal)
		merged, err := elsewhere.Merge(agreement)
		require.NoError(t, err)
		missing, err := merged.Authorize(there)
		require.NoError(t, err)
		require.True(t, missing.IsEmpty(), "the other node need only agree itself")
	})

	another := mapping
	another.Threshold = 1
	body := refusedByManager(t, onboard(t, s, another).signAll(alice).allocate())
	require.Contains(t, body.Cause, "Another proposal for party alice::")
	uninvited := onboard(t, s, rootOf(alice), mapping).sign(0, alice).sign(1, newKey(t, signing.P256, 5))
	require.Contains(t, refusedByManager(t, uninvited.allocate()).Cause, "missing namespace delegations for keys")
	unknown := onboard(t, s, mapping).sign(0, otherKey)
	body = refusedByManager(t, unknown.allocate())
	require.Contains(t, *body.Hint, "also send the signed root NamespaceDelegation")

	require.Equal(t, party, onboard(t, s, rootOf(otherKey), mapping).sign(0, otherKey).sign(1, otherKey).mustAllocate())
	require.True(t, details(s, party).IsLocal)
	require.Equal(t, string(party), rightsOf(s, "custodian")[0].Kind.CanActAs.Value.Party, "with the party")
	state = onboardingOf(s, party)
	require.Equal(t, parties.OnboardingAllocated, state.State)
	require.Empty(t, state.WaitsFor)
	external, ok, err := s.DB.ExternalParty(t.Context(), party)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, mapping.Hosts, external.Hosts)
	require.Equal(t, 2, external.ConfirmationThreshold)
	first.allocate().Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
}

// fromWire converts transactions as the node does.
func fromWire(transactions []parties.SignedTransaction) []topology.OnboardingTransaction {
	var out []topology.OnboardingTransaction
	for _, wire := range transactions {
		out = append(out, topology.OnboardingTransaction{
			Transaction: wire.Transaction, Signatures: v2.FromAPISignatures(wire.Signatures),
		})
	}
	return out
}

func TestMultiHostedParty_NeedsOwnerSignatureFirst(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	alice, otherKey := newKey(t, signing.P384, 1), newKey(t, signing.Curve25519, 9)
	mapping := selfSigned("alice", alice, b.Node.ParticipantID, "other::"+otherKey.Public().Fingerprint())
	mapping.Hosts[0].Permission = topology.Observation
	second := keyFor(newKey(t, signing.P256, 2), signing.UsageProtocol, signing.UsageProofOfOwnership)
	mapping.Keys = append(mapping.Keys, second)
	for _, early := range []*onboarding{
		onboard(t, b.Server, mapping),
		onboard(t, b.Server, rootOf(otherKey), mapping).sign(0, otherKey).sign(1, otherKey),
		onboard(t, b.Server, mapping).signAll(newKey(t, signing.P256, 2)),
	} {
		body := refusedByManager(t, early.allocate())
		require.Contains(t, body.Cause, "missing authorizations by namespaces={"+alice.Public().Fingerprint())
		require.Contains(t, *body.Hint, "the node keeps nothing before the namespace has signed")
		path := "/v2/parties/external/" + string(mapping.Party) + "/onboarding"
		b.Call(apitest.Admin, http.MethodGet, path, nil).Refused(http.StatusNotFound, "PARTY_NOT_FOUND")
	}

	party := onboard(t, b.Server, mapping).signAll(alice).mustAllocate()
	state := onboardingOf(b.Server, party)
	require.Empty(t, state.MissingNamespaces)
	require.Equal(t, []string{second.Public.Fingerprint()}, state.MissingKeys)
	require.Equal(t, []string{mapping.Hosts[1].Participant}, state.MissingParticipants)
	onboard(t, b.Server, rootOf(otherKey), mapping).sign(0, otherKey).sign(1, otherKey).mustAllocate()
	require.Empty(t, onboardingOf(b.Server, party).MissingParticipants)
	require.Nil(t, details(b.Server, party))
	onboard(t, b.Server, mapping).signAll(newKey(t, signing.P256, 2)).mustAllocate()
	require.NotNil(t, details(b.Server, party))
	require.Equal(t, parties.OnboardingAllocated, onboardingOf(b.Server, party).State)

	var connected ledgerapi.GetConnectedSynchronizersResponse
	b.Call(apitest.Admin, http.MethodGet, "/v2/state/connected-synchronizers?party="+string(party), nil).OK(&connected)
	require.Equal(t, v2.PermissionObservation, connected.ConnectedSynchronizers[0].Permission)
	elements := list[ledgerapi.JsGetUpdatesResponse](b, "auditor", updatesPath+quick, fields{"updateFormat": hosting()})
	events := elements[0].Update.TopologyTransaction.Value.Events
	require.Len(t, events, 2, "both hosts began to host the party")
	for i, permission := range []v2.ParticipantPermission{
		v2.PermissionObservation, v2.PermissionConfirmation,
	} {
		require.Equal(t, permission, events[i].Event.ParticipantAuthorizationAdded.Value.ParticipantPermission)
	}
}
