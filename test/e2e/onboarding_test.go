//go:build long

package e2e_test

import (
	"crypto/ed25519"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/workflowid"
)

// signature is a signature in the form of the API.
type signature struct {
	Format    string `json:"format"`
	Signature []byte `json:"signature"`
	SignedBy  string `json:"signedBy"`
	Algorithm string `json:"signingAlgorithmSpec"`
}

// signedTransaction is a topology transaction with the signatures over it alone.
type signedTransaction struct {
	Transaction []byte      `json:"transaction"`
	Signatures  []signature `json:"signatures,omitempty"`
}

// allocation is a request to allocate an external party.
type allocation struct {
	Synchronizer           string              `json:"synchronizer"`
	OnboardingTransactions []signedTransaction `json:"onboardingTransactions"`
	MultiHashSignatures    []signature         `json:"multiHashSignatures,omitempty"`
	UserID                 string              `json:"userId,omitempty"`
}

// onboardingState is the progress of the onboarding of a party.
type onboardingState struct {
	State                  string              `json:"state"`
	WaitsFor               []string            `json:"waitsFor"`
	MissingParticipants    []string            `json:"missingParticipants"`
	OnboardingTransactions []signedTransaction `json:"onboardingTransactions"`
}

// newAllocation makes a key, generates the topology of a party on the node and others, and signs it.
func newAllocation(t *testing.T, e endpoint, hint string, others ...string) (party string, request allocation) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	return newAllocationWith(t, e, private, hint, others...)
}

// newAllocationWith is newAllocation with a given key.
func newAllocationWith(
	t *testing.T, e endpoint, private ed25519.PrivateKey, hint string, others ...string,
) (party string, request allocation) {
	t.Helper()
	public, ok := private.Public().(ed25519.PublicKey)
	require.True(t, ok)
	var generated struct {
		PartyID              string   `json:"partyId"`
		PublicKeyFingerprint string   `json:"publicKeyFingerprint"`
		TopologyTransactions [][]byte `json:"topologyTransactions"`
		MultiHash            []byte   `json:"multiHash"`
	}
	require.NoError(t, e.admin().Post(t.Context(), "/v2/parties/external/generate-topology", map[string]any{
		"synchronizer": synchronizerOf(t, e), "partyHint": hint, "publicKey": map[string]any{
			"format": "CRYPTO_KEY_FORMAT_RAW", "keyData": []byte(public), "keySpec": "SIGNING_KEY_SPEC_EC_CURVE25519",
		}, "otherConfirmingParticipantUids": append([]string{}, others...),
	}, &generated))
	request = allocation{Synchronizer: synchronizerOf(t, e), MultiHashSignatures: []signature{{
		Format: "SIGNATURE_FORMAT_CONCAT", Signature: ed25519.Sign(private, generated.MultiHash),
		SignedBy: generated.PublicKeyFingerprint, Algorithm: "SIGNING_ALGORITHM_SPEC_ED25519",
	}}}
	for _, transaction := range generated.TopologyTransactions {
		request.OnboardingTransactions = append(request.OnboardingTransactions, signedTransaction{Transaction: transaction})
	}
	return generated.PartyID, request
}

// allocate sends a request to a node, with the node's own synchronizer.
func allocate(t *testing.T, e endpoint, request allocation) error {
	t.Helper()
	request.Synchronizer = synchronizerOf(t, e)
	return e.admin().Post(t.Context(), "/v2/parties/external/allocate", request, nil)
}

func onboardingAt(t *testing.T, e endpoint, party string) onboardingState {
	t.Helper()
	var state onboardingState
	require.NoError(t, e.admin().Get(t.Context(), "/v2/parties/external/"+party+"/onboarding", &state))
	return state
}

func TestExternalParty_OnboardsOnOneNode(t *testing.T) {
	t.Parallel()
	o := newObserved(t)
	party, request := newAllocation(t, o.endpoint, "single")
	// Several clients send the same request at once: one party exists afterwards, and upstream has the same answers.
	var group errgroup.Group
	codes := make([]string, 4)
	for i := range codes {
		group.Go(func() error {
			codes[i] = client.Code(allocate(t, o.endpoint, request))
			return nil
		})
	}
	require.NoError(t, group.Wait())
	require.Contains(t, codes, "", "one succeeds")
	for _, code := range codes {
		require.Contains(t, []string{"", "INVALID_ARGUMENT", "REQUEST_ALREADY_IN_FLIGHT"}, code)
	}
	known, err := o.admin().Parties(t.Context(), "single")
	require.NoError(t, err)
	require.Equal(t, []string{party}, known)
	require.Equal(t, "ALLOCATED", onboardingAt(t, o.endpoint, party).State)

	found := o.find(t, 1, "FlorinParty = '"+party+"' AND FlorinOutcome = 'accepted'")
	require.Equal(t, "onboard:"+party, workflowid.Local(found[0].GetExecution().GetWorkflowId()))
	require.Equal(t, []string{"onboarding"}, attribute(t, found[0], "FlorinKind"))
}

// Two nodes that do not know each other host a party together: its owner passes their agreements on.
func TestExternalParty_OnboardsOnTwoNodes(t *testing.T) {
	t.Parallel()
	home := install(t)
	first := &observedNode{
		servedNode: serve(t, "serve", home), temporal: temporalClient(t, home.temporalAddress, home.namespace),
	}
	second := serve(t, "serve", install(t))
	participants := []string{participantOf(t, first.endpoint), participantOf(t, second.endpoint)}
	party, request := newAllocation(t, first.endpoint, "shared", participants[1])
	require.NoError(t, allocate(t, first.endpoint, request))
	require.NoError(t, allocate(t, second.endpoint, request))
	for i, node := range []endpoint{first.endpoint, second.endpoint} {
		state := onboardingAt(t, node, party)
		require.Equal(t, "WAITING", state.State)
		require.Equal(t, []string{participants[1-i]}, state.MissingParticipants)
	}
	running := first.find(t, 1, "FlorinParty = '"+party+"' AND ExecutionStatus = 'Running'")
	answer, err := first.temporal.QueryWorkflow(t.Context(), running[0].GetExecution().GetWorkflowId(), "", "Onboarding")
	require.NoError(t, err)
	var explained onboardingState
	require.NoError(t, answer.Get(&explained))
	require.Equal(t, []string{"participant " + participants[1] + " agrees to host the party"}, explained.WaitsFor)

	require.NoError(t, first.Signal(syscall.SIGKILL))
	first.waitEnd(t)
	again := serve(t, "serve", home)
	require.Equal(t, "WAITING", onboardingAt(t, again.endpoint, party).State, "nothing is lost")

	agreement := onboardingAt(t, again.endpoint, party).OnboardingTransactions
	require.NoError(t, allocate(t, second.endpoint, allocation{OnboardingTransactions: agreement}))
	require.Equal(t, "ALLOCATED", onboardingAt(t, second.endpoint, party).State)
	agreement = onboardingAt(t, second.endpoint, party).OnboardingTransactions
	require.NoError(t, allocate(t, again.endpoint, allocation{OnboardingTransactions: agreement}))
	require.Equal(t, "ALLOCATED", onboardingAt(t, again.endpoint, party).State)
	known, err := again.admin().Parties(t.Context(), "shared")
	require.NoError(t, err)
	require.Equal(t, []string{party}, known)
	first.find(t, 1, "FlorinParty = '"+party+"' AND FlorinOutcome = 'accepted'")
	err = allocate(t, again.endpoint, request)
	require.Equal(t, "INVALID_ARGUMENT", client.Code(err), fmt.Sprint(err))
}
