package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// fakeNode answers requests by method and path, with JSON or an error.
type fakeNode struct {
	answers  map[string]any
	requests []string
	wait     time.Duration
}

func (n *fakeNode) Call(_ context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	n.requests = append(n.requests, method+" "+path+" "+string(body))
	switch answer := n.answers[method+" "+path].(type) {
	case string:
		if out == nil {
			return nil
		}
		return json.Unmarshal([]byte(answer), out)
	case error:
		return answer
	default:
		return errors.New("nobody answers " + method + " " + path)
	}
}

func (n *fakeNode) Wait(_ context.Context, d time.Duration) error {
	n.wait += d
	return nil
}

// onFake runs a script on a fake node.
func onFake(t *testing.T, n *fakeNode, body string) script.Report {
	t.Helper()
	return runWith(t.Context(), t, `module W {
			record RelTime = { microseconds: Int64 };
			record Sleep = { duration: W:RelTime };
		}`, body, script.Options{
		Node: n, User: "seeder", Parties: map[string]ledger.Party{"alice": "alice::1"},
	})
}

func clockOf(kind string) string {
	return `{"clock":"` + kind + `","ledger_time":"2030-01-01T00:00:00Z"}`
}

const (
	clockPath = "/v0/dev/clock"
	sleeps    = `H:ask "Sleep" 1 (W:Sleep { duration = W:RelTime { microseconds = 5000000 } }) H:done`
	setsTime  = `H:ask "SetTime" 1 (H:Time { time = 2031-01-01T00:00:00.000000Z }) H:done`
	badges    = `H:ask "QueryNByKey" 1 (H:queryKey alice alice) (\(all: List Unit) ->
		H:say (INT64_TO_TEXT (H:count all)) (H:done ()))`
)

func TestRemote_FollowsTheClockOfTheNode(t *testing.T) {
	t.Parallel()
	ofMachine := &fakeNode{answers: map[string]any{"GET " + clockPath: clockOf("real")}}
	require.Nil(t, onFake(t, ofMachine, sleeps).Failure)
	require.Equal(t, 5*time.Second, ofMachine.wait)
	failure := onFake(t, ofMachine, setsTime).Failure
	require.Contains(t, failure.Message, "the ledger uses the clock of its machine")
	require.Contains(t, failure.Hint, "florin up --clock static")

	static := &fakeNode{answers: map[string]any{"GET " + clockPath: clockOf("static"), "POST " + clockPath: `{}`}}
	require.Nil(t, onFake(t, static, sleeps).Failure)
	require.Zero(t, static.wait)
	require.Equal(t, `POST `+clockPath+` {"advance_to":"2030-01-01T00:00:05Z","jump":true}`, static.requests[2])
	require.Nil(t, onFake(t, static, setsTime).Failure)
}

// nodeWithAlice answers the requests of every script with the party alice, and more.
func nodeWithAlice(more map[string]any) *fakeNode {
	n := &fakeNode{answers: map[string]any{
		"GET /v2/state/ledger-end": `{"offset":7}`,
	}}
	maps.Copy(n.answers, more)
	return n
}

const withAlice = `H:party "alice" (\(alice: Party) -> `

func TestRemote_UsesAnExistingParty(t *testing.T) {
	t.Parallel()
	n := nodeWithAlice(nil)
	report := onFake(t, n, withAlice+withAlice+`H:done ()))`)
	require.Nil(t, report.Failure)
	require.Equal(t, []ledger.Party{"alice::1"}, report.Parties)
	require.Empty(t, n.requests)
}

func TestRemote_QueriesByKey(t *testing.T) {
	t.Parallel()
	badge := func(id, owner, key string, offset string) string {
		return `{"contractEntry":{"JsActiveContract":{"createdEvent":{"offset":` + offset + `,"nodeId":0,
			"contractId":"` + id + `","templateId":"test:N:Badge","packageName":"test","createArgument":{"owner":"` + owner +
			`","name":"b","color":"red"},"contractKey":` + key + `,"signatories":["` + owner + `"],"observers":[]}}}}`
	}
	const key, other = `{"owner":"alice::1","name":"b"}`, `{"owner":"alice::1","name":"other"}`
	n := nodeWithAlice(map[string]any{"POST /v2/state/active-contracts": `[` + strings.Join([]string{
		badge("00aa", "alice::1", key, "3"), badge("00bb", "alice::1", other, "4"), `{"contractEntry":{}}`,
		badge("00cc", "alice::1", key, "5"),
	}, ",") + `]`})
	report := onFake(t, n, withAlice+badges+`)`)
	require.Nil(t, report.Failure, "%+v", report.Failure)
	require.Equal(t, "2", report.Messages[0].Text)
}

// The node has a newer version of the script's package, and creates contracts with it.
func TestRemote_QueriesByTheNameOfThePackage(t *testing.T) {
	t.Parallel()
	note := func(id, template, packageName string) string {
		return `{"contractEntry":{"JsActiveContract":{"createdEvent":{"offset":3,"nodeId":0,"contractId":"` + id +
			`","templateId":"` + template + `","packageName":"` + packageName + `","createArgument":{"owner":"alice::1",
			"reader":"alice::1","text":"hello"},"signatories":["alice::1"],"observers":[]}}}}`
	}
	n := nodeWithAlice(map[string]any{"POST /v2/state/active-contracts": `[` + strings.Join([]string{
		note("00aa", "newer:N:Note", "test"), note("00bb", "test:N:Note", "test"), note("00cc", "other:N:Note", "other"),
	}, ",") + `]`})
	report := onFake(t, n, withAlice+`H:ask "QueryACS" 1 (H:query alice ()) (\(all: List Unit) ->
		H:say (INT64_TO_TEXT (H:count all)) (H:done ())))`)
	require.Nil(t, report.Failure, "%+v", report.Failure)
	require.Equal(t, "2", report.Messages[0].Text)
	require.Contains(t, n.requests[1], `"templateId":"#test:N:Note"`)
}

func TestRemote_EndsTheScriptOnOtherErrors(t *testing.T) {
	t.Parallel()
	const submit = "POST /v2/commands/submit-and-wait-for-transaction"
	try := withAlice + tryCommands(`H:expect H:mustFail alice (H:create alice alice "hello") H:done`) + `)`
	for name, test := range map[string]struct {
		answer any
		says   string
	}{
		"a right that is missing": {fault.PermissionDenied.New("no right"), "no right"},
		"no answer":               {errors.New("connection refused"), "connection refused"},
		"no events":               {`{"transaction":{"events":[]}}`, "fewer than it has commands"},
		"a strange event":         {`{"transaction":{"events":[{"OtherEvent":{}}]}}`, "an event of an unknown kind"},
		"a strange value": {
			`{"transaction":{"events":[{"CreatedEvent":{"contractId":"00aa","templateId":"test:N:Note","packageName":"test",
				"createArgument":{"owner":5}}}]}}`, "cannot read a value of the ledger",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := onFake(t, nodeWithAlice(map[string]any{submit: test.answer}), try).Failure
			require.NotNil(t, failure, "tryCommands does not catch it")
			require.Contains(t, failure.Message, test.says)
		})
	}
}
