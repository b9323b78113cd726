package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	standard "github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// tokenNode is a node with a token of acme. Alice and bob have wallets; alice has 12 of it.
func tokenNode(t *testing.T) (api *apitest.Server, server *httptest.Server, acme, alice, bob ledger.Party) {
	t.Helper()
	api = apitest.NewWithCoin(t, apitest.Options{Once: true, Packages: []ledger.Package{apitest.TokenPackage()}})
	server = serve(t, options(t, api.Handler))
	acme = api.Party("acme")
	alice, bob = api.Onboard("alice").Party, api.Onboard("bob").Party
	apitest.Create(api, apitest.TokenRules{Admin: acme, Users: []ledger.Party{alice, bob}}, acme)
	goldOf(api, acme, alice, "12", acme, alice)
	return api, server, acme, alice, bob
}

func goldOf(api *apitest.Server, admin, owner ledger.Party, amount string, actAs ...ledger.Party) {
	apitest.Create(api, apitest.TokenHolding{Holding: standard.HoldingView{
		Owner: owner, Amount: decimal.MustParse(amount), InstrumentID: standard.InstrumentID{Admin: admin, ID: "<b>Gold</b>"},
	}}, actAs...)
}

func TestTokens_ShowsClaimsAndSends(t *testing.T) {
	t.Parallel()
	_, server, _, _, _ := tokenNode(t)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.open("/wallet").shows("0 CC", "<b>Gold</b>", "says package api-token", "acme", "12")
	bob.open("/wallet/tokens").shows("You hold no other tokens.", "Nothing has happened with tokens.")
	alice.open("/wallet/tokens").shows("12 <b>Gold</b>", "says package api-token , administrator acme", "+12 <b>Gold</b>")
	require.NotContains(t, alice.words(), "did not sign")
	send := func(amount string, typed ...string) *browser {
		return alice.open("/wallet/tokens").press("/wallet/tokens/send", append([]string{
			"to", "bob", "amount", amount,
			"trust", apitest.TokenPackageName,
		}, typed...)...)
	}
	send("x").shows(`"x" is not an amount.`)
	require.Equal(t, http.StatusUnprocessableEntity, alice.status)
	send("13").shows("Insufficient holdings")
	send("5", "to", "nobody").shows("No party found")
	send("5", "trust", "").shows("package")
	send("5", "note", "lunch").shows("You offered 5 <b>Gold</b> to bob.", "5 <b>Gold</b> to bob", "This is no coin.")
	alice.open("/wallet/tokens").shows("7 <b>Gold</b>", "locked 5", "−5 <b>Gold</b>")
	bob.open("/wallet/waiting").shows("1")
	bob.open("/wallet/inbox").shows("5 <b>Gold</b> from alice", "lunch", "says package api-token , administrator acme",
		"I trust package api-token")
	bob.press("/accept", "trust", "").shows("If you trust the package")
	bob.open("/wallet/inbox").press("/accept", "trust", apitest.TokenPackageName).shows("You accepted the offer.")
	bob.open("/wallet/tokens").shows("5 <b>Gold</b>")
	bob.open("/wallet").shows("0 CC", "<b>Gold</b>")
}

func TestTokens_ShowsWhatTheAdministratorDidNotSign(t *testing.T) {
	t.Parallel()
	api, server, acme, alice, _ := tokenNode(t)
	apitest.Create(api, apitest.TokenHolding{Holding: standard.HoldingView{
		Owner: alice, Amount: decimal.MustParse("-3"), InstrumentID: standard.InstrumentID{Admin: acme, ID: "debt"},
	}}, acme, alice)
	window(t, server).as("alice").open("/wallet/tokens").shows("1 more contract says it is a holding of yours")
}

func TestAllocations_SetsTokensAside(t *testing.T) {
	t.Parallel()
	api, server, acme, alice, bob := tokenNode(t)
	deadline := lf.TimestampOf(time.Now().Add(time.Hour))
	apitest.Create(api, apitest.TokenAllocation{Allocation: standard.AllocationSpecification{
		TransferLegID: "leg", Settlement: standard.SettlementInfo{
			Executor: bob, SettlementRef: standard.Reference{ID: "trade 4711"}, AllocateBefore: deadline, SettleBefore: deadline,
		},
		TransferLeg: standard.TransferLeg{
			Sender: alice, Receiver: bob, Amount: decimal.FromInt(3),
			InstrumentID: standard.InstrumentID{Admin: acme, ID: "Gold"},
		},
	}}, acme, alice)
	page := window(t, server).as("alice").open("/wallet/allocations").shows("Other tokens that are set aside",
		"3 Gold for bob , when bob settles trade 4711", "You have set nothing aside.", "says package api-token")
	page.press("/withdraw", "trust", "").shows("If you trust the package")
	page.open("/wallet/allocations").press("/withdraw", "trust", apitest.TokenPackageName).
		shows("You took your tokens back.")
	require.NotContains(t, page.words(), "Other tokens")
}
