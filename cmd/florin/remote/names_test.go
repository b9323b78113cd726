package remote

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/decimal"
)

// TestFind_MatchesTheWholeHint: a name must not select a party with a longer hint, even if that is the only one.
func TestFind_MatchesTheWholeHint(t *testing.T) {
	t.Parallel()
	const node, other = "::1220ab", "::1220cd"
	var known []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{"users": []any{}}
		switch {
		case r.URL.Path == "/v2/parties":
			var found []any
			for _, party := range known {
				if strings.HasPrefix(party, r.URL.Query().Get("filter-party")) {
					found = append(found, map[string]any{"party": party})
				}
			}
			answer = map[string]any{"partyDetails": found}
		case r.URL.Path != "/v2/users":
			w.WriteHeader(http.StatusNotFound)
			answer = map[string]any{"code": "USER_NOT_FOUND"}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	session, err := Node{URL: server.URL, AdminUser: "admin"}.Open()
	require.NoError(t, err)
	t.Cleanup(session.Close)
	for name, test := range map[string]struct {
		known          []string
		typed, found   string
		failsBecauseOf string
	}{
		"of one":                 {[]string{"dave" + node}, "dave", "dave" + node, ""},
		"that another begins so": {[]string{"dave" + node, "dave:" + node}, "dave", "dave" + node, ""},
		"with a colon":           {[]string{"dave" + node, "dave:" + node}, "dave:", "dave:" + node, ""},
		"of nobody":              {[]string{"dave:" + node}, "dave", "", "there is no party or user dave"},
		"of two":                 {[]string{"dave" + node, "dave" + other}, "dave", "", "2 parties are called dave"},
		"whole":                  {[]string{"dave" + node, "dave" + node + "cd"}, "dave" + node, "dave" + node, ""},
		"the beginning of an id": {[]string{"dave" + node}, "dave::12", "", "there is no party dave::12"},
	} {
		known = test.known
		found, err := session.find(t.Context(), test.typed)
		if test.failsBecauseOf != "" {
			require.ErrorContains(t, err, test.failsBecauseOf, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, test.found, found.Party, name)
	}
}

func TestOffers_ShowTheirSenders(t *testing.T) {
	t.Parallel()
	const me = "bob::1220ab"
	from := func(sender, note string) offer {
		return offer{
			ContractID: "00ab", Kind: kindOffer, Sender: sender, Receiver: me, Amount: decimal.FromInt(5), ExpiresAt: time.Now(),
			Note: note,
		}
	}
	answer := offersAnswer(me, []offer{
		from("carol::1220ab", "lunch"), from("carol ::1220ab", "lunch"), from("carol:::1220ab", "lunch"),
		from("carol::1220"+strings.Repeat("cd", 32), strings.Repeat("x", 16_000)),
	})
	var shown []string
	for _, row := range answer.Table.Rows {
		shown = append(shown, row[1])
		require.Equal(t, "bob", row[2])
		require.Less(t, len(row[5]), 300)
	}
	require.Equal(t, []string{"carol", `"carol␣"`, `"carol:"`, "carol::cdcdcdcdcdcdcdcd…"}, shown)
}
