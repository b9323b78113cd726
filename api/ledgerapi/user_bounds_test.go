package ledgerapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// An administrator of an identity provider may change its users, except those with a right that it cannot grant.
func TestIDPAdmin_ChangesOnlyUsersWithRightsItCanGrant(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	acme := s.IdentityProvider("acme")
	foreign := s.Party("foreign")
	own := s.Node.LocalParty("own")
	_, err := s.DB.AllocateParty(t.Context(),
		ledger.PartyDetails{Party: own, IsLocal: true, IdentityProviderID: "acme"}, "")
	require.NoError(t, err)
	user := func(id, provider string, rights ...ledger.Right) {
		_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: id, IdentityProviderID: provider}, rights)
		require.NoError(t, err)
	}
	user("boss", "acme", ledger.Right{Kind: ledger.IdentityProviderAdmin})
	targets := map[string]struct {
		provider string
		rights   []ledger.Right
		within   bool
	}{
		"plain":      {"acme", nil, true},
		"deputy":     {"acme", []ledger.Right{{Kind: ledger.IdentityProviderAdmin}}, true},
		"own-actor":  {"acme", []ledger.Right{{Kind: ledger.CanActAs, Party: own}}, true},
		"root":       {"acme", []ledger.Right{{Kind: ledger.ParticipantAdmin}}, false},
		"reads-all":  {"acme", []ledger.Right{{Kind: ledger.CanReadAsAnyParty}}, false},
		"runs-all":   {"acme", []ledger.Right{{Kind: ledger.CanExecuteAsAnyParty}}, false},
		"acts-away":  {"acme", []ledger.Right{{Kind: ledger.CanActAs, Party: foreign}}, false},
		"acts-ghost": {"acme", []ledger.Right{{Kind: ledger.CanReadAs, Party: "ghost::1220aa"}}, false},
		"stranger":   {"", nil, false},
	}
	// onboard is a key owner's request that the user may act as its party.
	onboard := func(id string) string {
		key := s.Key(signing.Curve25519)
		generated := generate(s, "party-of-"+id, key)
		request := parties.AllocateExternalPartyRequest{
			Synchronizer: s.Node.SynchronizerID, IdentityProviderID: "acme", UserID: id,
			MultiHashSignatures: []v2.Signature{signatureBy(t, key, generated.MultiHash)},
		}
		for _, transaction := range generated.TopologyTransactions {
			request.OnboardingTransactions = append(request.OnboardingTransactions,
				parties.SignedTransaction{Transaction: transaction, Signatures: []v2.Signature{}})
		}
		body, err := json.Marshal(request)
		require.NoError(t, err)
		return string(body)
	}
	operations := map[string]func(id string) (method, path, body string){
		"deactivate": func(id string) (string, string, string) {
			return http.MethodPatch, "/v2/users/" + id,
				fmt.Sprintf(`{"user":{"id":%q,"isDeactivated":true},"updateMask":{"paths":["is_deactivated"]}}`, id)
		},
		"annotate": func(id string) (string, string, string) {
			return http.MethodPatch, "/v2/users/" + id, fmt.Sprintf(
				`{"user":{"id":%q,"metadata":{"annotations":{"a":"b"}}},"updateMask":{"paths":["metadata"]}}`, id)
		},
		"grant": func(id string) (string, string, string) {
			return http.MethodPost, "/v2/users/" + id + "/rights", fmt.Sprintf(
				`{"userId":%q,"rights":[{"kind":{"CanReadAs":{"value":{"party":%q}}}}]}`, id, own)
		},
		"revoke": func(id string) (string, string, string) {
			return http.MethodPatch, "/v2/users/" + id + "/rights", fmt.Sprintf(
				`{"userId":%q,"rights":[{"kind":{"CanReadAs":{"value":{"party":%q}}}}]}`, id, own)
		},
		"allocate": func(id string) (string, string, string) {
			return http.MethodPost, "/v2/parties", fmt.Sprintf(`{"identityProviderId":"acme","userId":%q}`, id)
		},
		"onboard": func(id string) (string, string, string) { return http.MethodPost, allocatePath, onboard(id) },
		"delete":  func(id string) (string, string, string) { return http.MethodDelete, "/v2/users/" + id, "" },
	}
	send := func(method, path, body string) apitest.Answer {
		return s.Send(method, path, apitest.Bearer(acme.Token("boss")), body)
	}
	for kind, target := range targets {
		for name, operation := range operations {
			id := kind + "-" + name
			user(id, target.provider, target.rights...)
			answer := send(operation(id))
			if target.within {
				require.Equal(t, http.StatusOK, answer.Status, "%s: %s", id, answer.Text)
				continue
			}
			answer.Refused(http.StatusForbidden, "NA")
			kept, known, err := s.DB.UserNamed(t.Context(), id)
			require.NoError(t, err)
			require.True(t, known && !kept.IsDeactivated && len(kept.Annotations) == 0, id)
			rights, err := s.DB.UserRights(t.Context(), id)
			require.NoError(t, err)
			require.Len(t, rights, len(target.rights), id)
		}
	}
	for _, operation := range operations {
		send(operation("nobody")).Refused(http.StatusNotFound, "USER_NOT_FOUND")
	}
}

// Clients create a user if its id does not exist.
//
// contract: users-of-providers
func TestIDPAdmin_LearnsWhichUsersExist(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	acme := s.IdentityProvider("acme")
	s.IdentityProvider("other")
	for id, provider := range map[string]string{"boss": "acme", "own": "acme", "stranger": "", "foreign": "other"} {
		var rights []ledger.Right
		if id == "boss" {
			rights = []ledger.Right{{Kind: ledger.IdentityProviderAdmin}}
		}
		_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: id, IdentityProviderID: provider}, rights)
		require.NoError(t, err)
	}
	boss := func(method, path, body string) apitest.Answer {
		return s.Send(method, path, apitest.Bearer(acme.Token("boss")), body)
	}
	create := func(id string) string { return fmt.Sprintf(`{"user":{"id":%q,"identityProviderId":"acme"}}`, id) }
	for _, suffix := range []string{"", "?identity-provider-id=acme", "/rights"} {
		boss(http.MethodGet, "/v2/users/nobody"+suffix, "").Refused(http.StatusNotFound, "USER_NOT_FOUND")
		boss(http.MethodGet, "/v2/users/own"+suffix, "").OK(nil)
		boss(http.MethodGet, "/v2/users/stranger"+suffix, "").Refused(http.StatusForbidden, "NA")
		boss(http.MethodGet, "/v2/users/foreign"+suffix, "").Refused(http.StatusForbidden, "NA")
	}
	boss(http.MethodPost, "/v2/users", create("own")).Refused(http.StatusConflict, "USER_ALREADY_EXISTS")
	boss(http.MethodPost, "/v2/users", create("stranger")).Refused(http.StatusForbidden, "NA")
	boss(http.MethodPost, "/v2/users", create("foreign")).Refused(http.StatusForbidden, "NA")
	s.Call(apitest.Admin, http.MethodPost, "/v2/users", create("foreign")).Refused(http.StatusForbidden, "NA")
	s.Call(apitest.Admin, http.MethodPost, "/v2/users", create("own")).
		Refused(http.StatusConflict, "USER_ALREADY_EXISTS")
	boss(http.MethodPost, "/v2/users", create("nobody")).OK(nil)
}
