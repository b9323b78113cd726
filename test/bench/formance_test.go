package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/db/dbtest"
)

// checkout writes a Go module with one program.
func checkout(t *testing.T, module, program string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module " + module + "\n\ngo 1.26\n", "main.go": program} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// ledgerProgram answers like Formance Ledger. It refuses postings of nothing.
const ledgerProgram = `package main

import (
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	if os.Args[1] != "serve" || !strings.Contains(os.Getenv("POSTGRES_URI"), "/florin_bench_peer") {
		os.Exit(1)
	}
	http.HandleFunc("GET /_healthcheck", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("POST /v2/bench", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	http.HandleFunc("POST /v2/bench/transactions", func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), "clients:3") {
			w.WriteHeader(400)
		}
	})
	panic(http.ListenAndServe(os.Args[4], nil))
}
`

func TestFormance_RunsOnADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	pool, err := pgxpool.New(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	databases := func() (n int) {
		const query = "SELECT count(*) FROM pg_database WHERE datname = 'florin_bench_peer'"
		require.NoError(t, pool.QueryRow(t.Context(), query).Scan(&n))
		return n
	}

	f, err := startFormance(t.Context(), checkout(t, "github.com/formancehq/ledger", ledgerProgram), pool, databaseURL)
	require.NoError(t, err)
	require.Equal(t, 1, databases())
	require.NoError(t, f.transact(t.Context(), 3))
	var refused *client.Error
	require.ErrorAs(t, f.transact(t.Context(), 4), &refused)
	require.NoError(t, f.stop(t.Context()))
	require.Zero(t, databases())
	require.NoDirExists(t, f.folder)

	const failing = `package main

func main() { panic("no such flag") }
`
	_, err = startFormance(t.Context(), checkout(t, "github.com/formancehq/ledger", failing), pool, databaseURL)
	require.ErrorContains(t, err, "start Formance Ledger: it has ended: exit status 2")
	require.ErrorContains(t, err, "panic: no such flag")
	require.Zero(t, databases())
}

func TestFormance_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := startFormance(t.Context(), dir, nil, "")
	require.ErrorContains(t, err, "there is no Formance Ledger in "+dir)
	_, err = startFormance(t.Context(), checkout(t, "example.com/ledger", ledgerProgram), nil, "")
	require.ErrorContains(t, err, "its go.mod would name module github.com/formancehq/ledger")
	_, err = startFormance(t.Context(), checkout(t, "github.com/formancehq/ledger", "package main"), nil, "")
	require.ErrorContains(t, err, "function main is undeclared")
}

func TestPeers_ArePrintedWithTheirSpread(t *testing.T) {
	t.Parallel()
	r := &Report{Peers: &Peers{Version: "v2.4.12", Rates: []PeerRates{
		{Concurrency: 64, WalletTap: []float64{900, 1100}, Tap: []float64{1200, 1200}, Peer: []float64{95, 100, 105}},
	}}}
	r.judge()
	var out bytes.Buffer
	require.NoError(t, r.print(&out))
	for _, expected := range []string{
		"Formance Ledger v2.4.12", "64        1000  20 %        1200  0 %", "100  10 %               10.0               12.0",
		"MISSED  waited for, 64 clients, of Formance Ledger, at least 15: 10 at worst (taps by the wallet's route)",
	} {
		require.Contains(t, out.String(), expected)
	}
}
