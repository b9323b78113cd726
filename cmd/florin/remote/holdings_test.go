package remote

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

// The sender names a token by its name. If that is not enough, or no package is trusted, the command says what is
// missing and sends nothing.
func TestSend_FindsTheTokenAmongHoldings(t *testing.T) {
	t.Parallel()
	const acme, other = "acme::1220", "other::1220"
	balance := func(name, admin, pkg string) any {
		return map[string]any{
			"package_name": pkg, "instrument": map[string]any{"admin": admin, "id": name}, "unlocked": "5.0", "locked": nil,
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{"tokens": []any{
			balance("Gold", acme, "gold"), balance("Gold", acme, "newer-gold"),
			balance("Tin", acme, "tin"), balance("Tin", other, "tin"),
		}, "unreadable": []any{}}
		if name, ok := strings.CutPrefix(r.URL.Path, "/v2/users/"); ok {
			answer = map[string]any{"user": map[string]any{"id": name, "primaryParty": name + "::1220"}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	session, err := Node{URL: server.URL, AdminUser: "admin"}.Open()
	require.NoError(t, err)
	t.Cleanup(session.Close)
	sender, wallet, err := session.wallet(t.Context(), "alice")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		command SendCommand
		admin   string
		failure string
	}{
		"the only one":          {SendCommand{Instrument: "Gold", Trust: []string{"gold"}}, acme, ""},
		"of an administrator":   {SendCommand{Instrument: "Tin", Administrator: "other", Trust: []string{"tin"}}, other, ""},
		"held by nobody":        {SendCommand{Instrument: "Lead", Administrator: "acme", Trust: []string{"lead"}}, acme, ""},
		"of two administrators": {SendCommand{Instrument: "Tin", Trust: []string{"tin"}}, "", "several administrators"},
		"without trust":         {SendCommand{Instrument: "Gold"}, "", "would act in the name of alice"},
		"unknown":               {SendCommand{Instrument: "Lead", Trust: []string{"lead"}}, "", "holds no token with the name Lead"},
	} {
		c.command.Node = Node{URL: server.URL}
		found, err := c.command.token(t.Context(), session, sender, wallet)
		if c.failure != "" {
			require.ErrorContains(t, err, c.failure, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, &client.Instrument{Admin: c.admin, ID: c.command.Instrument}, found, name)
	}
	require.Error(t, (&SendCommand{Trust: []string{"gold"}, Expires: 1}).Validate())
	require.NoError(t, (&SendCommand{Instrument: "Gold", Trust: []string{"gold"}, Expires: 1}).Validate())
}

func TestTokens_AreShownAsClaims(t *testing.T) {
	t.Parallel()
	amount := decimal.MustParse("7.50")
	of := client.TokenKind{Package: "gold", Instrument: client.Instrument{Admin: "acme::1220", ID: "Gold"}}
	require.Equal(t, "7.5 Gold", tokens(&amount, of))
	require.Equal(t, "too many Gold", tokens(nil, of))
	require.Equal(t, "7.5 Gold of gold", offer{Amount: amount, Token: &of}.shown(), "beside coin, the package is named")
	of.Instrument.ID = "CC  5 CC"
	require.Equal(t, `7.5 "CC␣␣5␣CC"`, tokens(&amount, of))
	require.Equal(t, "7.5 CC", offer{Amount: amount}.shown())
	require.Equal(t, "acme (did not sign)", administrator("alice::1220", of))
	of.Signed = true
	require.Equal(t, "acme", administrator("alice::1220", of))
}
