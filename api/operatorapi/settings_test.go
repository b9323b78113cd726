package operatorapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const settingsPath = "/v0/admin/automation/settings"

func sweepOf(party ledger.Party) string {
	return settingsPath + "/sweeps/" + url.PathEscape(string(party))
}

func acceptOf(party ledger.Party) string {
	return settingsPath + "/auto-accept/" + url.PathEscape(string(party))
}

// configure starts a node with a configuration.
func configure(t *testing.T, s *apitest.Server, settings ...db.AutomationSetting) {
	t.Helper()
	require.NoError(t, s.DB.ConfigureAutomation(t.Context(), "the file", settings))
}

func TestSweep_RefusesCycles(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	configure(t, s)
	alice, bob, carol := s.Party("alice"), s.Party("bob"), s.Party("carol")
	put := func(sender, receiver ledger.Party) apitest.Answer {
		return s.Call(apitest.Admin, http.MethodPut, sweepOf(sender),
			`{"max_balance_usd":"50","min_balance_usd":"5","receiver":"`+string(receiver)+`"}`)
	}
	put(alice, bob).OK(nil)
	put(bob, carol).OK(nil)
	refused := put(carol, alice)
	require.Equal(t, http.StatusBadRequest, refused.Status)
	require.Contains(t, refused.Text, "receiver: "+string(bob)+" sweeps back to "+string(carol))
	s.Call(apitest.Admin, http.MethodPut, sweepOf(bob), `{"enabled":false}`).OK(nil)
	put(carol, alice).OK(nil)
}

func TestSweep_ChangesWithoutRestart(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Once: true}) // each change is listed
	alice, bob := s.Party("alice"), s.Party("bob")
	configure(t, s, db.AutomationSetting{Kind: "wallet-sweep", Party: alice, Configured: []byte(
		`{"max-balance-usd":"100","min-balance-usd":"10","receiver":"` + string(bob) +
			`","use-transfer-preapproval":false}`)})
	file := `{"max_balance_usd":"100.0000000000","min_balance_usd":"10.0000000000","receiver":"` + string(bob) +
		`","use_transfer_preapproval":false}`
	setting := func(source, counts string) string {
		return `{"sender":"` + string(alice) + `","source":"` + source + `","setting":` + counts + `,"configured":` +
			file + `}`
	}
	require.JSONEq(t, setting("configuration", file), s.Call(apitest.Admin, http.MethodGet, sweepOf(alice), nil).Text)

	changed := `{"max_balance_usd":"50.5000000000","min_balance_usd":"5.0000000000","receiver":"` + string(bob) +
		`","use_transfer_preapproval":true}`
	for _, body := range []string{
		`{"max_balance_usd":"50.5","min_balance_usd":"5","receiver":"` + string(bob) +
			`","use_transfer_preapproval":true}`,
		`{"maxBalanceUSD":"50.5","minBalanceUSD":"5","receiver":"` + string(bob) + `","useTransferPreapproval":true}`,
		`{"max-balance-usd":50.5,"min-balance-usd":5,"receiver":"` + string(bob) + `","use-transfer-preapproval":true}`,
	} {
		answer := s.Call(apitest.Admin, http.MethodPut, sweepOf(alice), body)
		answer.OK(nil)
		require.JSONEq(t, setting("operator", changed), answer.Text)
	}
	twice := s.Call(apitest.Admin, http.MethodPut, sweepOf(alice), `{"max_balance_usd":"50.5","minBalanceUSD":"5",
		"receiver":"`+string(bob)+`","maxBalanceUSD":"60"}`)
	require.Equal(t, http.StatusBadRequest, twice.Status)
	require.Contains(t, twice.Text, "max_balance_usd and maxBalanceUSD are the same field: send one of them")
	answer := s.Call(apitest.Admin, http.MethodPut, sweepOf(alice), `{"enabled":false}`)
	require.JSONEq(t, setting("operator", "null"), answer.Text)
	require.JSONEq(t, `{"sweeps":[`+setting("operator", "null")+`]}`,
		s.Call(apitest.Admin, http.MethodGet, settingsPath+"/sweeps", nil).Text)
	require.JSONEq(t, setting("configuration", file), s.Call(apitest.Admin, http.MethodDelete, sweepOf(alice), nil).Text)
	require.JSONEq(t, `{"sender":"`+string(bob)+`","source":"none","setting":null,"configured":null}`,
		s.Call(apitest.Admin, http.MethodGet, sweepOf(bob), nil).Text)

	var log operatorapi.ListAuditLogResponse
	s.Call(apitest.Admin, http.MethodGet, operatorapi.AuditLogPath+"?kind=setting&party="+url.QueryEscape(string(alice)),
		nil).OK(&log)
	require.Len(t, log.Entries, 4, "the file, and three changes")
	reset, off, set, file1 := log.Entries[0], log.Entries[1], log.Entries[2], log.Entries[3]
	require.Equal(t, apitest.Admin, set.ChangedBy)
	require.JSONEq(t, `{"value":{"max-balance-usd":"100","min-balance-usd":"10","use-transfer-preapproval":false},
		"is_chosen":false}`, string(set.Before))
	require.JSONEq(t, `{"value":{"max-balance-usd":"50.5000000000","min-balance-usd":"5.0000000000",
		"use-transfer-preapproval":true},"is_chosen":true}`, string(set.After))
	require.JSONEq(t, `{"value":null}`, string(off.After))
	require.Contains(t, string(reset.Before), `"is_chosen":true`)
	require.Equal(t, "configuration the file", file1.Operation)
}

func TestTopUp_ChangesWithoutRestart(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	path := settingsPath + "/top-up"
	require.JSONEq(t, `{"source":"none","setting":null,"configured":null}`,
		s.Call(apitest.Admin, http.MethodGet, path, nil).Text)
	for body, want := range map[string]string{
		`{"targetThroughput":20000,"minTopupInterval":"1m"}`: `{"target_throughput":20000,"min_topup_interval":"1m0s",` +
			`"reserved_traffic":200000}`,
		`{"target_throughput":5,"min_topup_interval":"2 minutes","reserved_traffic":0}`: `{"target_throughput":5,` +
			`"min_topup_interval":"2m0s","reserved_traffic":0}`,
		`{"target-throughput":"7","min-topup-interval":"1h","reserved-traffic":"1"}`: `{"target_throughput":7,` +
			`"min_topup_interval":"1h0m0s","reserved_traffic":1}`,
		`{"target_throughput":0}`: `{"target_throughput":0,"min_topup_interval":"10m0s","reserved_traffic":200000}`,
		`{"enabled":false}`:       `null`,
	} {
		answer := s.Call(apitest.Admin, http.MethodPut, path, body)
		answer.OK(nil)
		require.JSONEq(t, `{"source":"operator","setting":`+want+`,"configured":null}`, answer.Text)
		require.JSONEq(t, answer.Text, s.Call(apitest.Admin, http.MethodGet, path, nil).Text)
	}
	require.JSONEq(t, `{"source":"none","setting":null,"configured":null}`,
		s.Call(apitest.Admin, http.MethodDelete, path, nil).Text)
}

func TestAutoAccept_ChangesWithoutRestart(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, bob := s.Party("alice"), s.Party("bob")
	for _, name := range []string{"from_parties", "fromParties", "from-parties"} {
		s.Call(apitest.Admin, http.MethodPut, acceptOf(bob), `{"`+name+`":["`+string(alice)+`"]}`).OK(nil)
	}
	want := `{"receiver":"` + string(bob) + `","source":"operator","setting":{"from_parties":["` + string(alice) +
		`"]},"configured":null}`
	require.JSONEq(t, want, s.Call(apitest.Admin, http.MethodGet, acceptOf(bob), nil).Text)
	require.JSONEq(t, `{"auto_accepts":[`+want+`]}`,
		s.Call(apitest.Admin, http.MethodGet, settingsPath+"/auto-accept?limit=1", nil).Text)
	require.JSONEq(t, `{"auto_accepts":[]}`, s.Call(apitest.Admin, http.MethodGet,
		settingsPath+"/auto-accept?after="+url.QueryEscape(string(bob)), nil).Text)
	s.Call(apitest.Admin, http.MethodPut, acceptOf(bob), `{"enabled":false}`).OK(nil)
	s.Call(apitest.Admin, http.MethodDelete, acceptOf(bob), nil).OK(nil)
	require.JSONEq(t, `{"auto_accepts":[]}`, s.Call(apitest.Admin, http.MethodGet, settingsPath+"/auto-accept", nil).Text)
}

func TestSettings_RefuseInvalidValues(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, bob := s.Party("alice"), s.Party("bob")
	sweep := func(most, least string, receiver ledger.Party) string {
		return `{"max_balance_usd":"` + most + `","min_balance_usd":"` + least + `","receiver":"` + string(receiver) + `"}`
	}
	for name, c := range map[string]struct{ path, body, want string }{
		"no throughput": {
			settingsPath + "/top-up", `{}`,
			"target_throughput is missing. Send it, or send enabled false",
		},
		"a short interval": {
			settingsPath + "/top-up", `{"target_throughput":1,"min_topup_interval":"1s"}`,
			"min_topup_interval: 1s is below the polling interval of 30s, at which the node looks whether to buy; " +
				"give 30s or more",
		},
		"no duration": {
			settingsPath + "/top-up", `{"target_throughput":1,"min_topup_interval":"soon"}`,
			`min_topup_interval: "soon" is no duration; give a number with a unit, such as 30s, 10m, 1h30m or 10 minutes`,
		},
		"negative": {
			settingsPath + "/top-up", `{"target_throughput":-1,"reserved_traffic":-2}`,
			"target_throughput: -1 is negative; give bytes per second, or 0 to buy no traffic; " +
				"reserved_traffic: -2 is negative; give bytes, or 0 to reserve none",
		},
		"no maximum": {
			sweepOf(alice), `{"min_balance_usd":"1","receiver":"` + string(bob) + `"}`,
			"max_balance_usd is missing. Send it, or send enabled false",
		},
		"no minimum": {
			sweepOf(alice), `{"max_balance_usd":"1","receiver":"` + string(bob) + `"}`,
			"min_balance_usd is missing. Send it, or send enabled false",
		},
		"no receiver": {
			sweepOf(alice), `{"max_balance_usd":"1","min_balance_usd":"1"}`,
			"receiver is missing. Send it, or send enabled false",
		},
		"a maximum below the minimum": {
			sweepOf(alice), sweep("1", "2", bob),
			"max_balance_usd: 1.0 is less than the 2.0 that a sweep leaves; give as much or more",
		},
		"to itself": {
			sweepOf(alice), sweep("2", "1", alice),
			"receiver: " + string(alice) + " is the wallet that is swept; name another party",
		},
		"a wallet of nobody": {
			sweepOf("carol::1220"), sweep("2", "1", bob),
			`sender: "carol::1220" is not a party of this node. Send the complete id of a party with a wallet here`,
		},
		"no sender": {acceptOf(alice), `{}`, "from_parties: no sender is named; name one, or leave the receiver out"},
		"a receiver of nobody": {
			acceptOf("carol::1220"), `{}`,
			`receiver: "carol::1220" is not a party of this node. Send the complete id of a party with a wallet here`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := s.In(t).Call(apitest.Admin, http.MethodPut, c.path, c.body)
			require.Equal(t, http.StatusBadRequest, answer.Status, answer.Text)
			var refusal struct{ Error string }
			require.NoError(t, json.Unmarshal([]byte(answer.Text), &refusal))
			require.Equal(t, c.want, refusal.Error)
		})
	}
	for limit, want := range map[string]string{
		"0": `{"error":"Limit must be at least 1."}`, "5000": `{"error":"Exceeded limit maximum (5000 > 1000)."}`,
	} {
		for _, path := range []string{"/sweeps", "/auto-accept"} {
			answer := s.Call(apitest.Admin, http.MethodGet, settingsPath+path+"?limit="+limit, nil)
			require.Equal(t, http.StatusBadRequest, answer.Status)
			require.JSONEq(t, want, answer.Text)
		}
	}
	for _, value := range []string{`[1]`, `0.12345678901`, `"x"`} {
		s.Call(apitest.Admin, http.MethodPut, sweepOf(alice), `{"max_balance_usd":`+value+`}`).Plain(http.StatusBadRequest)
	}
}

func TestSettings_RequireAdmin(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	for _, path := range []string{settingsPath + "/top-up", sweepOf(alice), acceptOf(alice)} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			s.Call("", method, path, `{"enabled":false}`).Plain(http.StatusUnauthorized)
			answer := s.Call("alice", method, path, `{"enabled":false}`)
			require.Equal(t, http.StatusForbidden, answer.Status)
			require.JSONEq(t, `{"error":"Authorization Failed for alice"}`, answer.Text)
		}
	}
	for _, path := range []string{"/sweeps", "/auto-accept"} {
		answer := s.Call("alice", http.MethodGet, settingsPath+path, nil)
		require.Equal(t, http.StatusForbidden, answer.Status)
	}
}
