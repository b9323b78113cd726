package ledgerapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

func TestStreams_AreCompleteAndOrderedUnderLoad(t *testing.T) {
	t.Parallel()
	const writers, each, readers = 4, 40, 8
	b := newBundle(t, eager)
	var writing sync.WaitGroup
	for writer := range writers {
		writing.Go(func() {
			for i := range each {
				readers := []ledger.Party{}
				if i%3 == 0 {
					readers = append(readers, b.bob)
				}
				name := fmt.Sprintf("%d-%d", writer, i)
				b.wait(name, b.create(name, readers...))
			}
		})
	}
	// Each reader begins at another offset during the writes, and two of them read for a party that sees a third of them.
	seen := make([][]int64, readers)
	begins := make([]int64, readers)
	var reading sync.WaitGroup
	for i := range readers {
		user, party := "alice", b.alice
		if i >= readers-2 {
			user, party = "bob", b.bob
		}
		begins[i] = b.end() * int64(i%4) / 4
		stream := b.Open(user, updatesPath, fields{"filter": byParty(party), "beginExclusive": begins[i]})
		reading.Go(func() {
			for last := begins[i]; last < writers*each; {
				var element ledgerapi.JsGetUpdatesResponse
				stream.Element(&element)
				if checkpoint := element.Update.OffsetCheckpoint; checkpoint != nil {
					last = checkpoint.Value.Offset
					continue
				}
				last = element.Update.Transaction.Value.Offset
				seen[i] = append(seen[i], last)
			}
		})
	}
	writing.Wait()
	reading.Wait()
	require.Equal(t, int64(writers*each), b.end())
	for i := range readers {
		user, party := "alice", b.alice
		if i >= readers-2 {
			user, party = "bob", b.bob
		}
		listed, _ := b.transactions(user, updatesPath+quick, fields{
			"filter": byParty(party), "beginExclusive": begins[i], "endInclusive": writers * each,
		})
		require.Equal(t, offsets(listed), seen[i], "reader %d, from %d", i, begins[i])
	}
}

// countingRecord counts reads of the record for streams.
type countingRecord struct {
	ledgerapi.LedgerStore

	completions, updates, touched atomic.Int64
}

func (c *countingRecord) Completions(ctx context.Context, query db.CompletionsQuery) ([]ledger.Completion, error) {
	c.completions.Add(1)
	return c.LedgerStore.Completions(ctx, query)
}

func (c *countingRecord) Updates(ctx context.Context, query db.UpdatesQuery) ([]ledger.Update, error) {
	c.updates.Add(1)
	return c.LedgerStore.Updates(ctx, query)
}

func (c *countingRecord) TouchedParties(ctx context.Context, after, upTo ledger.Offset) ([]ledger.Party, error) {
	c.touched.Add(1)
	return c.LedgerStore.TouchedParties(ctx, after, upTo)
}

func TestStreams_IdleOnesDoNotReadTheRecord(t *testing.T) {
	t.Parallel()
	record := &countingRecord{}
	b := newBundle(t, apitest.Options{
		Record: record, Settings: ledgerapi.Settings{CheckpointInterval: 50 * time.Millisecond},
	})
	record.LedgerStore = b.DB
	b.note("before")
	const idle = 100
	waiting := make([]*apitest.Stream, idle)
	for i := range waiting {
		if i%2 == 0 {
			waiting[i] = b.Open("bob", completionsPath, fields{"parties": []ledger.Party{b.bob}})
		} else {
			waiting[i] = b.Open("bob", updatesPath, fields{"filter": byParty(b.bob)})
		}
	}
	for _, stream := range waiting { // each has read the existing entries
		frame := stream.Next()
		require.Contains(t, string(frame), `"OffsetCheckpoint"`)
	}
	completions, updates, touched := record.completions.Load(), record.updates.Load(), record.touched.Load()
	require.Equal(t, int64(idle/2), completions)
	require.Equal(t, int64(idle/2), updates)

	const commits = 20
	for i := range commits {
		b.note(strconv.Itoa(i))
	}
	for _, stream := range waiting { // all get a checkpoint
		for !carries(stream.Next(), commits+1) {
		}
	}
	require.Equal(t, completions, record.completions.Load(), "nothing was bob's")
	require.Equal(t, updates, record.updates.Load(), "nothing was bob's")
	looks := record.touched.Load() - touched
	require.LessOrEqual(t, looks, int64(commits), "one look at each commit, whatever the number of streams")
	require.Positive(t, looks)

	b.note("shared", b.bob)
	for i, stream := range waiting {
		if i%2 == 1 {
			require.Equal(t, int64(commits+2), nextUpdate(stream), "each wakes for entries of bob")
		}
	}
	for _, stream := range waiting {
		stream.Leave()
	}
	require.Eventually(t, func() bool { return b.Streams.Open() == 0 }, apitest.Patience, time.Millisecond)
	looks = record.touched.Load()
	b.note("after")
	require.Equal(t, looks, record.touched.Load(), "nobody follows, so nobody looks")
}

// carries reports whether a frame has the offset.
func carries(frame []byte, offset int) bool {
	var element struct {
		Completion struct {
			OffsetCheckpoint struct {
				Value v2.OffsetCheckpoint `json:"value"`
			} `json:"OffsetCheckpoint"`
		} `json:"completionResponse"`
		Update struct {
			OffsetCheckpoint struct {
				Value v2.OffsetCheckpoint `json:"value"`
			} `json:"OffsetCheckpoint"`
		} `json:"update"`
	}
	if json.Unmarshal(frame, &element) != nil {
		return false
	}
	return max(element.Completion.OffsetCheckpoint.Value.Offset, element.Update.OffsetCheckpoint.Value.Offset) ==
		int64(offset)
}

func TestStreams_SlowReaderHoldsOnePage(t *testing.T) {
	t.Parallel()
	record := &countingRecord{}
	b := newBundle(t, apitest.Options{Record: record})
	record.LedgerStore = b.DB
	const transactions, size = 301, 150_000 // many portions, together several times the buffer of a connection
	b.note("first")
	multiply(t, b.DB, transactions, strings.Repeat("x", size))
	slow := b.Open("alice", updatesPath, fields{"filter": byParty(b.alice), "endInclusive": transactions})
	require.Eventually(t, func() bool { return record.updates.Load() > 0 }, apitest.Patience, time.Millisecond)
	for range 20 { // much longer than the read of a portion
		quick := b.Open("alice", updatesPath, fields{"filter": byParty(b.alice), "beginExclusive": transactions - 1})
		require.Equal(t, int64(transactions), nextUpdate(quick))
		quick.Leave()
		record.updates.Add(-1)
	}
	before := record.updates.Load()
	for range transactions {
		slow.Next()
	}
	slow.Ended()
	require.Less(t, before, record.updates.Load()/2, "the read of the next portion waits for the client")
}

// multiply fills the record up to an offset with copies of its first update, whose note gets another label.
func multiply(tb testing.TB, record *db.DB, upTo ledger.Offset, label string) {
	tb.Helper()
	ctx := tb.Context()
	first, found, err := record.UpdateByOffset(ctx, 1)
	require.NoError(tb, err)
	require.True(tb, found)
	first.Events[0].Argument = json.RawMessage(
		strings.Replace(string(first.Events[0].Argument), `"first"`, strconv.Quote(label), 1))
	require.NoError(tb, record.InTx(ctx, func(tx *db.Tx) error {
		head, err := tx.LockHead(ctx)
		if err != nil {
			return err
		}
		var entries db.Entries
		for head.Offset < upTo {
			head = head.Next(head.RecordTime)
			copied := first
			copied.Offset, copied.RecordTime = head.Offset, head.RecordTime
			copied.ID = ledger.UpdateID(fmt.Sprintf("1220%064x", head.Offset))
			entries.Updates = append(entries.Updates, copied)
		}
		entries.Head = head
		return tx.Append(ctx, entries)
	}))
}

// FuzzStreams_AnyRequest sends anything as a request: the answer is an element, a refusal with a rule, or a close code
// for an invalid request. It is never a server error, and there is always an answer.
func FuzzStreams_AnyRequest(f *testing.F) {
	for _, seed := range []string{
		`{"parties":["alice::1220"],"beginExclusive":0}`, `{"parties":[],"userId":"auditor"}`, `{}`, `[]`, `null`, ``,
		`{"a":`,
		`{"activeAtOffset":1,"eventFormat":{"filtersForAnyParty":{"cumulative":[]}}}`,
		`{"activeAtOffset":"1","filter":{"filtersByParty":{"x":{}}},"streamContinuationToken":"AAAA"}`,
		`{"beginExclusive":-1}`, `{"beginExclusive":9223372036854775808}`,
		`{"endInclusive":1,"filter":{"filtersForAnyParty":{}}}`,
		`{"updateFormat":{"includeTransactions":{"eventFormat":{"filtersForAnyParty":{}},
			"transactionShape":"TRANSACTION_SHAPE_ACS_DELTA"}}}`,
		`{"updateFormat":{"includeTopologyEvents":{"includeParticipantAuthorizationEvents":{"parties":[]}}},
			"endInclusive":1}`,
		"\xff\xfe", `{"parties":["\u0000"]}`, `{"parties":[{}]}`,
	} {
		f.Add(seed, uint8(len(seed)))
	}
	server := apitest.New(f, apitest.Options{
		Settings: ledgerapi.Settings{CheckpointInterval: time.Millisecond}, MaxBodyBytes: 10_000,
	})
	server.Rights("auditor", ledger.Right{Kind: ledger.CanReadAsAnyParty})
	alice := server.Party("alice")
	server.ActingAs("alice", alice)
	server.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", fields{
		"commandId": "one", "actAs": []ledger.Party{alice}, "commands": []fields{{"CreateCommand": fields{
			"templateId":      apitest.NoteTemplate,
			"createArguments": fields{"owner": alice, "readers": []string{}, "label": "x", "amount": "1"},
		}}},
	}).OK(nil)
	paths := []string{completionsPath, contractsPath, updatesPath, "/v2/updates/flats", "/v2/updates/trees"}
	server.URL() // listen now, before the first input
	f.Fuzz(func(t *testing.T, request string, path uint8) {
		stream := server.In(t).Open("auditor", paths[int(path)%len(paths)], request)
		defer func() { _ = stream.Conn.CloseNow() }()
		ctx, cancel := context.WithTimeout(t.Context(), apitest.Patience)
		defer cancel()
		_, frame, err := stream.Conn.Read(ctx)
		if err != nil {
			require.Contains(t, []websocket.StatusCode{
				websocket.StatusNormalClosure, websocket.StatusInvalidFramePayloadData, websocket.StatusMessageTooBig,
			}, websocket.CloseStatus(err), "%v", err)
			return
		}
		var body v2.JsCantonError
		decode(t, frame, &body)
		require.NotEqual(t, int32(13), orZero(body.GRPCCodeValue), "%s", frame)
	})
}

func orZero(value *int32) int32 {
	if value == nil {
		return 0
	}
	return *value
}
