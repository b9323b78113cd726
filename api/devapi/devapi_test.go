package devapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/test/apitest"
)

func TestClock_AdvancesOverHTTP(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	require.NoError(t, server.DB.SetClockMode(t.Context(), true))
	var before, after devapi.ClockResponse
	server.Call(apitest.Admin, http.MethodGet, "/v0/dev/clock", nil).OK(&before)
	require.Equal(t, "simulated", before.Clock)
	server.Call(apitest.Admin, http.MethodPost, "/v0/dev/clock", `{"advance_by":"90d"}`).OK(&after)
	require.WithinDuration(t, time.Time(before.LedgerTime).Add(90*24*time.Hour), time.Time(after.LedgerTime), time.Minute)
	require.WithinDuration(t, time.Time(before.RealTime), time.Time(after.RealTime), time.Minute)
	to := time.Time(after.LedgerTime).Add(36 * time.Hour).Format(time.RFC3339)
	server.Call(apitest.Admin, http.MethodPost, "/v0/dev/clock", `{"advance_to":"`+to+`","jump":true}`).OK(&after)
	require.Contains(t, time.Time(after.LedgerTime).Format(time.RFC3339), to[:16])
}

func TestClock_TimeoutSaysHowToContinue(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{RequestTimeout: 3 * time.Second})
	require.NoError(t, server.DB.SetClockMode(t.Context(), true))
	require.NoError(t, server.DB.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.AwaitTime(t.Context(), db.Lifecycle{ // no workflow runs here
			WorkflowID: "long", Kind: "SubmitCommands", DueAt: time.Now().Add(-time.Hour), WaitsFor: "its time",
		})
	}))
	answer := server.Call(apitest.Admin, http.MethodPost, "/v0/dev/clock", `{"advance_to":"2040-01-01T00:00:00Z"}`)
	require.Equal(t, http.StatusServiceUnavailable, answer.Status, answer.Text)
	require.Contains(t, answer.Text, "To continue, send advance_to 2040-01-01T00:00:00Z.")
	require.Contains(t, answer.Text, "If the clock is there already, send advance_by 1ms")
}

func TestStaticClock_AdvancesOverHTTP(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	require.NoError(t, server.DB.StopClock(t.Context(), time.Now()))
	var before, after devapi.ClockResponse
	server.Call(apitest.Admin, http.MethodGet, "/v0/dev/clock", nil).OK(&before)
	require.Equal(t, "static", before.Clock)
	server.Call(apitest.Admin, http.MethodPost, "/v0/dev/clock", `{"advance_by":"90d"}`).OK(&after)
	require.Equal(t, time.Time(before.LedgerTime).Add(90*24*time.Hour), time.Time(after.LedgerTime))
	server.Call(apitest.Admin, http.MethodGet, "/v0/dev/clock", nil).OK(&before)
	require.Equal(t, after.LedgerTime, before.LedgerTime, "it stands")
}

func TestClock_RefusesInvalidTimes(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.ActingAs("alice")
	post := func(user, body string) apitest.Answer {
		return server.Call(user, http.MethodPost, "/v0/dev/clock", body)
	}
	real := post(apitest.Admin, `{"advance_by":"1h"}`)
	require.Equal(t, http.StatusBadRequest, real.Status)
	require.Contains(t, real.Text, "CLOCK_NOT_SIMULATED")
	require.Contains(t, real.Text, "florin up --clock simulated")

	require.NoError(t, server.DB.SetClockMode(t.Context(), true))
	require.Equal(t, http.StatusForbidden, post("alice", `{"advance_by":"1h"}`).Status)
	require.Equal(t, http.StatusUnauthorized, post("", `{"advance_by":"1h"}`).Status)
	cases := map[string]struct{ body, text string }{
		"nothing":                {`{}`, "either advance_by"},
		"both":                   {`{"advance_by":"1h","advance_to":"2030-01-01T00:00:00Z"}`, "either advance_by"},
		"no duration":            {`{"advance_by":"soon"}`, "not a positive duration"},
		"backwards":              {`{"advance_by":"-1h"}`, "not a positive duration"},
		"to the past":            {`{"advance_to":"2020-01-01T00:00:00Z"}`, "time never goes back"},
		"to no time":             {`{"advance_to":"tomorrow"}`, "RFC 3339"},
		"beyond what is allowed": {`{"advance_to":"9000-01-01T00:00:00Z"}`, "at most 100 years"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := server.In(t).Call(apitest.Admin, http.MethodPost, "/v0/dev/clock", c.body)
			require.Equal(t, http.StatusBadRequest, answer.Status, answer.Text)
			require.Contains(t, answer.Text, c.text)
		})
	}
}

func TestClock_AdvancesOnlyOnDevelopmentNodes(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, record.SetClockMode(t.Context(), true))
	api := devapi.New(devapi.Options{Clock: record, Now: time.Now})
	_, err := api.Advance(t.Context(), devapi.AdvanceClockRequest{AdvanceBy: "1h"})
	require.True(t, fault.ClockNotSimulated.Matches(err), "%v", err)
	state, err := record.ClockState(t.Context())
	require.NoError(t, err)
	require.Equal(t, db.ClockState{Simulated: true}, state)
}

func TestParseDuration_ReadsDaysAndUnits(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"90d": 90 * day, "1d12h30m": day + 12*time.Hour + 30*time.Minute, "36h": 36 * time.Hour, "1ms": time.Millisecond,
	} {
		parsed, err := devapi.ParseDuration(text)
		require.NoError(t, err)
		require.Equal(t, want, parsed, text)
	}
	for _, text := range []string{"", "0d", "d", "1", "-3d", "1d-2h", "999999d", "0s", "1d1d"} {
		_, err := devapi.ParseDuration(text)
		require.Error(t, err, text)
	}
}
