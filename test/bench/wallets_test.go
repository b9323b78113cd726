package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/devnet/runfile"
)

func TestRun_TapsByTheWalletAsOneUserForEachClient(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	taps, registered := map[string]int{}, map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		token := r.Header.Get("Authorization")
		switch r.URL.Path {
		case "/v0/register":
			registered[token]++
			_, _ = w.Write([]byte(`{"party_id":"p"}`))
		case "/v0/wallet/tap":
			taps[token]++
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	r := &run{name: "bench-x", client: client.New(server.URL, 4), wallets: []*wallet{{}, {}, {}}}
	t.Cleanup(r.client.Close)
	require.NoError(t, r.onboard(t.Context(), r.wallets[:2]))
	require.NoError(t, r.onboard(t.Context(), r.wallets), "who has a wallet keeps it")
	require.Equal(t, []string{"bench-x-wallet-1", "bench-x-wallet-2", "bench-x-wallet-3"}, ownersOf(r.wallets))

	tap, err := r.operation("stage", ScenarioWalletTap, ModeWait, r.wallets)
	require.NoError(t, err)
	for worker := range r.wallets {
		require.NoError(t, tap(t.Context(), worker))
	}
	require.Len(t, taps, 3, "each client has a token of its own")
	require.Equal(t, registered, taps)
}

func TestOptions_MeasureTheWalletOnlyWaitingForIt(t *testing.T) {
	t.Parallel()
	options := Options{Scenarios: []string{ScenarioTap, ScenarioWalletTap}, Modes: []string{ModeAsync, ModeWait}}
	require.Equal(t, []Stage{
		{Scenario: ScenarioTap, Mode: ModeAsync, Concurrency: 8},
		{Scenario: ScenarioTap, Mode: ModeWait, Concurrency: 8},
		{Scenario: ScenarioWalletTap, Mode: ModeWait, Concurrency: 8},
	}, options.stages(8))
}

func TestRun_MeasuresTheNodeAtRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		self := os.Getpid()
		r := &run{
			options: Options{Progress: func(string) {}}, report: &Report{},
			meter: meter{pids: runfile.PIDs{Node: self, Temporal: self, Postgres: self}},
		}
		began := time.Now()
		require.NoError(t, r.rest(t.Context()))
		require.Equal(t, 20*time.Second, time.Since(began))
		require.InDelta(t, 20, r.report.Rest.Seconds, 0)
		require.NotNil(t, r.report.Rest.cpu())
		require.Greater(t, *r.report.Rest.Memory.total(), *r.report.Rest.Memory.NodeRSS*2)

		r.meter.pids, r.report.Rest = runfile.PIDs{}, nil
		require.NoError(t, r.rest(t.Context()))
		require.Nil(t, r.report.Rest, "nobody knows its processes")
	})
}
