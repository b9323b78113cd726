package walletapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

func register(t *testing.T, s *apitest.Server, token string) (ledger.Party, apitest.Answer) {
	t.Helper()
	answer := s.Send(http.MethodPost, "/v0/register", http.Header{"Authorization": {"Bearer " + token}}, nil)
	if answer.Status != http.StatusOK {
		return "", answer
	}
	var body struct {
		PartyID ledger.Party `json:"party_id"`
	}
	answer.OK(&body)
	return body.PartyID, answer
}

func TestWallet_HiddenFromSameUserNameOfOtherProvider(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	acme := s.IdentityProvider("acme")
	party, _ := register(t, s, apitest.Token(t, "victim"))
	require.NotEmpty(t, party)

	_, answer := register(t, s, acme.Token("victim"))
	require.Equal(t, http.StatusForbidden, answer.Status, "the name is taken")
	for _, path := range []string{"/v0/wallet/balance", "/v0/wallet/coins"} {
		header := http.Header{"Authorization": {"Bearer " + acme.Token("victim")}}
		known := s.Send(http.MethodGet, path, header, nil)
		header = http.Header{"Authorization": {"Bearer " + acme.Token("nobody")}}
		unknown := s.Send(http.MethodGet, path, header, nil)
		require.Equal(t, unknown.Status, known.Status, "the answer does not show owners of wallets")
	}

	u.offboard("victim")
	other, _ := register(t, s, acme.Token("victim"))
	require.NotEmpty(t, other)
	require.NotEqual(t, party, other)
	rights, err := s.DB.UserRights(t.Context(), "victim")
	require.NoError(t, err)
	require.Equal(t, []ledger.Right{{Kind: ledger.CanActAs, Party: other}}, rights)
}

func TestRegister_RestoresNoRevokedAccess(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	for name, take := range map[string]func(t *testing.T, user string, party ledger.Party){
		"revoked": func(t *testing.T, user string, party ledger.Party) {
			t.Helper()
			_, err := s.DB.RevokeRights(t.Context(), user, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
			require.NoError(t, err)
		},
		"revoked-and-cleared": func(t *testing.T, user string, party ledger.Party) {
			t.Helper()
			_, err := s.DB.RevokeRights(t.Context(), user, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
			require.NoError(t, err)
			_, err = s.DB.UpdateUser(t.Context(), user, nil, func(user *ledger.User) error {
				user.PrimaryParty = ""
				return nil
			})
			require.NoError(t, err)
		},
		"deleted": func(t *testing.T, user string, _ ledger.Party) {
			t.Helper()
			require.NoError(t, s.DB.DeleteUser(t.Context(), user))
		},
		"offboarded": func(t *testing.T, user string, _ ledger.Party) {
			t.Helper()
			users{s, t}.offboard(user)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token := apitest.Token(t, name)
			party, _ := register(t, s, token)
			require.NotEmpty(t, party)
			again, _ := register(t, s, token)
			require.Equal(t, party, again)

			take(t, name, party)
			before, err := s.DB.UserRights(t.Context(), name)
			require.NoError(t, err)
			_, answer := register(t, s, token)
			fails(t, answer, http.StatusForbidden, "Registering does not restore it: ask an administrator")
			after, err := s.DB.UserRights(t.Context(), name)
			require.NoError(t, err)
			require.Equal(t, before, after)

			require.Equal(t, party, u.onboard(map[string]any{"name": name}), "an operator gives it back")
			again, _ = register(t, s, token)
			require.Equal(t, party, again)
		})
	}
	t.Run("a user that never had a wallet", func(t *testing.T) {
		t.Parallel()
		s.Rights("plain")
		require.NoError(t, s.DB.DeleteUser(t.Context(), "plain"))
		_, answer := register(t, s, apitest.Token(t, "plain"))
		fails(t, answer, http.StatusForbidden, "ask an administrator")
	})
}
