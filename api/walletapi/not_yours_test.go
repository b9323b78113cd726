package walletapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// TestWalletAPI_HidesContractsOfOtherUsers calls every endpoint that takes an id with the ids of Alice's contracts, as
// Bob, who has a wallet of the same operator: he gets a 404 for all, and nothing changes.
func TestWalletAPI_HidesContractsOfOtherUsers(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{Packages: []ledger.Package{apitest.RequestPackage()}})
	b.tap(b.alice, "10")
	theirs := b.OneOfEach(b.alice, b.OperatorWallet(), b.bob)
	answer := b.Send(http.MethodGet, "/docs/openapi/validator", http.Header{"Accept": {"application/json"}}, nil)
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(t, err)
	before, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	asked := 0
	for path, item := range document.Paths.Map() {
		if !strings.HasPrefix(path, "/v0/wallet/") && !strings.HasPrefix(path, allocations) ||
			strings.HasPrefix(path, "/v0/wallet/buy-traffic") {
			continue
		}
		for method, operation := range item.Operations() {
			var base, id string
			var body any
			if before, _, found := strings.Cut(path, "}"); found {
				base = before + "}"
			} else if slices.Contains([]string{offers + "/accept", offers + "/reject", offers + "/withdraw"}, path) {
				body, base = map[string]any{"contract_id": theirs[offers]}, offers
			} else {
				continue
			}
			if id = theirs[method+" "+base]; id == "" {
				id = theirs[base]
			}
			require.NotEmpty(t, id, "what could Bob ask %s %s for?", method, path)
			if operation.RequestBody != nil && body == nil {
				body = map[string]any{"reason": "because"}
			}
			got := b.Call("bob", method, strings.Replace(path, base, asPath(base, id), 1), body)
			require.Equal(t, http.StatusNotFound, got.Status, "%s %s: %s", method, path, got.Text)
			var refusal struct{ Error string }
			require.NoError(t, json.Unmarshal([]byte(got.Text), &refusal))
			asked++
		}
	}
	require.Equal(t, 23, asked, "every endpoint with an id, and those whose bodies have one")
	after, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, before.Offset, after.Offset, "nothing was even tried")
}

func asPath(base, id string) string {
	if before, _, found := strings.Cut(base, "{"); found {
		return before + id
	}
	return base
}

func cidOf[T any](id string) lf.CID[T] { return lf.CID[T](id) }
