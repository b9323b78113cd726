//go:build dars

package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// tokenRegistry is the registry of acme's token: it shows everybody acme's factory, which only acme sees on the ledger.
type tokenRegistry struct {
	*httptest.Server

	factory, blob string
}

func startTokenRegistry(t *testing.T) *tokenRegistry {
	t.Helper()
	r := &tokenRegistry{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		context := map[string]any{
			"choiceContextData": map[string]any{"values": map[string]any{}}, "disclosedContracts": []any{},
		}
		if !strings.HasSuffix(request.URL.Path, "-factory") {
			_ = json.NewEncoder(w).Encode(context)
			return
		}
		context["disclosedContracts"] = []any{map[string]any{
			"contractId": r.factory, "createdEventBlob": r.blob, "templateId": "", "synchronizerId": "",
		}}
		_ = json.NewEncoder(w).Encode(map[string]any{"factoryId": r.factory, "choiceContext": context})
	}))
	t.Cleanup(r.Close)
	return r
}

// goldPackage is the published package of the token in these tests.
const goldPackage = "splice-test-token-v1"

// issueGold starts a node where acme has issued 12 Gold to alice, who has 100 coins too. The issuer acts for acme and
// alice.
func issueGold(t *testing.T) (p person, parties map[string]string, issuer *client.Client) {
	t.Helper()
	n := up(t, dataDir(t))
	p = person{t: t, node: n}
	p.types("dar upload " + filepath.Join(os.Getenv("DARS"), goldPackage+"-1.0.0.dar"))
	p.types("party new acme alice bob")
	p.types("tap alice 0.5")
	p.types("user new issuer --act-as acme --act-as alice")
	parties = map[string]string{}
	for _, one := range reads[struct {
		Parties []struct{ Party string }
	}](p, "party list").Parties {
		parties[client.PartyName(one.Party)] = one.Party
	}
	issuer = n.client.With(client.Token(secret, audience, "issuer"))
	create := func(id, entity string, argument any) {
		_, err := issuer.SubmitAndWait(t.Context(), client.Commands{
			CommandID: id, ActAs: []string{parties["acme"], parties["alice"]},
			Commands: []client.Command{{Create: &client.Create{
				TemplateID: "#" + goldPackage + ":Splice.Testing.Tokens.TestTokenV1:" + entity, CreateArguments: argument,
			}}},
		})
		require.NoError(t, err)
	}
	create("rules", "TokenRules", map[string]any{"admin": parties["acme"]})
	create("mint", "Token", map[string]any{"holding": map[string]any{
		"owner": parties["alice"], "instrumentId": map[string]any{"admin": parties["acme"], "id": "Gold"}, "amount": "12",
		"lock": nil, "meta": map[string]any{"values": map[string]any{}},
	}})
	return p, parties, issuer
}

// A token of a published package moves between two wallets on the command line, through the registry of its
// administrator, and never counts as coin.
func TestPublishedDARs_TokenMovesBetweenWallets(t *testing.T) {
	t.Parallel()
	p, parties, issuer := issueGold(t)
	n := p.node
	registry := startTokenRegistry(t)
	registry.factory, registry.blob = factoryOf(t, issuer, parties["acme"])

	require.Regexp(t, `(?m)^12 Gold +0 Gold +`+goldPackage+` +acme$`, p.types("holdings alice"))
	refused := run(t, nil, p.arguments("send alice bob 5 --instrument Gold --trust "+goldPackage)...)
	require.Equal(t, 1, refused.exitCode(t))
	require.Contains(t, refused.stderr.String(), "No transfer factory")

	n.interrupt(t)
	p.node = up(t, n.dir, "--token-registries", parties["acme"]+"="+registry.URL)
	p.mistakes(
		mistake{"send alice bob 5 --instrument Gold", 1, []string{"would act in the name of alice", "--trust " + goldPackage}},
		mistake{"send alice bob 13 --instrument Gold --trust " + goldPackage, 1, []string{"Insufficient holdings"}},
		mistake{"send alice bob 5 --instrument Tin --trust " + goldPackage, 1, []string{"holds no token with the name Tin"}},
		mistake{"send alice bob 5 --trust " + goldPackage, 2, []string{"--instrument"}},
	)
	require.Contains(t, p.types("send alice bob 5 --instrument Gold --note lunch --trust "+goldPackage), "alice offers 5 Gold of "+goldPackage+" to bob")
	require.Regexp(t, `alice +bob +5 Gold .*lunch`, p.types("offers bob"))
	p.mistakes(mistake{"offers accept bob", 1, []string{"is of package", "--trust " + goldPackage}})
	require.Contains(t, p.types("offers accept bob --trust "+goldPackage), "bob took the 5 Gold of "+goldPackage+" from alice to bob")
	require.Regexp(t, `(?m)^7 Gold +0 Gold +`+goldPackage, p.types("holdings alice"))
	require.Regexp(t, `(?m)^5 Gold +0 Gold +`+goldPackage, p.types("holdings bob"))
	require.Regexp(t, `bob +5 Gold +0 Gold +`+goldPackage, p.types("holdings history bob"))
	require.Regexp(t, `(?m)^alice +100 CC +0 CC$`, p.types("balance alice"), "a token is no coin")
}

// The trading app asks a wallet for coin and for a token. The command line lists what it asks, sets both aside and takes
// both back.
func TestPublishedDARs_CommandLineSetsAsideWhatAnAppAsks(t *testing.T) {
	t.Parallel()
	p, parties, issuer := issueGold(t)
	registry := startTokenRegistry(t)
	registry.factory, registry.blob = factoryOf(t, issuer, parties["acme"])
	p.node.interrupt(t)
	p.node = up(t, p.node.dir, "--token-registries", parties["acme"]+"="+registry.URL)
	p.types("dar upload " + filepath.Join(os.Getenv("DARS"), "splice-token-test-trading-app-1.0.2.dar"))
	require.Equal(t, "no app asks alice to set anything aside\n", p.types("holdings requests alice"))
	p.mistakes(mistake{"holdings allocate alice 00", 1, []string{`0 requests to alice have an id that begins with "00"`, "holdings requests alice"}})

	dso, err := p.node.client.With(client.Token(secret, audience, "alice")).DSO(t.Context())
	require.NoError(t, err)
	leg := func(admin, instrument, amount string) any {
		return map[string]any{
			"sender": parties["alice"], "receiver": parties["acme"], "amount": amount, "meta": map[string]any{"values": map[string]any{}},
			"instrumentId": map[string]any{"admin": admin, "id": instrument},
		}
	}
	at := func(fromNow time.Duration) string { return time.Now().Add(fromNow).UTC().Format(time.RFC3339) }
	_, err = p.node.client.With(client.Token(secret, audience, "issuer")).SubmitAndWait(t.Context(), client.Commands{
		CommandID: "trade", ActAs: []string{parties["acme"], parties["alice"]},
		Commands: []client.Command{{Create: &client.Create{
			TemplateID: "#splice-token-test-trading-app:Splice.Testing.Apps.TradingApp:OTCTrade", CreateArguments: map[string]any{
				"venue": parties["acme"], "tradeCid": "00" + strings.Repeat("0", 64), "createdAt": at(-time.Minute),
				"prepareUntil": at(time.Hour), "settleBefore": at(2 * time.Hour), "transferLegs": map[string]any{
					"coin": leg(dso, "Amulet", "40"), "gold": leg(parties["acme"], "Gold", "3"),
					"much": leg(dso, "Amulet", "1000"), "false": leg(parties["acme"], "Amulet", "1"),
				},
			},
		}}},
	})
	require.NoError(t, err)
	listed := p.types("holdings requests alice")
	require.Regexp(t, `(?m) coin +40 CC +acme +acme `, listed)
	require.Regexp(t, `(?m) gold +3 Gold of acme +acme +acme `, listed)
	require.Regexp(t, `(?m) false +1 Amulet of acme +acme +acme `, listed, "another's Amulet is no coin")
	request := strings.TrimSpace(p.types("holdings requests alice --quiet"))
	p.mistakes(
		mistake{"holdings allocate alice " + request, 1, []string{"the request asks alice for 4 legs", "--leg: coin, false, gold, much"}},
		mistake{"holdings allocate alice " + request + " --leg tin", 1, []string{`no leg "tin"`, "--leg: coin"}},
		mistake{"holdings allocate alice " + request + " --leg gold", 1, []string{"would act in the name of alice", "--trust " + goldPackage}},
		mistake{"holdings allocate alice " + request + " --leg coin --trust " + goldPackage, 1, []string{"this leg is in coin"}},
		mistake{"holdings allocate alice " + request + " --leg false", 1, []string{"alice holds no Amulet of acme"}},
		mistake{"holdings allocate alice " + request + " --leg much", 1, []string{"alice has only 100 CC, less than 1000 CC", "tap alice 5"}},
	)
	require.Contains(t, p.types("holdings allocate alice "+request[:12]+" --leg coin"), "alice set 40 CC aside for acme until ")
	made := reads[struct {
		Status     string
		Allocation *string
		Token      *client.Instrument
	}](p, "holdings allocate alice "+request+" --leg gold --trust "+goldPackage)
	require.Equal(t, "completed", made.Status)
	require.Equal(t, &client.Instrument{Admin: parties["acme"], ID: "Gold"}, made.Token)
	require.Regexp(t, `alice +60 CC +40 CC`, p.types("balance alice"))

	shown := p.types("holdings allocations alice")
	require.Regexp(t, `(?m) 40 CC +acme +acme +.+ [0-9-]+ [0-9:]+$`, shown)
	require.Regexp(t, `(?m) 3 Gold of `+goldPackage+` +acme +acme `, shown)
	all := reads[struct {
		Allocations []client.Allocation `json:"allocations"`
	}](p, "holdings allocations alice").Allocations
	require.Len(t, all, 2)
	require.Nil(t, all[0].Token)
	require.Equal(t, *made.Allocation, all[1].ContractID)
	require.Equal(t, "alice took back 40 CC\n", p.types("holdings withdraw alice "+all[0].ContractID))
	p.mistakes(mistake{"holdings withdraw alice " + all[1].ContractID, 1, []string{"would act in the name of alice", "--trust " + goldPackage}})
	require.Equal(t, "alice took back 3 Gold of "+goldPackage+"\n", p.types("holdings withdraw alice "+all[1].ContractID+" --trust "+goldPackage))
	require.Equal(t, "nothing is set aside\n", p.types("holdings allocations alice"))
	require.Regexp(t, `alice +100 CC +0 CC`, p.types("balance alice"))
	require.Regexp(t, `(?m)^12 Gold +0 Gold +`+goldPackage, p.types("holdings alice"))
}

// factoryOf finds the factory of an administrator, and the blob that discloses it.
func factoryOf(t *testing.T, of *client.Client, admin string) (id, blob string) {
	t.Helper()
	var out struct {
		Contracts []struct {
			Entry struct {
				Active struct {
					Created struct {
						ID   string `json:"contractId"`
						Blob string `json:"createdEventBlob"`
					} `json:"createdEvent"`
				} `json:"JsActiveContract"`
			} `json:"contractEntry"`
		} `json:"activeContracts"`
	}
	require.NoError(t, of.Call(t.Context(), http.MethodGet, "/v2/state/active-contracts-page", map[string]any{
		"eventFormat": map[string]any{"verbose": false, "filtersByParty": map[string]any{admin: map[string]any{
			"cumulative": []any{map[string]any{"identifierFilter": map[string]any{"TemplateFilter": map[string]any{
				"value": map[string]any{
					"templateId":              "#" + goldPackage + ":Splice.Testing.Tokens.TestTokenV1:TokenRules",
					"includeCreatedEventBlob": true,
				},
			}}}},
		}}},
	}, &out))
	require.Len(t, out.Contracts, 1)
	created := out.Contracts[0].Entry.Active.Created
	return created.ID, created.Blob
}
