package ledgerapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// eager are settings with frequent checkpoints.
var eager = apitest.Options{Settings: ledgerapi.Settings{CheckpointInterval: 20 * time.Millisecond}}

// nextCompletion returns the next completion of a stream. Checkpoints before it must not go back.
func nextCompletion(t *testing.T, stream *apitest.Stream) ledgerapi.Completion {
	t.Helper()
	for {
		var element ledgerapi.CompletionStreamResponse
		stream.Element(&element)
		if element.CompletionResponse.Completion != nil {
			return element.CompletionResponse.Completion.Value
		}
	}
}

// checkpointAt reads up to a checkpoint at an offset, and returns the completions before it.
func checkpointAt(t *testing.T, stream *apitest.Stream, offset int64) (before []ledgerapi.Completion) {
	t.Helper()
	for {
		var element ledgerapi.CompletionStreamResponse
		stream.Element(&element)
		if completion := element.CompletionResponse.Completion; completion != nil {
			before = append(before, completion.Value)
			continue
		}
		checkpoint := element.CompletionResponse.OffsetCheckpoint.Value
		require.LessOrEqual(t, checkpoint.Offset, offset)
		require.Len(t, checkpoint.SynchronizerTimes, 1)
		if checkpoint.Offset == offset {
			return before
		}
	}
}

func TestCompletionStream_SendsEveryCompletion(t *testing.T) {
	t.Parallel()
	b := newBundle(t, eager)
	b.wait("one", b.create("one"))
	b.wait("two", b.create("two"))
	stream := b.Open("alice", completionsPath, fields{"parties": []ledger.Party{b.alice}})
	first := nextCompletion(t, stream)
	require.Equal(t, "one", first.CommandID)
	require.Equal(t, "two", nextCompletion(t, stream).CommandID)
	third := b.wait("three", b.create("three"))
	came := nextCompletion(t, stream)
	require.Equal(t, third.CompletionOffset, came.Offset)
	require.Equal(t, third.UpdateID, came.UpdateID)

	t.Run("elements are those of the list", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		listed, _ := b.completions("alice", quick, fields{"parties": []ledger.Party{b.alice}})
		require.Equal(t, first, listed[0])
		require.Equal(t, came, listed[2])
	})
	t.Run("a stream goes on after an offset", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		resumed := b.Open("alice", "//v2/commands/completions",
			fields{"userId": "alice", "parties": []ledger.Party{b.alice}, "beginExclusive": first.Offset})
		require.Equal(t, "two", nextCompletion(t, resumed).CommandID)
		resumed.Leave()
	})
	t.Run("a stream of others gets only checkpoints", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		others := b.Open("bob", completionsPath, fields{"parties": []ledger.Party{b.bob}})
		require.Empty(t, checkpointAt(t, others, came.Offset))
		others.Leave()
	})
}

// contract: completions-kinds, completions-checkpoint
func TestStreams_SendCheckpoints(t *testing.T) {
	t.Parallel()
	t.Run("the first comes half a second after the beginning, the next when the record has grown", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, apitest.Options{Settings: ledgerapi.Settings{CheckpointInterval: 700 * time.Millisecond}})
		b.wait("one", b.create("one"))
		began := time.Now()
		stream := b.Open("bob", completionsPath, fields{"parties": []ledger.Party{b.bob}})
		checkpointAt(t, stream, 1)
		require.GreaterOrEqual(t, time.Since(began), 490*time.Millisecond)
		b.wait("two", b.create("two"))
		require.Empty(t, checkpointAt(t, stream, 2), "nothing is for bob, but he learns of the record's time")
		require.GreaterOrEqual(t, time.Since(began), 1190*time.Millisecond)
	})
	t.Run("an empty record has none", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, eager)
		stream := b.Open("alice", completionsPath, fields{"parties": []ledger.Party{b.alice}})
		b.wait("one", b.create("one"))
		var element ledgerapi.CompletionStreamResponse
		stream.Element(&element)
		require.NotNil(t, element.CompletionResponse.Completion, "the first frame is the first update")
	})
	t.Run("everything up to a checkpoint has been sent", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, apitest.Options{Settings: ledgerapi.Settings{CheckpointInterval: time.Millisecond}})
		stream := b.Open("alice", completionsPath, fields{"parties": []ledger.Party{b.alice}})
		written := make(chan struct{})
		const commands = 60
		go func() {
			defer close(written)
			for i := range commands {
				b.wait("c"+strconv.Itoa(i), b.create("n"+strconv.Itoa(i)))
			}
		}()
		sent := int64(0)
		for sent < commands {
			var element ledgerapi.CompletionStreamResponse
			stream.Element(&element)
			if checkpoint := element.CompletionResponse.OffsetCheckpoint; checkpoint != nil {
				require.Equal(t, sent, checkpoint.Value.Offset, "each entry of this record is a completion of alice's")
				continue
			}
			sent++
			require.Equal(t, sent, element.CompletionResponse.Completion.Value.Offset)
		}
		<-written
	})
}

func TestActiveContractStream_SendsEveryContract(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	const notes = 450 // more than two pages
	for batch := range notes / 50 {
		commands := make([]fields, 50)
		for i := range commands {
			commands[i] = b.create(fmt.Sprintf("%d-%d", batch, i))
		}
		b.wait("batch"+strconv.Itoa(batch), commands...)
	}
	request := fields{"activeAtOffset": b.end(), "eventFormat": byParty(b.alice)}
	read := func(b *bundle, request fields) (ids []string, tokens []string) {
		stream := b.Open("alice", contractsPath, request)
		for {
			frame, err := nextOrEnd(b.t, stream)
			if err != nil {
				return ids, tokens
			}
			var element ledgerapi.JsGetActiveContractsResponse
			decode(b.t, frame, &element)
			ids = append(ids, element.ContractEntry.JsActiveContract.CreatedEvent.ContractID)
			tokens = append(tokens, string(element.StreamContinuationToken))
		}
	}
	all, tokens := read(b, request)
	require.Len(t, all, notes)

	t.Run("it ends at once when there is nothing", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		b.Open("bob", contractsPath, fields{"activeAtOffset": b.end(), "filter": byParty(b.bob)}).Ended()
		b.Open("bob", contractsPath, fields{"activeAtOffset": 0, "filter": byParty(b.bob)}).Ended()
	})
	t.Run("it goes on after a continuation token", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		rest, _ := read(b, request.with(fields{"streamContinuationToken": []byte(tokens[211])}))
		require.Equal(t, all[212:], rest)
	})
	t.Run("it is what the pages list", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		var page struct {
			ActiveContracts []ledgerapi.JsGetActiveContractsResponse `json:"activeContracts"`
		}
		b.Call("alice", http.MethodGet, "/v2/state/active-contracts-page", request).OK(&page)
		require.Len(t, page.ActiveContracts, notes)
		for i, element := range page.ActiveContracts {
			require.Equal(t, all[i], element.ContractEntry.JsActiveContract.CreatedEvent.ContractID)
		}
	})
	t.Run("an offset after the end is refused in the stream", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		b.Open("alice", contractsPath, request.with(fields{"activeAtOffset": b.end() + 1})).
			Failed("OFFSET_AFTER_LEDGER_END")
	})
}

const contractsPath = "/v2/state/active-contracts"

// nextOrEnd returns the next frame, or an error at the end of the stream.
func nextOrEnd(t *testing.T, stream *apitest.Stream) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), apitest.Patience)
	defer cancel()
	_, frame, err := stream.Conn.Read(ctx)
	if err != nil {
		require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err), "%v", err)
	}
	return frame, err
}

func TestUpdateStreams_SendEveryUpdate(t *testing.T) {
	t.Parallel()
	b := newBundle(t, eager)
	mine := b.note("mine")
	b.note("shared", b.bob)
	b.wait("inspect", exercise(mine, "Inspect", fields{}))
	b.wait("relabel", exercise(mine, "Relabel", fields{"label": "new"}))
	older := fields{"filter": byParty(b.alice)}
	effects := fields{"updateFormat": updateFormatOf("LEDGER_EFFECTS", byParty(b.alice))}
	between := fields{"beginExclusive": 1, "endInclusive": 2}
	reversed := fields{"descendingOrder": true, "endInclusive": 2}
	for name, test := range map[string]struct {
		user, path string
		body       fields
		want       []int64
	}{
		"up to an end":          {"alice", updatesPath, effects.with(fields{"endInclusive": 3}), []int64{1, 2, 3}},
		"between two offsets":   {"alice", updatesPath, effects.with(between), []int64{2}},
		"newest first":          {"alice", updatesPath, effects.with(reversed), []int64{2, 1}},
		"of nothing":            {"alice", updatesPath, effects.with(fields{"beginExclusive": 4, "endInclusive": 4}), nil},
		"in the older form":     {"alice", updatesPath, older.with(fields{"endInclusive": 4}), []int64{1, 2, 4}},
		"by their older name":   {"alice", "/v2/updates/flats", older.with(fields{"endInclusive": 4}), []int64{1, 2, 4}},
		"as another party":      {"bob", updatesPath, fields{"filter": byParty(b.bob), "endInclusive": 4}, []int64{2}},
		"as trees":              {"alice", "/v2/updates/trees", older.with(fields{"endInclusive": 4}), []int64{1, 2, 3, 4}},
		"as trees newest first": {"alice", "/v2/updates/trees", older.with(reversed), []int64{2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b.in(t)
			stream := b.Open(test.user, test.path, test.body)
			for _, offset := range test.want {
				require.Equal(t, offset, nextUpdate(stream))
			}
			stream.Ended()
		})
	}
	for _, path := range []string{updatesPath, "/v2/updates/flats", "/v2/updates/trees"} {
		t.Run("without an end from "+path, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, eager)
			b.note("first")
			stream := b.Open("alice", path, fields{"filter": byParty(b.alice)})
			require.Equal(t, int64(1), nextUpdate(stream))
			b.note("second")
			require.Equal(t, int64(2), nextUpdate(stream))
			stream.Leave()
		})
	}
}

// nextUpdate is the offset of the next update of a stream, in any shape.
func nextUpdate(stream *apitest.Stream) int64 {
	for {
		var element struct {
			Update map[string]struct {
				Value struct {
					Offset int64 `json:"offset"`
				} `json:"value"`
			} `json:"update"`
		}
		stream.Element(&element)
		for kind, update := range element.Update {
			if kind != "OffsetCheckpoint" {
				return update.Value.Offset
			}
		}
	}
}

func TestStreams_RefuseInvalidRequests(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	b.note("one")
	mine := fields{"parties": []ledger.Party{b.alice}}
	all := fields{"filter": byParty(b.alice)}
	unknown := filterFor(b.alice, "TemplateFilter", fields{"templateId": "#nope:A:B"})
	for name, test := range map[string]struct {
		user, path string
		body       any
		code       string
	}{
		"no party":        {"alice", completionsPath, fields{"parties": []string{}}, "MISSING_FIELD"},
		"another's party": {"alice", completionsPath, fields{"parties": []ledger.Party{b.bob}}, "NA"},
		"another user":    {"alice", completionsPath, mine.with(fields{"userId": "bob"}), "NA"},
		"begin after the end": {
			"alice", completionsPath, mine.with(fields{"beginExclusive": 2}), "OFFSET_AFTER_LEDGER_END",
		},
		"negative begin":          {"alice", completionsPath, mine.with(fields{"beginExclusive": -1}), "NEGATIVE_OFFSET"},
		"no filter":               {"alice", updatesPath, fields{}, "INVALID_ARGUMENT"},
		"any party without right": {"alice", updatesPath, fields{"filter": fields{"filtersForAnyParty": fields{}}}, "NA"},
		"unknown template": {
			"alice", contractsPath, fields{"activeAtOffset": 1, "eventFormat": unknown}, "PACKAGE_NAMES_NOT_FOUND",
		},
		"descending without end": {
			"alice", updatesPath, all.with(fields{"descendingOrder": true}), "DESCENDING_ORDER_MISSING_END",
		},
		"end that is none": {"alice", "/v2/updates/trees", all.with(fields{"endInclusive": 0}), "NON_POSITIVE_OFFSET"},
		"no token":         {"", completionsPath, mine, "NA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := b.in(t).Open(test.user, test.path, test.body).Failed(test.code)
			require.Len(t, *body.TraceID, 32)
			if test.user == "" {
				require.Equal(t, int32(16), *body.GRPCCodeValue)
			}
		})
	}
	t.Run("a bad token gets an error after the request", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		body := b.OpenWith("eyJhbGciOiJIUzI1NiJ9.e30.x", completionsPath, mine).Failed("NA")
		require.Equal(t, int32(16), *body.GRPCCodeValue)
	})
	t.Run("an unknown user gets an error before the stream opens", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		_, response, err := websocket.Dial(t.Context(), b.URL()+updatesPath, &websocket.DialOptions{
			Subprotocols: []string{"jwt.token." + apitest.Token(t, "stranger"), "daml.ws.auth"},
		})
		require.Error(t, err)
		require.Equal(t, http.StatusForbidden, response.StatusCode)
		require.Equal(t, "application/json", response.Header.Get("Content-Type"))
	})
	t.Run("what is no request closes the connection", func(t *testing.T) {
		t.Parallel()
		closed := b.in(t).Open("alice", completionsPath, `{"parties":7}`).Closed()
		require.Equal(t, websocket.StatusInvalidFramePayloadData, closed.Code)
		require.Equal(t, "Invalid value for: body (an array was expected, but got a number at 'parties')", closed.Reason)
	})
}

func TestStreams_EndWhenTokenExpires(t *testing.T) {
	t.Parallel()
	b := newBundle(t, eager)
	b.note("one")
	token, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", 6*time.Second, time.Now())
	require.NoError(t, err)
	stream := b.OpenWith(token, completionsPath, fields{"parties": []ledger.Party{b.alice}})
	require.Len(t, checkpointAt(t, stream, 1), 1, "until then it works")
	body := stream.Failed("ACCESS_TOKEN_EXPIRED")
	require.Contains(t, body.Cause, `The access token of user "alice" expired at `)
	require.Equal(t, int32(2), body.ErrorCategory)
	require.NotNil(t, body.Hint)
}

func TestStreams_EndWhenRightsChange(t *testing.T) {
	t.Parallel()
	b := newBundle(t, eager)
	b.note("one")
	open := func(user string) *apitest.Stream {
		b.ActingAs(user, b.alice)
		stream := b.Open(user, updatesPath, fields{"filter": byParty(b.alice)})
		require.Equal(t, int64(1), nextUpdate(stream))
		return stream
	}
	ending := map[string]*apitest.Stream{
		"granted": open("granted"), "revoked": open("revoked"), "deleted": open("deleted"), "stopped": open("stopped"),
	}
	kept := open("kept")
	user := func(id string, change fields) fields { return fields{"id": id}.with(change) }
	right := func(kind string, party ledger.Party) []fields {
		return []fields{{"kind": fields{kind: fields{"value": fields{"party": party}}}}}
	}
	b.Call(apitest.Admin, http.MethodPatch, "/v2/users/kept", fields{
		"user":       user("kept", fields{"primaryParty": b.alice}),
		"updateMask": fields{"paths": []string{"primary_party"}},
	}).OK(nil)
	b.Call(apitest.Admin, http.MethodPost, "/v2/users/granted/rights",
		fields{"userId": "granted", "rights": right("CanReadAs", b.bob)}).OK(nil)
	b.Call(apitest.Admin, http.MethodPatch, "/v2/users/revoked/rights",
		fields{"userId": "revoked", "rights": right("CanActAs", b.alice)}).OK(nil)
	b.Call(apitest.Admin, http.MethodDelete, "/v2/users/deleted", nil).OK(nil)
	b.Call(apitest.Admin, http.MethodPatch, "/v2/users/stopped", fields{
		"user":       user("stopped", fields{"isDeactivated": true}),
		"updateMask": fields{"paths": []string{"is_deactivated"}},
	}).OK(nil)
	for name, stream := range ending {
		body := failedBeforeLong(t, stream)
		require.Equal(t, "STALE_STREAM_AUTHORIZATION", body.Code, name)
		require.Equal(t, `The rights of user "`+name+`" changed while the stream was open.`, body.Cause)
	}
	b.note("two")
	require.Equal(t, int64(2), nextUpdate(kept), "nothing changed for this one")
	again := b.Open("granted", updatesPath, fields{"filter": byParty(b.alice, b.bob), "beginExclusive": 1})
	require.Equal(t, int64(2), nextUpdate(again), "the new right holds in a new stream")
}

// failedBeforeLong skips checkpoints and returns the error at the end of the stream.
func failedBeforeLong(t *testing.T, stream *apitest.Stream) v2.JsCantonError {
	t.Helper()
	for {
		var body v2.JsCantonError
		frame := stream.Next()
		if decode(t, frame, &body); body.Code == "" {
			require.Contains(t, string(frame), "OffsetCheckpoint")
			continue
		}
		stream.Ended()
		return body
	}
}

func TestStreams_LimitTotal(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{Limits: admission.New(admission.Options{Streams: 1})})
	b.note("one")
	stream := b.Open("alice", completionsPath, fields{"parties": []ledger.Party{b.alice}})
	nextCompletion(t, stream)
	body := b.Open("alice", completionsPath, nil).Failed("MAXIMUM_NUMBER_OF_STREAMS")
	require.Equal(t, "The node has reached its limit of open streams: 1.", body.Cause)
	require.Equal(t, "1 second", *body.RetryInfo)
}

func TestStreams_RefusePrunedOffset(t *testing.T) {
	t.Parallel()
	b := newBundle(t, eager)
	for i := range 3 {
		b.note(strconv.Itoa(i))
	}
	_, err := dbtest.Prune(t.Context(), b.DB, 2)
	require.NoError(t, err)
	body := b.Open("alice", updatesPath, fields{"filter": byParty(b.alice), "beginExclusive": 1}).
		Failed("PARTICIPANT_PRUNED_DATA_ACCESSED")
	require.Equal(t, "2", body.Context["earliest_offset"])
	stream := b.Open("alice", updatesPath, fields{"filter": byParty(b.alice), "beginExclusive": 2})
	require.Equal(t, int64(3), nextUpdate(stream))
}

func TestStreams_RefuseLongRequest(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{MaxBodyBytes: 1000})
	closed := b.Open("alice", completionsPath, strings.Repeat(" ", 1001)).Closed()
	require.Equal(t, websocket.StatusMessageTooBig, closed.Code)
}
