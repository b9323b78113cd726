package streamtest_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/test/apitest"
)

// patience is the maximum wait for an event that should happen soon.
const patience = time.Minute

// The test opens many streams of every kind during submissions, ends them in every way, and then counts the goroutines
// and the CPU time.
func TestStreams_LeakNoGoroutines(t *testing.T) {
	t.Parallel()
	const rounds = 40
	s := apitest.New(t, apitest.Options{Settings: ledgerapi.Settings{CheckpointInterval: 20 * time.Millisecond}})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	requests := requestsOf(alice)
	require.ElementsMatch(t, documentedStreams(s), slices.Collect(maps.Keys(requests)), "every stream of the document")
	create(s, alice)
	before := goroutines()

	submitting, stop := context.WithCancel(t.Context())
	var submitter sync.WaitGroup
	submitter.Go(func() {
		for submitting.Err() == nil {
			create(s, alice) //nolint:contextcheck // it finishes in any case
		}
	})
	for round := range rounds {
		var group sync.WaitGroup
		for path, request := range requests {
			group.Go(func() { visit(t, s, path, request, round) })
		}
		group.Wait()
	}
	require.Eventually(t, func() bool { return s.Streams.Open() == 0 }, patience, time.Millisecond, "streams stay open")
	left := func() bool { return len(more(before, goroutines())) > 0 }
	if !eventuallyNot(t, left) { // the ledger still grows: a leaked follower would follow it for ever
		t.Errorf("these run on while the ledger grows: %v", more(before, goroutines()))
	}
	stop()
	submitter.Wait()
	if !eventuallyNot(t, left) {
		t.Errorf("these run on: %v", more(before, goroutines()))
	}
	if !eventuallyNot(t, func() bool { return load(t) > 0.2 }) {
		t.Error("the processor is busy with nothing")
	}
}

func eventuallyNot(t *testing.T, condition func() bool) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for condition() {
		if wait.For(ctx, 10*time.Millisecond) != nil {
			return false
		}
	}
	return true
}

// requestsOf has the request of each stream, by path.
func requestsOf(party ledger.Party) map[string]map[string]any {
	filter := map[string]any{"filtersByParty": map[string]any{string(party): map[string]any{}}}
	updates := map[string]any{"filter": filter, "verbose": false, "beginExclusive": 0}
	return map[string]map[string]any{
		"/v2/commands/completions":         {"userId": "alice", "parties": []ledger.Party{party}, "beginExclusive": 0},
		"/v2/commands/command-completions": {"parties": []ledger.Party{party}, "beginExclusive": 0},
		"/v2/state/active-contracts":       {"filter": filter, "verbose": false, "activeAtOffset": 1},
		"/v2/updates":                      updates, "/v2/updates/flats": updates, "/v2/updates/trees": updates,
	}
}

// documentedStreams are the paths of the streams in the AsyncAPI document.
func documentedStreams(s *apitest.Server) []string {
	var document struct {
		Channels map[string]any `json:"channels"`
	}
	s.Send(http.MethodGet, "/docs/asyncapi", http.Header{"Accept": {"application/json"}}, nil).OK(&document)
	return slices.Collect(maps.Keys(document.Channels))
}

func create(s *apitest.Server, owner ledger.Party) {
	apitest.Create(s, apitest.Note{
		Owner: owner, Readers: []ledger.Party{}, Label: uuid.NewString(), Amount: decimal.FromInt(1),
	}, owner)
}

// visit opens a stream and ends it in one of the ways of clients.
func visit(t *testing.T, s *apitest.Server, path string, request any, way int) {
	t.Helper()
	const ways = 5
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, s.URL()+path, &websocket.DialOptions{
		Subprotocols: []string{"daml.ws.auth", "jwt.token." + apitest.Token(t, "alice")},
	})
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(-1)
	body, err := json.Marshal(request)
	if err != nil {
		t.Error(err)
		return
	}
	read := func() {
		if _, _, err := conn.Read(ctx); err != nil {
			t.Error(path, err)
		}
	}
	send := func(text []byte) {
		if err := conn.Write(ctx, websocket.MessageText, text); err != nil {
			t.Error(path, err)
		}
	}
	switch way % ways {
	case 0: // disconnects without a request
	case 1: // sends the request, and disconnects before the answer
		send(body)
	case 2: // reads one message and disconnects
		send(body)
		read()
	case 3: // reads one message and closes the stream
		send(body)
		read()
		_ = conn.Close(websocket.StatusNormalClosure, "") // fails if the stream ended first
	case 4: // sends an invalid request
		send([]byte(`{"beginExclusive":"?"}`))
		_, _, _ = conn.Read(ctx)
	}
}

var (
	florinFrame = regexp.MustCompile(`(?m)^github\.com/florinledger/florin/([^\s(]+(?:\(\*?\w+\))?[^\s(]*)\(`)
	ownFrame    = "florin/api/streamtest_test."
)

// goroutines counts the goroutines of the node's code by their first function.
func goroutines() map[string]int {
	buffer := make([]byte, 64<<20)
	counts := make(map[string]int)
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if frames := florinFrame.FindAllStringSubmatch(stack, -1); len(frames) > 0 && !strings.Contains(stack, ownFrame) {
			counts[frames[len(frames)-1][1]]++ // the first function
		}
	}
	return counts
}

// more lists the counts that have grown.
func more(before, after map[string]int) map[string]int {
	out := maps.Clone(after)
	maps.DeleteFunc(out, func(where string, count int) bool { return count <= before[where] })
	return out
}

// load is the share of a processor that this process uses at the moment.
func load(t *testing.T) float64 {
	t.Helper()
	const moment = 500 * time.Millisecond
	before := cpuTime(t)
	_ = wait.For(t.Context(), moment)
	return float64(cpuTime(t)-before) / float64(moment)
}

// cpuTime is the CPU time of this process.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
