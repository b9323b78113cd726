package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// FuzzWallets_AnyRequest sends any body, id and Idempotency-Key to any endpoint outside the ledger API: wallets,
// transfers, the token standard, the operator's. No answer is a server error, and the document describes each answer.
func FuzzWallets_AnyRequest(f *testing.F) {
	s := apitest.NewWithCoin(f, apitest.Options{})
	s.OperatorWallet()
	answer := s.Send(http.MethodGet, "/docs/openapi/validator", http.Header{"Accept": {"application/json"}}, nil)
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(f, err)
	var targets []mountedRoute
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			if !strings.HasPrefix(path, "/v0/dev/") && path != "/metrics" { // all tests share the clock
				targets = append(targets, mountedRoute{method: method, pattern: path, operation: operation})
			}
		}
	}
	slices.SortFunc(targets, func(a, b mountedRoute) int {
		return strings.Compare(a.pattern+" "+a.method, b.pattern+" "+b.method)
	})
	require.Less(f, len(targets), 256, "a byte chooses among them")
	for i, target := range targets {
		body, known := walletBodies[target.method+" "+target.pattern]
		if !known {
			body = object{}
		}
		encoded, err := json.Marshal(body)
		require.NoError(f, err)
		f.Add(byte(i), "alice", "key", string(encoded))
	}
	for _, body := range []string{"", "null", "[", `{"amount":"1e9"}`, `{"amount":1}`, `{"expires_at":-1}`, "\xff"} {
		f.Add(byte(len(body)), "a::b", "\x00", body)
	}
	f.Fuzz(func(t *testing.T, target byte, id, key, body string) {
		endpoint := targets[int(target)%len(targets)]
		path := fill(endpoint.pattern, url.PathEscape(id))
		header := http.Header{"Authorization": {"Bearer " + apitest.Token(t, apitest.LedgerUser)}}
		if key != "" {
			header.Set("Idempotency-Key", key)
		}
		answer := s.In(t).Send(endpoint.method, path, header, body)
		require.Less(t, answer.Status, http.StatusInternalServerError, "%s %s: %s", endpoint.method, path, answer.Text)
	})
}
