package changes_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

func TestKeeper_RepeatsAnswerOnlyToAuthorizedUser(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	acme := s.IdentityProvider("acme")
	body := `{"amount":"10"}`
	with := func(token, key string) apitest.Answer {
		header := http.Header{changes.KeyHeader: {key}}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		return s.Send(http.MethodPost, tap, header, body)
	}
	for name, take := range map[string]func(t *testing.T, user string){
		"revoked": func(t *testing.T, user string) {
			t.Helper()
			rights, err := s.DB.UserRights(t.Context(), user)
			require.NoError(t, err)
			_, err = s.DB.RevokeRights(t.Context(), user, rights)
			require.NoError(t, err)
		},
		"deactivated": func(t *testing.T, user string) {
			t.Helper()
			_, err := s.DB.UpdateUser(t.Context(), user, nil, func(user *ledger.User) error {
				user.IsDeactivated = true
				return nil
			})
			require.NoError(t, err)
		},
		"deleted": func(t *testing.T, user string) {
			t.Helper()
			require.NoError(t, s.DB.DeleteUser(t.Context(), user))
		},
	} {
		s.Onboard(name)
		token := apitest.Token(t, name)
		with(token, "key-1").OK(nil)
		take(t, name)
		for _, caller := range []string{token, acme.Token(name), ""} {
			for _, key := range []string{"key-1", "key-2"} {
				answer := with(caller, key)
				require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, answer.Status,
					"%s, %s: %s", name, key, answer.Text)
				require.Empty(t, answer.Header.Get(changes.ReplayedHeader))
			}
		}
	}
}
