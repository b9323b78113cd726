package walletapi_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/walletapi/instruments"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/test/apitest"
)

// registry is the registry of carol's token. It answers with what a test wants.
type registry struct {
	bank

	// factory is the JSON of the factory and its context; status is another status than 200.
	factory string
	status  int
	asked   []string
}

func (r *registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.asked = append(r.asked, request.URL.Path)
	if r.status != 0 {
		w.WriteHeader(r.status)
	}
	if strings.HasSuffix(request.URL.Path, "-factory") {
		_, _ = w.Write([]byte(r.factory))
		return
	}
	_, _ = w.Write([]byte(`{"choiceContextData":{"values":{"note":{"tag":"AV_Text","value":"hi"}}},"disclosedContracts":[]}`))
}

// withRegistry is a bank where only the registry shows alice the factory of carol's token.
func withRegistry(t *testing.T) *registry {
	t.Helper()
	b := newBank(t, apitest.Options{Packages: []ledger.Package{apitest.TokenPackage()}})
	rules := apitest.Create(b.Server, apitest.TokenRules{Admin: b.carol.Party}, b.carol.Party)
	b.mint(b.carol.Party, b.alice, "7")
	r := &registry{bank: b, factory: b.factoryJSON(rules.ID())}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	registries, err := instruments.ParseRegistries([]string{string(b.carol.Party) + "=" + server.URL + "/"})
	require.NoError(t, err)
	r.Server = b.Twin(apitest.Options{Registries: registries})
	return r
}

// factoryJSON is the answer of a registry that discloses its factory.
func (b bank) factoryJSON(id ledger.ContractID) string {
	b.t.Helper()
	stored, found, err := b.DB.Contract(b.t.Context(), id)
	require.NoError(b.t, err)
	require.True(b.t, found)
	blob, err := ledger.EncodeBlob(stored.Contract)
	require.NoError(b.t, err)
	return fmt.Sprintf(`{"factoryId":%q,"transferKind":"offer","choiceContext":{"choiceContextData":{"values":{}},
		"disclosedContracts":[{"templateId":%q,"contractId":%[1]q,"createdEventBlob":%[3]q,"synchronizerId":%[4]q}]}}`,
		id, stored.Template, base64.StdEncoding.EncodeToString(blob), b.Node.SynchronizerID)
}

func TestTokenTransfer_UsesTheRegistryOfTheAdministrator(t *testing.T) {
	t.Parallel()
	r := withRegistry(t)
	id := r.offerGold("3", "one")
	r.tokenOf(r.alice, "4.0000000000", "3.0000000000")
	r.post(r.bob, transfers+"/"+id+"/accept", trusting()).OK(nil)
	r.tokenOf(r.bob, "3.0000000000", "0.0000000000")
	body := r.gold(r.allocation("one"))
	body["transfer_leg"].(map[string]any)["amount"] = "2"
	var made struct {
		Output map[string]string `json:"output"`
	}
	r.post(r.alice, allocations, body).OK(&made)
	allocated := made.Output["allocation_cid"]
	r.post(r.alice, allocations+"/"+allocated+"/withdraw", trusting()).OK(nil)
	require.Equal(t, []string{
		"/registry/transfer-instruction/v1/transfer-factory",
		"/registry/transfer-instruction/v1/" + id + "/choice-contexts/accept",
		"/registry/allocation-instruction/v1/allocation-factory",
		"/registry/allocations/v1/" + allocated + "/choice-contexts/withdraw",
	}, slices.Compact(r.asked), "the test server serves each request twice")
}

func TestTokenTransfer_DistrustsTheRegistry(t *testing.T) {
	t.Parallel()
	r := withRegistry(t)
	template, err := ledger.TemplateName[coin.ExternalPartyAmuletRules](r.Packages)
	require.NoError(t, err)
	factories, err := r.DB.ActiveByTemplate(t.Context(), template.String(), 1)
	require.NoError(t, err)
	require.Len(t, factories, 1)
	holding := apitest.Create(r.Server, apitest.TokenHolding{Holding: token.HoldingView{
		Owner: r.bob.Party, Amount: decimal.FromInt(1), InstrumentID: token.InstrumentID{Admin: r.bob.Party, ID: "Gold"},
	}}, r.bob.Party)
	honest := r.factory
	for name, c := range map[string]struct {
		factory string
		status  int
		want    int
		text    string
	}{
		"no JSON":                     {"<html>", 0, 503, "does not have the token standard's form"},
		"nothing":                     {"{}", 0, 503, "does not disclose its factory"},
		"too large":                   {strings.Repeat(" ", 2<<20), 0, 503, "is larger than 1048576 bytes"},
		"a refusal":                   {`{"error":"paused"}`, 400, 400, "refuses: paused"},
		"a failure":                   {`{"error":"oh"}`, 500, 503, "it answered 500"},
		"a redirect":                  {"", 302, 503, "it answered 302"},
		"the coin's factory":          {r.factoryJSON(factories[0].ID), 0, 400, "is of the built-in package"},
		"a contract of another kind":  {r.factoryJSON(holding.ID()), 0, 503, "is no transfer factory"},
		"a contract that is not seen": {fmt.Sprintf(`{"factoryId":%q}`, holding), 0, 503, "does not disclose"},
		"a forged factory": {
			strings.Replace(honest, `"createdEventBlob":"AX`, `"createdEventBlob":"AY`, 1), 0, 503, "cannot be used",
		},
		"a broken context": {
			strings.Replace(honest, `{"values":{}}`, `{"values":{"a":{"tag":"AV_Text","value":1}}}`, 1), 0, 400, "",
		},
	} {
		r.factory, r.status = c.factory, c.status
		answer := r.post(r.alice, transfers, r.gold(offerOf(r.bob.Party, name)))
		require.Equal(t, c.want, answer.Status, "%s: %s", name, answer.Text)
		require.Contains(t, answer.Text, c.text, name)
	}
	r.tokenOf(r.alice, "7.0000000000", "0.0000000000")
}
