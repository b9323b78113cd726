package ledgerapi_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// A process with one connection commits, while the API knows newer packages than the process. Code that needs a second
// connection inside a transaction would wait for ever.
func TestDBTransactions_UseOnlyOneConnection(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record, err := db.Open(t.Context(), url, db.Options{MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(record.Close)
	require.NoError(t, record.Enter(t.Context(), db.Process{Role: "worker"}))
	idleWatcher, err := record.Watch(t.Context(), db.WatcherOptions{})
	require.NoError(t, err)
	t.Cleanup(idleWatcher.Close)
	const timeout = 20 * time.Second
	worker := newCustodyWith(t, apitest.Options{DB: record, Watcher: idleWatcher, RequestTimeout: timeout}, 1,
		signing.Curve25519)
	other := dbtest.Open(t, url)
	require.NoError(t, other.Enter(t.Context(), db.Process{Role: "api"}))
	api := *worker
	api.Server = apitest.New(t, apitest.Options{
		DB: other, Packages: ledgertest.Packages(), Submitter: worker.Submitter(), RequestTimeout: timeout,
	})
	upload := func(at *apitest.Server, version, added string) {
		dar := dartest.Build(t, dartest.Notes("notes", version, added))
		at.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
	}
	create := func(party ledger.Party) fields {
		return fields{"CreateCommand": fields{
			"templateId": "#notes:N:Note", "createArguments": fields{"owner": party, "reader": party, "text": "x"},
		}}
	}

	upload(api.Server, "1.0.0", "")
	api.Call("signer", http.MethodPost, waitURL, api.sign(api.prepare(fields{
		"commandId": "signed", "actAs": []ledger.Party{api.carol}, "commands": []fields{create(api.carol)},
	}))).OK(nil)

	upload(api.Server, "1.1.0", ", mood: Optional Text")
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			api.Call("bank", http.MethodPost, "/v2/commands/submit-and-wait", fields{
				"commandId": strconv.Itoa(i), "actAs": []ledger.Party{api.bank}, "commands": []fields{create(api.bank)},
			}).OK(nil)
		})
	}
	all.Wait()

	upload(worker.Server, "1.2.0", ", mood: Optional Text")
	worker.Call(apitest.Admin, http.MethodPost, "/v2/package-vetting/update", `{"changes":[{"operation":{"Unvet":{"value":
		{"packages":[{"packageName":"notes","packageVersion":"1.2.0"}]}}}}]}`).OK(nil)
}
