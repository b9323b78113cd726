package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// person runs commands on a node.
type person struct {
	t    *testing.T
	node *upNode
	// flags come after every command, in addition to the data directory.
	flags []string
}

func (p person) arguments(line string) []string {
	return append(append(strings.Fields(line), "--data-dir", p.node.dir), p.flags...)
}

// types runs a command, and returns its output.
func (p person) types(line string) string {
	p.t.Helper()
	return requireDone(p.t, p.arguments(line)...)
}

// reads runs a command with --json, and parses its output.
func reads[T any](p person, line string) T {
	p.t.Helper()
	var out T
	text := p.types(line + " --json")
	require.NoError(p.t, json.Unmarshal([]byte(text), &out), text)
	return out
}

// mistakes runs wrong commands.
func (p person) mistakes(all ...mistake) {
	p.t.Helper()
	for _, m := range all {
		m.try(p.t, p.arguments("")...)
	}
}

type shownOffers struct {
	Offers []struct {
		ContractID string `json:"contract_id"`
		Amount     string `json:"amount"`
		Note       string `json:"note"`
	} `json:"offers"`
}

func TestCLI_MovesCoin(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	p := person{t: t, node: n}

	require.Regexp(t, `alice +alice::1220\w+ +arrives at once\nbob +bob::1220\w+ +arrives at once\n`,
		p.types("party new alice bob"))
	require.Equal(t, "minted 100 CC (0.5 USD) for alice\n", p.types("tap alice 0.5"))
	require.Equal(t, "alice sent 5 CC to bob\n", p.types("send alice bob 5"))
	require.Regexp(t, `(?m)^alice +95 CC +0 CC$`, p.types("balance"))
	require.Regexp(t, `(?m)^bob +5 CC +0 CC$`, p.types("balance bob"))
	require.Equal(t, "5.0000000000\n", p.types("balance bob --quiet"))
	require.Contains(t, p.types("party new alice"), "existed already")
	require.Regexp(t, `(?s)alice .*existed already.*\ndora +dora::1220`,
		p.types("party new alice dora --no-preapproval"))
	p.mistakes(mistake{"party new no::body nor::him", 1, []string{"no::body: ", "nor::him: "}})
	some := run(t, nil, "party", "new", "no::body", "emil", "--no-preapproval", "--data-dir", n.dir)
	require.Equal(t, 1, some.exitCode(t))
	require.Regexp(t, `emil +emil::1220`, some.stdout.String(), "the valid ones are created")
	require.Contains(t, some.stderr.String(), "no::body: ")

	p.mistakes(
		mistake{"send alice bbo 5", 1, []string{"there is no party or user bbo", "did you mean bob?"}},
		mistake{"send alice zacharias 5", 1, []string{"`florin party new zacharias --data-dir "}},
		mistake{"send alice bob 500", 1, []string{"alice has only 95 CC, less than 500 CC", "`florin tap alice 3 "}},
		mistake{"send DSO bob 5", 1, []string{"party DSO has no user", "florin user new"}},
		mistake{"balance participant_admin", 1, []string{"user participant_admin has no party", "florin party new"}},
		mistake{"user new alice", 1, []string{`user "alice" already exists`}},
		mistake{"offers accept bob", 1, []string{"there is no offer that bob could accept"}},
		mistake{"balance alice --token nonsense", 4, []string{"refuses the token", "--token"}},
		mistake{"balance alice --auth-secret wrong", 4, []string{"refuses the token", "--auth-secret"}},
		mistake{"balance alice --token " + client.Token(secret, audience, "bob"), 4, []string{"not to alice"}},
		mistake{"party list --token " + client.Token(secret, audience, "bob"), 4, []string{"may not"}},
		mistake{"config set coin-price minus", 1, []string{"coin-price"}},
	)
	p.offers()
	p.history()
	p.withTheTokenOfAlice()
	p.usersAndParties()
	p.balances()

	audited := requireDone(t, "audit", "--database-url", n.info.DatabaseURL)
	require.Contains(t, audited, "supply and holdings agree")
}

// balances reads several wallets, one of which does not exist any more.
func (p person) balances() {
	p.t.Helper()
	p.types("party new leaver")
	admin := client.New(p.node.info.URL, 1).With(client.Token(secret, audience, adminUser))
	require.NoError(p.t, admin.Call(p.t.Context(), http.MethodDelete, "/v2/users/leaver", nil, nil))
	for _, line := range []string{"balance", "balance alice leaver bob"} {
		ended := run(p.t, nil, p.arguments(line)...)
		require.Equal(p.t, 1, ended.exitCode(p.t), ended.stderr)
		require.Regexp(p.t, `(?s)\nalice +.*\nbob +`, ended.stdout.String())
		require.NotContains(p.t, ended.stdout.String(), "leaver")
		require.Contains(p.t, ended.stderr.String(), "leaver")
	}
}

// offers sends coin to a party without a preapproval.
func (p person) offers() {
	p.t.Helper()
	require.Contains(p.t, p.types("party new carol --no-preapproval"), "is offered")
	require.Contains(p.t, p.types("preapproval show carol"), "carol has no preapproval")
	for _, amount := range []string{"1", "2", "3", "4"} {
		require.Contains(p.t, p.types("send alice carol "+amount+" --note tea"), "`florin offers accept carol --data-dir ")
	}
	waiting := reads[shownOffers](p, "offers carol").Offers
	require.Len(p.t, waiting, 4)
	require.Equal(p.t, "tea", waiting[0].Note)
	require.Regexp(p.t, `(?m)^[0-9a-f]{12}  alice  carol  1 CC  .*  tea$`, p.types("offers carol"))
	p.mistakes(
		mistake{"offers accept carol", 1, []string{"there are 4 offers that carol could accept", "--all"}},
		mistake{"offers accept carol 00zz", 1, []string{`0 offers that carol could accept have an id`, "00zz"}},
		mistake{"offers accept alice", 1, []string{"there is no offer that alice could accept"}},
	)
	require.Equal(p.t, "carol took the 1 CC from alice to carol\n",
		p.types("offers accept carol "+waiting[0].ContractID[:12]))
	require.Equal(p.t, "carol declined the 2 CC from alice to carol\n",
		p.types("offers reject carol "+waiting[1].ContractID))
	require.Equal(p.t, "alice took back the 3 CC from alice to carol\n",
		p.types("offers withdraw alice "+waiting[2].ContractID))
	require.Equal(p.t, "carol took the 4 CC from alice to carol\n", p.types("offers accept carol --all"))
	require.Equal(p.t, "no open offers\n", p.types("offers carol"))
	require.Regexp(p.t, `(?m)^carol +5 CC +0 CC$`, p.types("balance carol"))

	require.Equal(p.t, "carol receives coin automatically\n", p.types("preapproval on carol"))
	require.Contains(p.t, p.types("preapproval on carol"), "automatically already")
	require.Contains(p.t, p.types("preapproval show carol"), "carol receives coin automatically until ")
	p.mistakes(mistake{"preapproval off carol", 1, []string{"could not turn automatic receiving on again before", "--yes"}})
	require.Contains(p.t, p.types("preapproval show carol"), "carol receives coin automatically until ")
	require.Contains(p.t, p.types("preapproval off carol --yes"), "the operator pays for no new preapproval until ")
	require.Contains(p.t, p.types("preapproval off carol"), "itself already")
	p.mistakes(mistake{"preapproval on carol", 1, []string{"The operator has paid for a preapproval of carol"}})
	require.Contains(p.t, p.types("party new carol"), "is offered")
	require.Contains(p.t, p.types("preapproval refund carol"), "carol can turn automatic receiving on again")
	require.Equal(p.t, "carol receives coin automatically\n", p.types("preapproval on carol"))
}

func (p person) history() {
	p.t.Helper()
	type history struct {
		Entries []struct{ ID, What, State, Choice, Amount, Note string }
	}
	all := reads[history](p, "history alice").Entries
	require.Equal(p.t, "AmuletRules_DevNet_Tap", all[len(all)-1].Choice)
	require.Equal(p.t, "100.0000000000", all[len(all)-1].Amount)
	require.Equal(p.t, "alice sent 5 CC to bob", all[len(all)-2].What)
	require.Equal(p.t, "done", all[len(all)-2].State)
	require.Equal(p.t, "-5.0000000000", all[len(all)-2].Amount)
	rest := reads[history](p, "history alice --limit 1 --after "+all[0].ID).Entries
	require.Equal(p.t, all[1:2], rest)
	require.Regexp(p.t, `(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +alice sent 5 CC to bob +-5 CC +done$`, p.types("history alice"))
}

// withTheTokenOfAlice uses a given token, as on a node with an issuer.
func (p person) withTheTokenOfAlice() {
	p.t.Helper()
	parties := reads[struct{ Parties []struct{ Party string } }](p, "party list").Parties
	var bob string
	for _, one := range parties {
		if strings.HasPrefix(one.Party, "bob::") {
			bob = one.Party
		}
	}
	file := filepath.Join(p.t.TempDir(), "token")
	require.NoError(p.t, os.WriteFile(file, []byte(client.Token(secret, audience, "alice")+"\n"), 0o600))
	alice := person{p.t, p.node, []string{"--token-file", file}}
	require.Regexp(p.t, `(?m)^alice +`, alice.types("balance"))
	alice.mistakes(mistake{"send alice bob 1", 4, []string{"may not look up bob", "whole id"}})
	require.Equal(p.t, "alice sent 1 CC to bob\n", alice.types("send alice "+bob+" 1"))
}

func (p person) usersAndParties() {
	p.t.Helper()
	require.Contains(p.t, p.types("user new auditor --read-as alice --read-as bob"), "created user auditor")
	require.Contains(p.t, p.types("user new teller --party bob"), "`florin token --user teller`")
	require.Regexp(p.t, `(?m)^teller +bob::1220`, p.types("user list"))
	require.Regexp(p.t, `(?m)^bob +bob, teller +bob::1220`, p.types("party list"))
	require.Equal(p.t, "minted 4000 CC (20 USD) for operator\n", p.types("tap operator 20"))
	tapped := reads[map[string]any](p, "tap operator 20")
	require.Equal(p.t, "4000.0000000000", tapped["amount"])
	require.Equal(p.t, "20.0000000000", tapped["amount_usd"])
	require.Contains(p.t, p.types("clock show"), "ledger time ")
	require.Regexp(p.t, `(?m)^coin-price +0\.005`, p.types("config list"))
	require.Regexp(p.t, `(?m)^auth-secret +\(digest\) \w{16,} +offset \d+$`, p.types("config list"))
}
