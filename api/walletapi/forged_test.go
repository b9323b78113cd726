package walletapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/test/apitest"
)

// questions are read requests of wallets, scan and the registry.
func (b bank) questions() (asked [][2]string) {
	t := b.t
	t.Helper()
	document, owner := b.Send(http.MethodGet, "/docs/openapi/validator", http.Header{}, nil), b.alice.Party
	require.Equal(t, http.StatusOK, document.Status)
	var described struct {
		Paths map[string]map[string]any `yaml:"paths"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(document.Text), &described))
	for path, methods := range described.Paths {
		if methods["get"] != nil && !strings.Contains(path, "{") && !strings.Contains(path, "/v0/dev/") &&
			(strings.Contains(path, "/v0/") || strings.Contains(path, "/registry/")) {
			asked = append(asked, [2]string{path, ""})
		}
	}
	require.Greater(t, len(asked), 20)
	return append(asked,
		[2]string{"/v0/wallet/transactions", `{"page_size":1000}`},
		[2]string{"/api/scan/v0/holdings/summary", fmt.Sprintf(
			`{"migration_id":0,"record_time":"2100-01-01T00:00:00Z","owner_party_ids":[%q]}`, owner)},
	)
}

// answers are the answers to the questions, for everybody but the forger.
func (b bank) answers() map[string]string {
	b.t.Helper()
	out := map[string]string{}
	for _, w := range []*apitest.Wallet{b.alice, b.bob, b.OperatorWallet()} {
		for _, question := range b.questions() {
			var answer apitest.Answer
			if question[1] == "" {
				answer = b.get(w, question[0])
			} else {
				answer = b.post(w, question[0], json.RawMessage(question[1]))
			}
			out[w.User+" "+question[0]] = fmt.Sprint(answer.Status, answer.Text)
		}
	}
	return out
}

// forgeries are contracts of every template that mallory can sign alone, with other parties in every field that allows
// them.
func (b bank) forgeries(mallory *apitest.Wallet) map[string][]json.RawMessage {
	b.t.Helper()
	book := &ledgertest.Ledger{
		Packages: b.Packages, Now: ledgertest.Start, Active: map[ledger.ContractID]ledger.Contract{},
	}
	genuine, err := b.DB.ActiveContracts(b.t.Context(), db.ActiveQuery{At: 1 << 60, Limit: 1000})
	require.NoError(b.t, err)
	forger := ledgertest.Forger{
		Author: mallory.Party, Targets: []ledger.Party{b.alice.Party, b.Node.Operator, b.Node.DSO},
		Text: func(field string) string {
			switch field {
			case "memberId":
				return coin.MemberOf(b.Node.ParticipantID)
			case "synchronizerId":
				return b.Node.SynchronizerID
			default:
				return coin.InstrumentName
			}
		},
	}
	for _, contract := range genuine {
		forger.Examples = append(forger.Examples, contract.Contract)
	}
	forged := map[string][]json.RawMessage{}
	for _, template := range b.Packages.Templates() {
		// A contract with the ledger's own DSO is a genuine request of mallory, not a forgery.
		made := slices.DeleteFunc(ledgertest.Forge(book, template, forger), func(c ledger.Contract) bool {
			member, err := b.Packages.InNetwork(c, b.Node.Network())
			require.NoError(b.t, err)
			return member
		})
		const most = 16
		for i := 0; i < len(made); i += len(made)/most + 1 {
			forged[template.String()] = append(forged[template.String()], made[i].Payload)
		}
	}
	return forged
}

// Contracts with another party as the DSO change no answer, no charge and no automation for others, and nothing in the
// audit.
func TestForgedContracts_ChangeNothingForOthers(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{Traffic: trafficRules()})
	mallory := b.Onboard("mallory")
	b.tap(b.alice, "1")
	b.tap(b.bob, "1")
	b.Automate()
	before, lifecycles, traffic := b.answers(), b.lifecycles(), b.head().Traffic
	forged := b.forgeries(mallory)
	require.Greater(t, len(forged), 40)
	for template, payloads := range forged {
		var commands []any
		for _, payload := range payloads {
			commands = append(commands, map[string]any{
				"CreateCommand": map[string]any{"templateId": template, "createArguments": payload},
			})
		}
		b.post(mallory, "/v2/commands/submit-and-wait", map[string]any{
			"commands": commands, "commandId": "forged " + template, "actAs": []ledger.Party{mallory.Party},
		}).OK(nil)
	}
	after := b.answers()
	for question, answer := range before {
		assert.Equal(t, withoutTimes(answer), withoutTimes(after[question]), question)
	}
	require.Equal(t, lifecycles, b.lifecycles(), "no workflow looks after a forged contract")
	require.Equal(t, traffic.Purchased, b.head().Traffic.Purchased)
	b.auditIsClean()

	b.tap(b.alice, "1") // and everything still works
	b.Automate()
	b.auditIsClean()
}

// withoutTimes removes the parts of an answer that every commit changes.
func withoutTimes(answer string) string {
	for _, moving := range []string{
		`"record_time":"`, `"total_supply_as_of":"`, `"totalSupplyAsOf":"`, `"effective_until":"`, `"ledger_time":"`,
	} {
		if head, rest, found := strings.Cut(answer, moving); found {
			_, tail, _ := strings.Cut(rest, `"`)
			answer = head + moving + `"` + tail
		}
	}
	return answer
}

func (b bank) lifecycles() []db.Lifecycle {
	b.t.Helper()
	rows, err := b.DB.Lifecycles(b.t.Context(), "", 1000)
	require.NoError(b.t, err)
	return rows
}

func (b bank) head() db.Head {
	b.t.Helper()
	head, err := b.DB.Head(b.t.Context())
	require.NoError(b.t, err)
	return head
}

func (b bank) auditIsClean() {
	b.t.Helper()
	auditor, err := audit.New(b.DB, b.Packages, b.Node.Network())
	require.NoError(b.t, err)
	report, err := auditor.Audit(b.t.Context(), 0)
	require.NoError(b.t, err)
	require.True(b.t, report.Clean(), "%v", report.Findings)
}

// The first five known attacks, each by a user with only a wallet.
func TestForgedContracts_FiveAttacksFail(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{Traffic: trafficRules()})
	me := b.Onboard("mallory")
	b.tap(b.alice, "1")
	dso, huge := b.Node.DSO, "9000000000000000000000000000.0"
	amount := map[string]any{
		"initialAmount": "1000000000.0", "createdAt": map[string]any{"number": "0"},
		"ratePerRound": map[string]any{"rate": "0.0000000001"},
	}
	const purchase = "#splice-amulet:Splice.DecentralizedSynchronizer:MemberTraffic"
	bought := map[string]any{
		"dso": me.Party, "memberId": coin.MemberOf(b.Node.ParticipantID), "synchronizerId": b.Node.SynchronizerID,
		"migrationId": "0", "totalPurchased": "9000000000000000000", "numPurchases": "1", "amuletSpent": "1.0",
		"usdSpent": "1.0",
	}
	purchased := b.head().Traffic.Purchased
	for _, create := range []struct {
		template string
		payload  map[string]any
	}{
		{"Splice.Amulet:FeaturedAppActivityMarker", map[string]any{
			"dso": me.Party, "provider": dso, "beneficiary": dso, "weight": "1.0",
		}},
		{"Splice.Amulet:AppRewardCoupon", map[string]any{
			"dso": me.Party, "provider": dso, "featured": true, "amount": huge, "round": map[string]any{"number": "0"},
		}},
		{"Splice.Amulet:SvRewardCoupon", map[string]any{
			"dso": me.Party, "sv": dso, "beneficiary": dso, "weight": "9000000000000000000",
			"round": map[string]any{"number": "0"},
		}},
		{"Splice.Amulet:FeaturedAppRight", map[string]any{"dso": me.Party, "provider": b.Node.Operator}},
		{"Splice.Amulet:Amulet", map[string]any{"dso": me.Party, "owner": me.Party, "amount": amount}},
		{"Splice.Amulet:UnclaimedActivityRecord", map[string]any{
			"dso": me.Party, "beneficiary": b.alice.Party, "amount": huge, "reason": "",
			"expiresAt": "2100-01-01T00:00:00Z",
		}},
	} {
		me.Create("#splice-amulet:"+create.template, create.payload)
	}
	me.Create(purchase, bought)
	me.Create(purchase, bought)
	require.Equal(t, purchased, b.head().Traffic.Purchased, "traffic is not free")

	sums, err := b.DB.RoundActivity(t.Context(), templatesOf(b.Packages), "0")
	require.NoError(t, err)
	for _, sum := range sums {
		require.Zero(t, sum.Count, "the round counts a coupon that is not the network's")
	}
	var user struct {
		Featured bool `json:"featured"`
	}
	b.get(b.OperatorWallet(), "/v0/validator-user").OK(&user)
	require.False(t, user.Featured)
	var balance struct {
		Unlocked string `json:"effective_unlocked_qty"`
	}
	b.get(me, "/v0/wallet/balance").OK(&balance)
	require.Equal(t, "0.0000000000", balance.Unlocked)
	b.auditIsClean()
	b.tap(b.alice, "1")
}

func templatesOf(packages *ledger.Packages) []string {
	var names []string
	for _, template := range packages.Templates() {
		names = append(names, template.String())
	}
	return names
}
