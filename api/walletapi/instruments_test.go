package walletapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/test/apitest"
)

const (
	tokenHoldings = "/v0/wallet/token-standard/holdings"
	tokenHistory  = "/v0/wallet/token-standard/history"
)

type claimed struct {
	ID          string          `json:"contract_id"`
	Package     string          `json:"package_name"`
	Signatories []ledger.Party  `json:"signatories"`
	View        json.RawMessage `json:"view"`
}

type tokenBalance struct {
	Package    string `json:"package_name"`
	Instrument struct {
		Admin ledger.Party `json:"admin"`
		ID    string       `json:"id"`
	} `json:"instrument"`
	Signed   bool      `json:"admin_signed"`
	Unlocked *string   `json:"unlocked"`
	Locked   *string   `json:"locked"`
	Holdings []claimed `json:"holdings"`
}

type heldTokens struct {
	Tokens     []tokenBalance `json:"tokens"`
	Unreadable []struct {
		ID     string `json:"contract_id"`
		Reason string `json:"reason"`
	} `json:"unreadable"`
}

func (b bank) tokens(w *apitest.Wallet) (held heldTokens) {
	b.t.Helper()
	b.get(w, tokenHoldings).OK(&held)
	return held
}

// tokenOf requires the balance of the only kind of token that a wallet has.
func (b bank) tokenOf(w *apitest.Wallet, unlocked, locked string) {
	b.t.Helper()
	held := b.tokens(w)
	require.Len(b.t, held.Tokens, 1)
	require.Equal(b.t, unlocked, *held.Tokens[0].Unlocked)
	require.Equal(b.t, locked, *held.Tokens[0].Locked)
}

// newTokenBank is a bank where carol administers a token. Alice has 7 and 5 of it, and sees the factory.
func newTokenBank(t *testing.T, packages ...ledger.Package) bank {
	t.Helper()
	b := newBank(t, apitest.Options{Packages: append(packages, apitest.TokenPackage())})
	apitest.Create(b.Server, apitest.TokenRules{
		Admin: b.carol.Party, Users: []ledger.Party{b.alice.Party, b.bob.Party},
	}, b.carol.Party)
	b.mint(b.carol.Party, b.alice, "7")
	b.mint(b.carol.Party, b.alice, "5")
	return b
}

func (b bank) mint(admin ledger.Party, owner *apitest.Wallet, amount string) {
	b.t.Helper()
	apitest.Create(b.Server, apitest.TokenHolding{Holding: token.HoldingView{
		Owner: owner.Party, Amount: decimal.MustParse(amount), InstrumentID: token.InstrumentID{Admin: admin, ID: "Gold"},
	}}, admin, owner.Party)
}

// gold names carol's token in a request, and the package that the caller trusts.
func (b bank) gold(body map[string]any) map[string]any {
	body["instrument"] = map[string]any{"admin": b.carol.Party, "id": "Gold"}
	body["trusted_packages"] = []string{apitest.TokenPackageName}
	return body
}

func trusting() map[string]any {
	return map[string]any{"trusted_packages": []string{apitest.TokenPackageName}}
}

func (b bank) offerGold(amount, trackingID string) string {
	b.t.Helper()
	body := b.gold(offerOf(b.bob.Party, trackingID))
	body["amount"] = amount
	var sent transferResult
	b.post(b.alice, transfers, body).OK(&sent)
	id, ok := sent.Output["transfer_instruction_cid"].(string)
	require.True(b.t, ok, sent)
	return id
}

func (b bank) otherTransfers(w *apitest.Wallet) []claimed {
	b.t.Helper()
	var list struct {
		Coin   []any     `json:"transfers"`
		Others []claimed `json:"other_transfers"`
	}
	b.get(w, transfers).OK(&list)
	require.Empty(b.t, list.Coin)
	return list.Others
}

func TestTokenHoldings_AddUpByInstrumentBesideTheCoin(t *testing.T) {
	t.Parallel()
	b := newTokenBank(t)
	b.tap(b.alice, "1")
	held := b.tokens(b.alice)
	require.Len(t, held.Tokens, 1)
	gold := held.Tokens[0]
	require.Equal(t, apitest.TokenPackageName, gold.Package)
	require.Equal(t, b.carol.Party, gold.Instrument.Admin)
	require.Equal(t, "Gold", gold.Instrument.ID)
	require.True(t, gold.Signed)
	require.Equal(t, "12.0000000000", *gold.Unlocked)
	require.Len(t, gold.Holdings, 2)
	require.JSONEq(t, `{"owner":"`+string(b.alice.Party)+`","instrumentId":{"admin":"`+string(b.carol.Party)+
		`","id":"Gold"},"amount":"7.0000000000","lock":null,"meta":{"values":{}}}`, string(gold.Holdings[0].View))
	require.Empty(t, b.tokens(b.bob).Tokens)
	require.Empty(t, b.tokens(b.carol).Tokens, "an administrator sees the holdings of others, and owns none")
	unlocked, _ := b.balance(b.alice)
	require.Equal(t, "200.0000000000", unlocked)
}

func TestTokenTransfer_OfOtherInstrumentMovesInTwoSteps(t *testing.T) {
	t.Parallel()
	b := newTokenBank(t)
	id := b.offerGold("8", "one")
	require.Equal(t, id, b.offerGold("8", "one"), "a repeat gets the first answer")
	b.tokenOf(b.alice, "4.0000000000", "8.0000000000")
	for _, w := range []*apitest.Wallet{b.alice, b.bob} {
		others := b.otherTransfers(w)
		require.Len(t, others, 1)
		require.Equal(t, id, others[0].ID)
		require.Equal(t, apitest.TokenPackageName, others[0].Package)
		require.Contains(t, string(others[0].View), `"amount":"8.0000000000"`)
	}
	require.Empty(t, b.otherTransfers(b.carol), "the administrator is no part of the transfer")

	body := b.gold(offerOf(b.bob.Party, "tried"))
	body["amount"] = "2"
	text, err := json.Marshal(body)
	require.NoError(t, err)
	_, tried := tryOut(t, b.Server, "alice", transfers, string(text))
	require.True(t, tried.WouldSucceed)
	require.Equal(t, "two-step", *tried.Path)
	require.Contains(t, strings.Join(tried.Effects, "\n"), "Creates Api.Token:Offer of package api-token, signed by")

	fails(t, b.post(b.bob, transfers+"/"+id+"/accept", nil), http.StatusBadRequest, "If you trust the package")
	_, shown := tryOut(t, b.Server, "bob", transfers+"/"+id+"/accept", `{"trusted_packages":["api-token"]}`)
	require.True(t, shown.WouldSucceed)
	fails(t, b.post(b.carol, transfers+"/"+id+"/accept", trusting()), http.StatusBadRequest, "")
	fails(t, b.post(b.OperatorWallet(), transfers+"/"+id+"/accept", trusting()), http.StatusNotFound, "not found")
	b.post(b.bob, transfers+"/"+id+"/accept", trusting()).OK(nil)
	b.tokenOf(b.alice, "4.0000000000", "0.0000000000")
	b.tokenOf(b.bob, "8.0000000000", "0.0000000000")
	fails(t, b.post(b.bob, transfers+"/"+id+"/accept", trusting()), http.StatusNotFound, "not found")

	for action, w := range map[string]*apitest.Wallet{"reject": b.bob, "withdraw": b.alice} {
		b.post(w, transfers+"/"+b.offerGold("1", action)+"/"+action, trusting()).OK(nil)
		b.tokenOf(b.alice, "4.0000000000", "0.0000000000")
	}
}

func TestTokenTransfer_OfOtherInstrumentRefusesMistakes(t *testing.T) {
	t.Parallel()
	b := newTokenBank(t)
	for name, c := range map[string]struct {
		change func(body map[string]any)
		status int
		text   string
	}{
		"too much":       {func(body map[string]any) { body["amount"] = "13" }, http.StatusBadRequest, "hold 12.0 unlocked Gold"},
		"no trust":       {func(body map[string]any) { delete(body, "trusted_packages") }, http.StatusBadRequest, "trusted_packages"},
		"another trust":  {func(body map[string]any) { body["trusted_packages"] = []string{"x"} }, http.StatusNotFound, "No transfer factory"},
		"no such token":  {func(body map[string]any) { body["instrument"] = map[string]any{"admin": b.carol.Party, "id": "Tin"} }, http.StatusBadRequest, "hold 0.0 unlocked Tin"},
		"no such admin":  {func(body map[string]any) { body["instrument"] = map[string]any{"admin": b.bob.Party, "id": "Gold"} }, http.StatusNotFound, "No transfer factory"},
		"the coin":       {func(body map[string]any) { body["instrument"] = map[string]any{"admin": b.Node.DSO, "id": "Amulet"} }, http.StatusNotFound, "No transfer factory"},
		"no admin":       {func(body map[string]any) { body["instrument"] = map[string]any{"admin": "", "id": "Gold"} }, http.StatusBadRequest, "instrument.admin"},
		"coin's package": {func(body map[string]any) { body["trusted_packages"] = []string{"splice-amulet"} }, http.StatusNotFound, "No transfer factory"},
	} {
		body := b.gold(offerOf(b.bob.Party, name))
		body["amount"] = "1"
		c.change(body)
		fails(t, b.post(b.alice, transfers, body), c.status, c.text)
	}
	b.tokenOf(b.alice, "12.0000000000", "0.0000000000")
}

func TestTokenHistory_ShowsMovementsAndOffers(t *testing.T) {
	t.Parallel()
	b := newTokenBank(t)
	b.tap(b.alice, "1")
	id := b.offerGold("8", "one")
	b.post(b.bob, transfers+"/"+id+"/accept", trusting()).OK(nil)
	type history struct {
		Transactions []struct {
			Date      time.Time `json:"date"`
			Choice    string    `json:"choice"`
			Movements []struct {
				Owner    ledger.Party `json:"owner"`
				Package  string       `json:"package_name"`
				Unlocked string       `json:"unlocked"`
				Locked   string       `json:"locked"`
			} `json:"movements"`
			Transfers  []claimed `json:"transfers"`
			Incomplete bool      `json:"incomplete"`
		} `json:"transactions"`
		Next *int64 `json:"next"`
	}
	var own, others history
	b.get(b.alice, tokenHistory).OK(&own)
	require.Nil(t, own.Next)
	require.Len(t, own.Transactions, 4, "two mints, the offer and its end, and no coin")
	offered, ended := own.Transactions[1], own.Transactions[0]
	require.Len(t, offered.Movements, 1)
	require.Equal(t, b.alice.Party, offered.Movements[0].Owner)
	require.Equal(t, "-8.0000000000", offered.Movements[0].Unlocked)
	require.Equal(t, "8.0000000000", offered.Movements[0].Locked)
	require.Len(t, offered.Transfers, 1)
	require.Equal(t, id, offered.Transfers[0].ID)
	require.False(t, offered.Incomplete)
	require.Equal(t, "TransferInstruction_Accept", ended.Choice)
	require.Equal(t, "-8.0000000000", ended.Movements[0].Locked)

	b.get(b.bob, tokenHistory).OK(&others)
	require.Len(t, others.Transactions, 2)
	require.Contains(t, b.get(b.bob, tokenHistory).Text, `"unlocked":"8.0000000000"`)
	fails(t, b.get(b.bob, tokenHistory+"?before=0"), http.StatusBadRequest, "before: ")
	b.get(b.bob, tokenHistory+"?before=1").OK(&others)
	require.Empty(t, others.Transactions)
}

func TestTokenAllocation_SetsAsideAndWithdraws(t *testing.T) {
	t.Parallel()
	b := newTokenBank(t)
	body := b.gold(b.allocation("one"))
	body["transfer_leg"].(map[string]any)["amount"] = "3"
	var made struct {
		Output map[string]string `json:"output"`
	}
	b.post(b.alice, allocations, body).OK(&made)
	id := made.Output["allocation_cid"]
	require.NotEmpty(t, id)
	b.tokenOf(b.alice, "9.0000000000", "3.0000000000")
	var list struct {
		Coin   []any     `json:"allocations"`
		Others []claimed `json:"other_allocations"`
	}
	b.get(b.alice, allocations).OK(&list)
	require.Empty(t, list.Coin)
	require.Len(t, list.Others, 1)
	require.Equal(t, id, list.Others[0].ID)
	fails(t, b.post(b.alice, allocations+"/"+id+"/withdraw", nil), http.StatusBadRequest, "trusted_packages")
	b.post(b.alice, allocations+"/"+id+"/withdraw", trusting()).OK(nil)
	b.tokenOf(b.alice, "12.0000000000", "0.0000000000")
}
