package ledgerapi_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

var benchEvents = flag.Int("events", 10_000, "how many events BenchmarkPages_OfEachKind puts into the record")

const (
	benchHolders = 20
	benchLife    = 2000 // updates between the creation of a contract and its archival
	benchPage    = 100
	eventsEach   = 3 // of an update: one exercise, two creations
	benchLoaders = 2 // tables that are filled at the same time
)

// BenchmarkPages_OfEachKind measures one page of each kind at places all over the record, through the router, without
// the network. It reports the mean, the median and the 99th percentile. Run it with different sizes of the record:
//
//	go test ./api/ledgerapi -run '^$' -bench Pages -benchtime 1000x -events 5000000 -timeout 60m
func BenchmarkPages_OfEachKind(b *testing.B) {
	s, updates := bigRecord(b, *benchEvents)
	anyParty := fields{"filtersForAnyParty": fields{}}
	of := func(n int) fields { return byParty(benchHolder(n)) }
	// Each place has room for a page after it.
	room := benchPage * benchHolders
	place := func() int { return rand.IntN(max(1, updates-room)) }
	someone := func() int { return rand.IntN(benchHolders) }
	limit := fmt.Sprintf("?limit=%d", benchPage)
	for _, kind := range []struct {
		name, path string
		body       func() fields
	}{
		{"completions/of a party", "/v2/commands/completions" + limit, func() fields {
			return fields{"userId": "app", "parties": []any{benchHolder(someone())}, "beginExclusive": place()}
		}},
		{"updates/of a party", updatesPath + limit, func() fields {
			return fields{"beginExclusive": place(), "updateFormat": updateFormatOf("ACS_DELTA", of(someone()))}
		}},
		{"updates/of any party", updatesPath + limit, func() fields {
			return fields{"beginExclusive": place(), "updateFormat": updateFormatOf("ACS_DELTA", anyParty)}
		}},
		{"updates/of a party, newest first", updatesPath + limit, func() fields {
			return fields{"endInclusive": updates, "descendingOrder": true, "updateFormat": updateFormatOf("ACS_DELTA", of(someone()))}
		}},
		{"active contracts/of a party", activePath + limit, func() fields {
			return fields{"activeAtOffset": updates, "eventFormat": of(someone())}
		}},
		{"active contracts/of any party", activePath + limit, func() fields {
			return fields{"activeAtOffset": updates, "eventFormat": anyParty}
		}},
		{"active contracts/of a party, 1000 updates ago", activePath + limit, func() fields {
			return fields{"activeAtOffset": updates - 1000, "eventFormat": of(someone())}
		}},
		{"active contracts/of a party, half of the ledger ago", activePath + limit, func() fields {
			return fields{"activeAtOffset": updates / 2, "eventFormat": of(someone())}
		}},
		{"active contracts/of any party, half of the ledger ago", activePath + limit, func() fields {
			return fields{"activeAtOffset": updates / 2, "eventFormat": anyParty}
		}},
	} {
		b.Run(kind.name, func(b *testing.B) { measurePages(b, s, kind.path+"&stream_idle_timeout_ms=0", kind.body) })
	}
}

func measurePages(b *testing.B, s *apitest.Server, path string, body func() fields) {
	b.Helper()
	token := "Bearer " + apitest.Token(b, "app")
	var took []time.Duration
	elements := 0
	for b.Loop() {
		text, err := json.Marshal(body())
		require.NoError(b, err)
		request := httptest.NewRequestWithContext(b.Context(), http.MethodPost, path, strings.NewReader(string(text)))
		request.Header.Set("Authorization", token)
		recorder := httptest.NewRecorder()
		started := time.Now()
		s.Handler.ServeHTTP(recorder, request)
		took = append(took, time.Since(started))
		require.Equal(b, http.StatusOK, recorder.Code, recorder.Body)
		answer := recorder.Body.String()
		elements += strings.Count(answer, `"recordTime"`) + strings.Count(answer, `"JsActiveContract"`)
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
	b.ReportMetric(float64(elements)/float64(len(took)), "elements/page")
}

// bigRecord fills a database like transfers: in each update one holder pays another and both get a contract; a later
// payment of the holder spends one of them.
func bigRecord(b *testing.B, events int) (*apitest.Server, int) {
	b.Helper()
	databaseURL := dbtest.URL(b)
	record := benchRecord{updates: events / eventsEach}
	var err error
	record.template, err = lf.ParseTypeName(apitest.NoteTemplateID)
	require.NoError(b, err)
	var group errgroup.Group
	group.SetLimit(benchLoaders)
	for _, table := range record.tables() {
		group.Go(func() error { return record.copy(b.Context(), databaseURL, table) })
	}
	require.NoError(b, group.Wait())
	conn, err := pgx.Connect(b.Context(), databaseURL)
	require.NoError(b, err)
	defer conn.Close(b.Context())
	_, err = conn.Exec(b.Context(), "UPDATE ledger_head SET ledger_offset = $1, record_time = $2",
		record.updates, benchTime(record.updates))
	require.NoError(b, err)
	_, err = conn.Exec(b.Context(), "VACUUM ANALYZE")
	require.NoError(b, err)
	s := apitest.New(b, apitest.Options{DB: dbtest.Open(b, databaseURL)})
	s.Rights("app", ledger.Right{Kind: ledger.CanReadAsAnyParty})
	return s, record.updates
}

// benchRecord makes the rows of the record.
type benchRecord struct {
	updates  int
	template lf.TypeName
}

// benchTable has the rows of each update in a table.
type benchTable struct {
	name    string
	columns []string
	rows    func(n int) ([][]any, error)
}

func benchHolder(n int) ledger.Party {
	return ledger.Party(fmt.Sprintf("holder-%d::%s", n%benchHolders, apitest.Namespace))
}

func benchTime(n int) time.Time {
	return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Millisecond)
}

// benchDigest stands for every hash of the chain, which no page checks.
var benchDigest = sha256.Sum256([]byte("bench"))

// benchHash makes ids with the distribution of real ones.
func benchHash(kind string, n int) string {
	hash := sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, n))
	return hex.EncodeToString(hash[:])
}

func benchContract(kind string, n int) ledger.ContractID {
	return ledger.ContractID("00" + benchHash(kind, n) + "ca12" + benchHash(kind+" suffix", n))
}

func benchParties(n int) (payer, payee string) {
	return string(benchHolder(n)), string(benchHolder(n*7 + 1))
}

func (r benchRecord) tables() []benchTable {
	return []benchTable{
		{"updates", []string{
			"ledger_offset", "update_id", "record_time", "effective_at", "user_id", "command_id", "workflow_id", "act_as",
			"traceparent", "tracestate", "paid_traffic_cost", "events", "hash",
		}, func(n int) ([][]any, error) {
			payer, _ := benchParties(n)
			events, err := json.Marshal(r.events(n))
			return [][]any{{
				n, "1220" + benchHash("update", n), benchTime(n), benchTime(n), "app", fmt.Sprintf("command-%d", n), "",
				[]string{payer},
				"", "", 1500, events, benchDigest[:],
			}}, err
		}},
		{"update_parties", []string{"party", "ledger_offset"}, func(n int) ([][]any, error) {
			payer, payee := benchParties(n)
			if payer == payee {
				return [][]any{{payer, n}}, nil
			}
			return [][]any{{payer, n}, {payee, n}}, nil
		}},
		{"completions", []string{
			"ledger_offset", "submission_key", "change_id", "user_id", "command_id", "submission_id", "act_as", "update_id",
			"dedup_offset", "traceparent", "tracestate", "record_time", "paid_traffic_cost",
			"identity_provider_id", "digest", "hash",
		}, func(n int) ([][]any, error) {
			payer, _ := benchParties(n)
			return [][]any{{
				n, benchHash("key", n), "1220" + benchHash("change", n), "app", fmt.Sprintf("command-%d", n),
				fmt.Sprintf("submission-%d", n),
				[]string{payer},
				"1220" + benchHash("update", n), 0, "", "", benchTime(n), 1500, ledger.DefaultIdentityProvider,
				benchDigest[:], benchDigest[:],
			}}, nil
		}},
		{"completion_parties", []string{"identity_provider_id", "user_id", "party", "ledger_offset"}, func(n int) ([][]any,
			error,
		) {
			payer, _ := benchParties(n)
			return [][]any{{ledger.DefaultIdentityProvider, "app", payer, n}}, nil
		}},
		{"contracts", []string{
			"contract_id", "created_offset", "created_node_id", "archived_offset", "template_id", "package_name", "payload",
			"signatories", "observers", "maintainers", "created_at", "in_network",
		}, func(n int) ([][]any, error) {
			payer, payee := benchParties(n)
			return [][]any{r.contract(n, 1, payer), r.contract(n, 2, payee)}, nil
		}},
		{
			"active_contracts",
			[]string{"party", "created_offset", "created_node_id", "template_id", "contract_id", "in_network"},
			func(n int) ([][]any, error) {
				if r.archived(n) != nil {
					return nil, nil
				}
				payer, payee := benchParties(n)
				return [][]any{
					{payer, n, 1, r.template.String(), string(benchContract("change", n)), false},
					{payee, n, 2, r.template.String(), string(benchContract("payment", n)), false},
				}, nil
			},
		},
	}
}

// archived is the offset where the contracts of an update end; nil for active ones.
func (r benchRecord) archived(n int) *int {
	if end := n + benchLife; end <= r.updates {
		return &end
	}
	return nil
}

func (r benchRecord) contract(n, node int, owner string) []any {
	kind := map[int]string{1: "change", 2: "payment"}[node]
	return []any{
		string(benchContract(kind, n)), n, node, r.archived(n), r.template.String(), "api-test", benchPayload(n, owner),
		[]string{owner},
		[]string{},
		[]string{},
		benchTime(n),
		false,
	}
}

func benchPayload(n int, owner string) []byte {
	return fmt.Appendf(nil, `{"owner":%q,"readers":[],"label":"note %d","amount":"12.5000000000"}`, owner, n)
}

func (r benchRecord) events(n int) []ledger.Event {
	payer, payee := benchHolder(n), benchHolder(n*7+1)
	witnesses := ledger.SortedParties([]ledger.Party{payer, payee})
	create := func(node int32, kind string, owner ledger.Party) ledger.Event {
		return ledger.Event{
			NodeID: node, LastDescendant: node, Kind: ledger.EventCreate, ContractID: benchContract(kind, n),
			Template: r.template, PackageName: "api-test", Signatories: []ledger.Party{owner}, Witnesses: witnesses,
			Argument: benchPayload(n, string(owner)),
		}
	}
	return []ledger.Event{
		{
			LastDescendant: 2, Kind: ledger.EventExercise, ContractID: benchContract("change", n-benchLife),
			Template: r.template, PackageName: "api-test", Signatories: []ledger.Party{payer}, Witnesses: witnesses,
			Choice: "Relabel", Consuming: true, ActingParties: []ledger.Party{payer},
			Argument: fmt.Appendf(nil, `{"label":"note %d"}`, n), Result: fmt.Appendf(nil, "%q", benchContract("change", n)),
		},
		create(1, "change", payer), create(2, "payment", payee),
	}
}

// copy fills one table.
func (r benchRecord) copy(ctx context.Context, databaseURL string, table benchTable) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	next, waiting := 0, [][]any(nil)
	source := pgx.CopyFromFunc(func() ([]any, error) {
		for len(waiting) == 0 {
			if next == r.updates {
				return nil, nil // the end, for pgx
			}
			next++
			var err error
			if waiting, err = table.rows(next); err != nil {
				return nil, err
			}
		}
		row := waiting[0]
		waiting = waiting[1:]
		return row, nil
	})
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{table.name}, table.columns, source); err != nil {
		return fmt.Errorf("filling %s: %w", table.name, err)
	}
	return nil
}
