package ledgerapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/test/apitest"
)

// contract: external-answer
func TestExternalParty_AllocatesWithEachKeySpec(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	for _, spec := range []signing.KeySpec{signing.Curve25519, signing.P256, signing.P384, signing.Secp256k1} {
		t.Run(string(spec), func(t *testing.T) {
			t.Parallel()
			s := b.In(t)
			key := newKey(t, spec, 1)
			generated := generate(s, "carol", key)
			party := ledger.Party("carol::" + key.Public().Fingerprint())
			require.Equal(t, string(party), generated.PartyID)
			require.Equal(t, key.Public().Fingerprint(), generated.PublicKeyFingerprint)
			require.Len(t, generated.TopologyTransactions, 1)
			require.Nil(t, details(s, party), "nothing is stored")

			request := onboardRaw(t, s, generated.TopologyTransactions[0])
			request.body.MultiHashSignatures = []v2.Signature{signatureBy(t, key, generated.MultiHash)}
			require.Equal(t, party, request.mustAllocate())
			require.Equal(t, &parties.PartyDetails{
				Party: string(party), IsLocal: true,
				LocalMetadata: &v2.ObjectMeta{ResourceVersion: "0", Annotations: map[string]string{}},
			}, details(s, party))
			keys, err := s.DB.PartyKeys(t.Context(), []ledger.Party{party})
			require.NoError(t, err)
			require.Equal(t, 1, keys[party].Threshold)
			require.True(t, key.Public().Equal(keys[party].Keys[0].Public))
			state := onboardingOf(s, party)
			require.Equal(t, parties.OnboardingAllocated, state.State)
			require.Empty(t, state.WaitsFor)
			require.Equal(t, []string{key.Public().Fingerprint()}, state.SigningKeys)
			var connected ledgerapi.GetConnectedSynchronizersResponse
			s.Call(apitest.Admin, http.MethodGet, "/v2/state/connected-synchronizers?party="+string(party), nil).OK(&connected)
			require.Equal(t, v2.PermissionConfirmation, connected.ConnectedSynchronizers[0].Permission)
			elements := list[ledgerapi.JsGetUpdatesResponse](b.in(t), "auditor", updatesPath+quick,
				fields{"updateFormat": hosting()})
			var seen []ledgerapi.ParticipantAuthorizationAdded
			for _, element := range elements {
				if element.Update.TopologyTransaction != nil {
					event := element.Update.TopologyTransaction.Value.Events[0].Event
					seen = append(seen, event.ParticipantAuthorizationAdded.Value)
				}
			}
			require.Contains(t, seen, ledgerapi.ParticipantAuthorizationAdded{
				PartyID: string(party), ParticipantID: s.Node.ParticipantID,
				ParticipantPermission: v2.PermissionConfirmation,
			})
		})
	}
}

// contract: external-signatures
func TestExternalParty_AcceptsEachWayToSign(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	self := s.Node.ParticipantID
	key := func(seed byte) signing.PrivateKey { return newKey(t, signing.Curve25519, seed) }
	separate := func(owner, protocol signing.PrivateKey) topology.PartyToParticipant {
		mapping := selfSigned("separate", owner, self)
		mapping.Keys = []signing.Key{keyFor(protocol, signing.UsageProtocol, signing.UsageProofOfOwnership)}
		return mapping
	}
	older := separate(key(7), key(8))
	older.Keys = nil
	several := selfSigned("several", key(9), self)
	several.Keys = append(several.Keys, keyFor(newKey(t, signing.P256, 10)), keyFor(newKey(t, signing.Secp256k1, 11)))
	several.KeyThreshold = 2
	for name, c := range map[string]struct {
		request   *onboarding
		keys      []string
		threshold int
	}{
		"one signature over the transaction": {
			onboard(t, s, selfSigned("one", key(1), self)).sign(0, key(1)), fingerprints(key(1)), 1,
		},
		"both signatures of which one would do": {
			onboard(t, s, selfSigned("two", key(2), self)).sign(0, key(2)).signAll(key(2)), fingerprints(key(2)), 1,
		},
		"a namespace and another key, each over its own": {
			onboard(t, s, rootOf(key(3)), separate(key(3), key(4))).sign(0, key(3)).sign(1, key(3), key(4)),
			fingerprints(key(4)), 1,
		},
		"a namespace and another key, over all": {
			onboard(t, s, rootOf(key(5)), separate(key(5), key(6))).signAll(key(5), key(6)), fingerprints(key(6)), 1,
		},
		"keys apart, as older clients do it": {
			onboard(t, s, rootOf(key(7)), topology.PartyToKey{
				Party: older.Party, Keys: []signing.Key{keyFor(key(8))}, Threshold: 1,
			}, older).signAll(key(7), key(8)), fingerprints(key(8)), 1,
		},
		"two of three keys of different kinds": {
			onboard(t, s, several).
				signAll(key(9), newKey(t, signing.P256, 10), newKey(t, signing.Secp256k1, 11)),
			fingerprints(key(9), newKey(t, signing.P256, 10), newKey(t, signing.Secp256k1, 11)), 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.request.t = t
			state := onboardingOf(s.In(t), c.request.mustAllocate())
			require.Equal(t, parties.OnboardingAllocated, state.State)
			require.Equal(t, c.keys, state.SigningKeys)
			require.EqualValues(t, c.threshold, state.SigningThreshold)
		})
	}
}

func fingerprints(keys ...signing.PrivateKey) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = key.Public().Fingerprint()
	}
	return out
}

// together makes the onboarding of a party in a namespace of all the keys; the first key also signs its transactions.
func together(t *testing.T, s *apitest.Server, threshold int, owners ...signing.PrivateKey) *onboarding {
	t.Helper()
	var mappings []topology.Mapping
	for _, owner := range owners {
		mappings = append(mappings, rootOf(owner))
	}
	namespace := signing.DecentralizedNamespace(fingerprints(owners...)...)
	return onboard(t, s, append(mappings,
		topology.DecentralizedNamespace{Namespace: namespace, Threshold: threshold, Owners: fingerprints(owners...)},
		topology.PartyToParticipant{
			Party: ledger.Party("together::" + namespace), Threshold: 1, Hosts: hosts(s.Node.ParticipantID), KeyThreshold: 1,
			Keys: []signing.Key{keyFor(owners[0], signing.UsageProtocol, signing.UsageProofOfOwnership)},
		})...)
}

// contract: external-decentralized
func TestExternalParty_AllocatesInDecentralizedNamespace(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	one, two := newKey(t, signing.Curve25519, 1), newKey(t, signing.P256, 2)
	three := newKey(t, signing.Secp256k1, 3)
	body := refusedByManager(t, together(t, s, 2, one, two, three).signAll(one, two).allocate())
	require.Contains(t, body.Cause, "No root namespace delegation found for owner "+three.Public().Fingerprint())
	silent := together(t, s, 2, one, two, three).
		sign(0, one).sign(1, two).sign(2, three).sign(3, one, two).sign(4, one, two)
	refusal := refusedByManager(t, silent.allocate())
	require.Contains(t, refusal.Cause, "missing authorizations by namespaces={"+three.Public().Fingerprint()+"}")

	party := together(t, s, 2, one, two, three).
		sign(0, one).sign(1, two).sign(2, three).sign(3, one, two, three).sign(4, one, two).mustAllocate()
	require.NotNil(t, details(s, party))
	all := together(t, s, 1, one, two).signAll(one, two).mustAllocate()
	require.NotEqual(t, party, all)
	require.Equal(t, parties.OnboardingAllocated, onboardingOf(s, all).State)
}

// refusedByManager requires a refusal in the form of upstream's topology manager.
func refusedByManager(t *testing.T, answer apitest.Answer) v2.JsCantonError {
	t.Helper()
	var body v2.JsCantonError
	require.Equal(t, http.StatusBadRequest, answer.Status, answer.Text)
	require.NoError(t, json.Unmarshal([]byte(answer.Text), &body))
	require.Regexp(t, "^TOPOLOGY_[A-Z_]+$", body.Code, answer.Text)
	require.EqualValues(t, 8, body.ErrorCategory, answer.Text)
	require.EqualValues(t, 3, *body.GRPCCodeValue)
	require.Equal(t, "8", body.Context["category"])
	require.NotEmpty(t, *body.Hint)
	return body
}

// contract: external-user, external-rights
func TestExternalParty_RequiresRights(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{LedgerSettings: func(s *ledger.Settings) { s.MaxSelfAllocatedParties = 1 }})
	s.Rights("custodian")
	s.Rights("other")
	request := func(seed byte, userID string) parties.AllocateExternalPartyRequest {
		key := newKey(t, signing.Curve25519, seed)
		o := onboard(t, s, selfSigned("carol", key, s.Node.ParticipantID)).signAll(key)
		o.body.UserID = userID
		return o.body
	}
	s.Call("", http.MethodPost, allocatePath, request(1, "")).Refused(http.StatusUnauthorized, "NA")
	s.Call("", http.MethodPost, generatePath, "{}").Refused(http.StatusUnauthorized, "NA")
	s.Call("custodian", http.MethodPost, generatePath, "{}").Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	s.Call("custodian", http.MethodPost, allocatePath, request(1, "")).Refused(http.StatusForbidden, "NA")
	s.Call("custodian", http.MethodPost, allocatePath, request(1, "other")).Refused(http.StatusForbidden, "NA")

	var allocated parties.AllocateExternalPartyResponse
	s.Call("custodian", http.MethodPost, allocatePath, request(1, "custodian")).OK(&allocated)
	var rights users.ListUserRightsResponse
	s.Call("custodian", http.MethodGet, "/v2/users/custodian/rights", nil).OK(&rights)
	require.Equal(t, allocated.PartyID, rights.Rights[0].Kind.CanActAs.Value.Party)
	path := "/v2/parties/external/" + allocated.PartyID + "/onboarding"
	s.Call("custodian", http.MethodGet, path, nil).OK(nil)
	s.Call("other", http.MethodGet, path, nil).Refused(http.StatusForbidden, "NA")
	s.Call("custodian", http.MethodPost, allocatePath, request(2, "custodian")).Refused(http.StatusForbidden, "NA")

	s.Call(apitest.Admin, http.MethodPost, allocatePath, request(2, "nobody")).
		Refused(http.StatusNotFound, "USER_NOT_FOUND")
	s.Call(apitest.Admin, http.MethodPost, allocatePath, request(2, "no body")).
		Refused(http.StatusBadRequest, "INVALID_FIELD")
	s.Call(apitest.Admin, http.MethodPost, allocatePath, request(3, "")).OK(&allocated)
	for _, user := range []string{apitest.Admin, "custodian", "other"} {
		held, err := s.DB.UserRights(t.Context(), user)
		require.NoError(t, err)
		require.NotContains(t, held, ledger.Right{Kind: ledger.CanActAs, Party: ledger.Party(allocated.PartyID)},
			"without a user nobody may act as it")
	}
	s.Call(apitest.Admin, http.MethodPost, allocatePath, request(2, "other")).OK(&allocated)
	s.Call("other", http.MethodGet, "/v2/users/other/rights", nil).OK(&rights)
	require.Equal(t, allocated.PartyID, rights.Rights[0].Kind.CanActAs.Value.Party)
	s.Call("other", http.MethodGet, "/v2/parties/"+allocated.PartyID, nil).OK(nil)
}

// contract: external-provider
func TestExternalParty_BelongsToIdentityProvider(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.IdentityProvider("acme")
	key := newKey(t, signing.Curve25519, 1)
	request := onboard(t, s, selfSigned("carol", key, s.Node.ParticipantID)).signAll(key)
	request.body.IdentityProviderID = "unknown"
	require.Contains(t, request.allocate().Refused(http.StatusBadRequest, "INVALID_ARGUMENT").Cause,
		"Provided identity_provider_id unknown has not been found")
	request.body.IdentityProviderID = "a*b"
	request.allocate().Refused(http.StatusBadRequest, "INVALID_FIELD")

	request.body.IdentityProviderID = "acme"
	party := request.mustAllocate()
	shown := details(s, party)
	require.True(t, shown.IsLocal, "for the default identity provider, the answer says what this node hosts")
	require.Empty(t, shown.IdentityProviderID, "what belongs to another identity provider is not shown")
	require.Empty(t, shown.LocalMetadata.ResourceVersion)
	request.body.IdentityProviderID = ""
	request.allocate().Refused(http.StatusForbidden, "NA")
	path := "/v2/parties/external/" + string(party) + "/onboarding"
	s.Call(apitest.Admin, http.MethodGet, path, nil).Refused(http.StatusNotFound, "PARTY_NOT_FOUND")
	s.Call(apitest.Admin, http.MethodGet, path+"?identity-provider-id=acme", nil).OK(nil)
}

func TestExternalParty_RefusesExistingParty(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	key := newKey(t, signing.Curve25519, 1)
	request := onboard(t, s, selfSigned("carol", key, s.Node.ParticipantID)).signAll(key)
	party := request.mustAllocate()
	body := request.allocate().Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	short := string(party)[:len("carol::")+12] + "..."
	require.Contains(t, body.Cause, "Party "+short+" already exists on synchronizer "+s.Node.SynchronizerID)

	t.Run("the same hint with another key is another party", func(t *testing.T) {
		t.Parallel()
		other := newKey(t, signing.Curve25519, 2)
		require.NotEqual(t, party, onboard(t, s, selfSigned("carol", other, s.Node.ParticipantID)).signAll(other).mustAllocate())
	})
	t.Run("another hint with the same key is another party", func(t *testing.T) {
		t.Parallel()
		require.NotEqual(t, party, onboard(t, s, selfSigned("dave", key, s.Node.ParticipantID)).signAll(key).mustAllocate())
	})
}

// stuckOnboarder answers only when the test lets it.
type stuckOnboarder struct{ entered, release chan struct{} }

func (s *stuckOnboarder) Onboard(
	ctx context.Context, party ledger.Party, _ topology.Contribution, wait bool,
) (topology.Outcome, error) {
	if !wait {
		return topology.Outcome{Party: party, Progress: topology.Waiting}, nil
	}
	s.entered <- struct{}{}
	select {
	case <-s.release:
		return topology.Outcome{Party: party, Progress: topology.Allocated}, nil
	case <-ctx.Done():
		return topology.Outcome{}, ctx.Err()
	}
}

// contract: external-wait
func TestExternalParty_WaitsForAllocation(t *testing.T) {
	t.Parallel()
	stuck := &stuckOnboarder{entered: make(chan struct{}), release: make(chan struct{})}
	s := apitest.New(t, apitest.Options{Onboarder: stuck})
	key := newKey(t, signing.Curve25519, 1)
	request := onboard(t, s, selfSigned("carol", key, s.Node.ParticipantID)).signAll(key)
	first := make(chan apitest.Answer)
	go func() { first <- request.allocate() }()
	<-stuck.entered
	body := request.allocate().Refused(http.StatusConflict, "REQUEST_ALREADY_IN_FLIGHT")
	require.Contains(t, body.Cause, "is in the process of being allocated on this node.")
	request.body.WaitForAllocation = new(false)
	request.allocate().OK(nil)
	close(stuck.release)
	(<-first).OK(nil)

	t.Run("no longer than a request may last", func(t *testing.T) {
		t.Parallel()
		stuck := &stuckOnboarder{entered: make(chan struct{}, 1), release: make(chan struct{})}
		s := apitest.New(t, apitest.Options{Onboarder: stuck, RequestTimeout: 2 * time.Second})
		request := onboard(t, s, selfSigned("carol", key, s.Node.ParticipantID)).signAll(key)
		text := request.allocate().Plain(http.StatusServiceUnavailable)
		require.Contains(t, text, "The allocation may still succeed")
	})
}

// contract: external-keys
func TestGenerateTopology_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	key := newKey(t, signing.Curve25519, 1)
	good := fields{
		"synchronizer": s.Node.SynchronizerID, "partyHint": "carol", "publicKey": fields{
			"format": signing.KeyRaw, "keySpec": signing.Curve25519,
			"keyData": base64.StdEncoding.EncodeToString(key.Public().SPKI()[12:]),
		},
	}
	s.Call(apitest.Admin, http.MethodPost, generatePath, good).OK(nil)
	other := "other::" + key.Public().Fingerprint()
	wrongFormat := fields{"format": signing.KeyRaw, "keySpec": signing.P256, "keyData": ""}
	weak := fields{
		"format": signing.KeyRaw, "keySpec": signing.Curve25519,
		"keyData": base64.StdEncoding.EncodeToString(append([]byte{1}, make([]byte, 31)...)),
	}
	for want, changes := range map[string]fields{
		"public_key: the key data are a point of small order": {"publicKey": weak},
		"public_key is missing":                               {"publicKey": nil},
		"public_key: keys of":                                 {"publicKey": wrongFormat},
		"synchronizer: ":                                      {"synchronizer": "x"},
		"Unknown or not connected synchronizer":               {"synchronizer": "other::" + apitest.Namespace},
		"is a physical synchronizer id":                       {"synchronizer": s.Node.SynchronizerID + "::35-0"},
		"Party hint is empty":                                 {"partyHint": ""},
		"party_hint: ":                                        {"partyHint": "car$ol"},
		"Negative confirmation threshold":                     {"confirmationThreshold": -1},
		"otherConfirmingParticipantUids: ":                    {"otherConfirmingParticipantUids": []string{"x"}},
		"is also listed in 'observingParticipantUi":           {"observingParticipantUids": []string{s.Node.ParticipantID}},
		"referenced multiple times in the request":            {"observingParticipantUids": []string{other, other}},
		"threshold exceeds number of confirming":              {"confirmationThreshold": 2},
		"No participant would confirm":                        {"localParticipantObservationOnly": true},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			body := s.In(t).Call(apitest.Admin, http.MethodPost, generatePath, good.with(changes)).
				Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
			require.Contains(t, body.Cause, want)
		})
	}
	badKey := fields{"format": "CRYPTO_KEY_FORMAT_PEM", "keySpec": signing.P256, "keyData": ""}
	require.Contains(t, s.Call(apitest.Admin, http.MethodPost, generatePath, good.with(fields{"publicKey": badKey})).
		Plain(http.StatusBadRequest), "Unrecognized enum value CRYPTO_KEY_FORMAT_PEM")
}
