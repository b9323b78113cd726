package ledgerapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

func rightsOf(s *apitest.Server, user string) []users.Right {
	var rights users.ListUserRightsResponse
	s.Call(user, http.MethodGet, "/v2/users/"+user+"/rights", nil).OK(&rights)
	return rights.Rights
}

// An administrator of a tenant tries to take a party before its owner onboards it.
func TestOnboarding_CannotBeTakenOver(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	acme := s.IdentityProvider("acme")
	s.Rights("custodian")
	const mallory = "mallory"
	_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: mallory, IdentityProviderID: "acme"},
		[]ledger.Right{{Kind: ledger.IdentityProviderAdmin}})
	require.NoError(t, err)
	rightsOfMallory := func() []ledger.Right {
		rights, err := s.DB.UserRights(t.Context(), mallory)
		require.NoError(t, err)
		return rights
	}
	key, otherKey := newKey(t, signing.Curve25519, 1), newKey(t, signing.Curve25519, 9)
	other := "other::" + otherKey.Public().Fingerprint()
	alone, several := selfSigned("alice", key, s.Node.ParticipantID), selfSigned("bob", key, s.Node.ParticipantID, other)
	squat := func(request *onboarding) apitest.Answer {
		body := request.body
		body.IdentityProviderID, body.UserID = "acme", mallory
		return s.Send(http.MethodPost, allocatePath, apitest.Bearer(acme.Token(mallory)), body)
	}

	t.Log("before the owner has signed, there is nothing that waits")
	for _, unsigned := range []*onboarding{
		onboard(t, s, alone), onboard(t, s, several), onboard(t, s, rootOf(key), alone),
		onboard(t, s, rootOf(otherKey), several).sign(0, otherKey).sign(1, otherKey),
	} {
		for _, wait := range []bool{true, false} {
			unsigned.body.WaitForAllocation = &wait
			refusedByManager(t, squat(unsigned))
		}
	}
	require.Len(t, rightsOfMallory(), 1)

	t.Log("while it waits for others, what the owner has not signed changes nothing and tells nothing")
	owner := onboard(t, s, several).signAll(key)
	owner.body.UserID = "custodian"
	party := owner.mustAllocate()
	answer := squat(onboard(t, s, several))
	require.Contains(t, refusedByManager(t, answer).Cause, "missing authorizations by namespaces=")
	agreement := onboard(t, s, rootOf(otherKey), several).sign(0, otherKey).sign(1, otherKey)
	refusedByManager(t, squat(agreement))
	agreement.body.UserID = "other"
	s.Rights("other")
	body := agreement.allocate().Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, body.Cause, `a request with userId "other" must be signed with the namespace keys of party bob::`)

	t.Log("the agreement of the other host completes what the owner has signed, for whom the owner named")
	agreement.body.UserID = "custodian"
	agreement.mustAllocate()
	require.Equal(t, string(party), rightsOf(s, "custodian")[0].Kind.CanActAs.Value.Party)
	require.Len(t, rightsOfMallory(), 1)
	require.Empty(t, rightsOf(s, "other"))

	t.Log("afterwards it learns nothing either")
	answer = squat(onboard(t, s, several))
	require.NotContains(t, refusedByManager(t, answer).Cause, "exists")
}

func TestOnboarding_WithdrawalLeavesNoRight(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("first")
	s.Rights("second")
	key, otherKey := newKey(t, signing.Curve25519, 1), newKey(t, signing.Curve25519, 9)
	mapping := selfSigned("alice", key, s.Node.ParticipantID, "other::"+otherKey.Public().Fingerprint())
	request := onboard(t, s, mapping).signAll(key)
	request.body.UserID = "first"
	party := request.mustAllocate()
	there, err := s.DB.WithdrawOnboarding(t.Context(), party)
	require.NoError(t, err)
	require.True(t, there)

	request.body.UserID = "second"
	request.mustAllocate()
	onboard(t, s, rootOf(otherKey), mapping).sign(0, otherKey).sign(1, otherKey).mustAllocate()
	require.Empty(t, rightsOf(s, "first"))
	require.Len(t, rightsOf(s, "second"), 1)
}
