package ledgerapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const completionsPath = "/v2/commands/completions"

// completions reads completions and the checkpoint at the end.
func (b *bundle) completions(user, query string, body any) ([]ledgerapi.Completion, *v2.OffsetCheckpoint) {
	b.t.Helper()
	var found []ledgerapi.Completion
	var checkpoint *v2.OffsetCheckpoint
	for _, element := range list[ledgerapi.CompletionStreamResponse](b, user, completionsPath+query, body) {
		require.Nil(b.t, checkpoint, "a checkpoint ends the list")
		if element.CompletionResponse.OffsetCheckpoint != nil {
			checkpoint = &element.CompletionResponse.OffsetCheckpoint.Value
			continue
		}
		found = append(found, element.CompletionResponse.Completion.Value)
	}
	return found, checkpoint
}

func commandIDs(completions []ledgerapi.Completion) []string {
	ids := []string{}
	for _, completion := range completions {
		ids = append(ids, completion.CommandID)
	}
	return ids
}

const quick = "?stream_idle_timeout_ms=1"

// contract: completions-parties, completions-act-as, completion-accepted, completion-refused, completion-ids
// contract: completion-time, completions-begin, completions-resume, completions-user, completion-deduplication
// contract: submit-submission-id
func TestCompletions_ListOutcomesOfCommands(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	b.ActingAs("both", b.alice, b.bob)
	done := b.wait("good", b.create("one"))
	b.Call("alice", http.MethodPost, "/v2/commands/async/submit",
		b.submission("bad", exercise("00"+hex64, "Inspect", fields{})).with(fields{"submissionId": "sub-bad"})).OK(nil)
	b.Call("both", http.MethodPost, "/v2/commands/submit-and-wait",
		b.submission("shared", b.create("two")).with(fields{"actAs": []ledger.Party{b.alice, b.bob}})).OK(nil)

	found, checkpoint := b.completions("alice", quick, fields{"parties": []ledger.Party{b.alice}})
	require.Equal(t, []string{"good", "bad"}, commandIDs(found), "only the user's own")
	require.Equal(t, b.end(), checkpoint.Offset, "the checkpoint is after entries of others")
	require.Equal(t, b.Node.SynchronizerID, checkpoint.SynchronizerTimes[0].SynchronizerID)

	good, bad := found[0], found[1]
	require.Equal(t, done.CompletionOffset, good.Offset)
	require.Equal(t, done.UpdateID, good.UpdateID)
	require.Equal(t, &ledgerapi.JsStatus{Details: []ledgerapi.ProtoAny{}}, good.Status)
	require.Equal(t, "alice", good.UserID)
	require.Equal(t, []string{string(b.alice)}, good.ActAs)
	require.Len(t, good.SubmissionID, 36, "the server has chosen one")
	require.Equal(t, &ledgerapi.DeduplicationPeriod{DeduplicationOffset: endpoint.Valued(int64(0))},
		good.DeduplicationPeriod)
	require.NotNil(t, good.TraceContext.Traceparent)
	require.Nil(t, good.TraceContext.Tracestate)
	update, known, err := b.DB.UpdateByID(t.Context(), ledger.UpdateID(done.UpdateID))
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, v2.SynchronizerTime{
		SynchronizerID: b.Node.SynchronizerID, RecordTime: endpoint.Timestamp(update.RecordTime),
	}, good.SynchronizerTime)

	require.Empty(t, bad.UpdateID)
	require.Equal(t, "alice", bad.UserID)
	require.Equal(t, []string{string(b.alice)}, bad.ActAs)
	require.Equal(t, "sub-bad", bad.SubmissionID)
	require.Greater(t, bad.Offset, good.Offset)
	require.Equal(t, b.Node.SynchronizerID, bad.SynchronizerTime.SynchronizerID)
	require.False(t, time.Time(bad.SynchronizerTime.RecordTime).Before(time.Time(good.SynchronizerTime.RecordTime)))
	require.Equal(t, int32(5), bad.Status.Code)
	require.Equal(t, "CONTRACT_NOT_FOUND(11,sub-bad): Contract could not be found with id 00"+hex64, bad.Status.Message)
	require.Equal(t, "type.googleapis.com/google.rpc.ErrorInfo", bad.Status.Details[0].TypeURL)
	require.NotEmpty(t, bad.Status.Details[0].Value)
	var info struct{ Reason string }
	require.NoError(t, json.Unmarshal([]byte(bad.Status.Details[0].ValueDecoded), &info))
	require.Equal(t, "CONTRACT_NOT_FOUND", info.Reason)

	t.Run("acting parties are reduced to those that ask", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		found, _ := b.completions("both", quick, fields{"parties": []ledger.Party{b.bob}})
		require.Equal(t, []string{"shared"}, commandIDs(found))
		require.Equal(t, []string{string(b.bob)}, found[0].ActAs)
		found, _ = b.completions("both", quick, fields{"parties": []ledger.Party{b.bob, b.alice, b.bob}})
		require.Len(t, found, 1, "one element, whatever the number of parties")
		require.ElementsMatch(t, []string{string(b.alice), string(b.bob)}, found[0].ActAs)
	})
	t.Run("CanReadAsAnyParty allows naming any user", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		found, _ := b.completions("auditor", quick, fields{"userId": "alice", "parties": []ledger.Party{b.alice, "x"}})
		require.Equal(t, []string{"good", "bad"}, commandIDs(found))
	})
	t.Run("reading goes on where it stopped", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		found, _ := b.completions("alice", quick,
			fields{"userId": "alice", "parties": []ledger.Party{b.alice}, "beginExclusive": good.Offset})
		require.Equal(t, []string{"bad"}, commandIDs(found))
		found, checkpoint := b.completions("alice", quick,
			fields{"parties": []ledger.Party{b.alice}, "beginExclusive": b.end()})
		require.Empty(t, found)
		require.Equal(t, b.end(), checkpoint.Offset)
	})
}

const hex64 = "abababababababababababababababababababababababababababababababab"

// contract: completions-other-user, completions-parties-required, completions-begin-negative, completions-400
func TestCompletions_RefuseInvalidRequests(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	b.wait("one", b.create("one"))
	for name, test := range map[string]struct {
		user   string
		body   fields
		status int
		code   string
		cause  string
	}{
		"another user":       {"alice", fields{"userId": "bob", "parties": []ledger.Party{b.alice}}, 403, "NA", ""},
		"another party":      {"alice", fields{"parties": []ledger.Party{b.alice, b.bob}}, 403, "NA", ""},
		"a malformed party":  {"alice", fields{"parties": []string{"a$b"}}, 403, "NA", ""},
		"the same, by those": {"auditor", fields{"parties": []string{"a$b"}}, 400, "INVALID_ARGUMENT", "0x24"},
		"an odd user":        {"auditor", fields{"userId": "a b", "parties": []string{"a"}}, 400, "INVALID_FIELD", "user_id"},
		"no parties":         {"alice", fields{"parties": []string{}}, 400, "MISSING_FIELD", "parties"},
		"parties left out":   {"alice", fields{}, 400, "MISSING_FIELD", "parties"},
		"a negative offset": {
			"alice",
			fields{"parties": []ledger.Party{b.alice}, "beginExclusive": -1},
			400, "NEGATIVE_OFFSET",
			"Offset -1 in begin_exclusive",
		},
		"an offset to come": {
			"alice",
			fields{"parties": []ledger.Party{b.alice}, "beginExclusive": 99},
			400, "OFFSET_AFTER_LEDGER_END",
			"Begin offset (99) is after ledger end (1)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b.in(t)
			body := b.Call(test.user, http.MethodPost, completionsPath+quick, test.body).Refused(test.status, test.code)
			require.Contains(t, body.Cause, test.cause)
		})
	}
	t.Run("by a user without the right", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		b.NotAllowed(http.MethodPost, completionsPath, fields{"parties": []ledger.Party{b.alice}})
	})
	t.Run("in plain text", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		good := fields{"parties": []ledger.Party{b.alice}}
		for query, name := range map[string]string{
			"?limit=x": "limit", "?limit=": "limit", "?limit=1.5": "limit",
			"?stream_idle_timeout_ms=soon": "stream_idle_timeout_ms",
		} {
			require.Equal(t, "Invalid value for: query parameter "+name,
				b.Call("alice", http.MethodPost, completionsPath+query, good).Plain(http.StatusBadRequest))
		}
		require.Equal(t, "Invalid value for: query parameter limit (it must not be negative)",
			b.Call("alice", http.MethodPost, completionsPath+"?limit=-1", good).Plain(http.StatusBadRequest))
		require.Contains(t, b.Call("alice", http.MethodPost, completionsPath+"?stream_idle_timeout_ms=-1", good).
			Plain(http.StatusBadRequest), "Invalid value for: query parameter stream_idle_timeout_ms")
		require.Equal(t, "Invalid value for: query parameter stream_idle_timeout_ms (it must be at most 9223372033000, "+
			"which is 292 years)", b.Call("alice", http.MethodPost, completionsPath+"?stream_idle_timeout_ms=9223372033001",
			good).Plain(http.StatusBadRequest))
		for _, body := range []any{
			nil, `null`, ` null `, `[]`, `{"parties":"x"}`, `{"parties":[1]}`, `{"parties":[],"userId":7}`,
		} {
			require.Contains(t, b.Call("alice", http.MethodPost, completionsPath, body).Plain(http.StatusBadRequest),
				"Invalid value for: body (")
		}
	})
}

// contract: completions-user
func TestCompletions_NeedUserWithoutAuthorization(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{Auth: auth.Disabled{}})
	b.Call("", http.MethodPost, completionsPath+quick, `{"parties":["a"]}`).
		Refused(http.StatusBadRequest, "MISSING_FIELD")
	b.Call("", http.MethodPost, completionsPath+quick, `{"userId":"any","parties":["a"]}`).OK(nil)
}

// contract: completions-limit, completions-413
func TestLists_LimitElements(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{Settings: ledgerapi.Settings{MaxListElements: 3}})
	ask := fields{"parties": []ledger.Party{b.alice}}
	found, checkpoint := b.completions("alice", quick, ask)
	require.Empty(t, found)
	require.Nil(t, checkpoint, "an empty ledger has no position")
	for i := range 3 {
		b.wait("cmd-"+strconv.Itoa(i), b.create(strconv.Itoa(i)))
	}
	for query, want := range map[string]struct {
		found      int
		checkpoint bool
	}{
		"":           {3, false}, // no room: the list is at the limit of the server
		"&limit=1":   {1, false},
		"&limit=3":   {3, false},
		"&limit=4":   {3, false}, // above the server's limit: as if it were not there
		"&limit=%2B": {-1, false},
	} {
		if want.found < 0 {
			b.Call("alice", http.MethodPost, completionsPath+quick+query, ask).Plain(http.StatusBadRequest)
			continue
		}
		found, checkpoint := b.completions("alice", quick+query, ask)
		require.Len(t, found, want.found, query)
		require.Equal(t, want.checkpoint, checkpoint != nil, query)
	}
	b.wait("cmd-3", b.create("3"))
	for _, query := range []string{"", "&limit=4", "&limit=9223372036854775807"} {
		body := b.Call("alice", http.MethodPost, completionsPath+quick+query, ask).
			Refused(http.StatusRequestEntityTooLarge, "JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED")
		require.Equal(t, "The number of matching elements (4) is greater than the node limit (3).", body.Cause)
		require.Equal(t, int32(2), body.ErrorCategory)
		require.Equal(t, int32(10), *body.GRPCCodeValue)
		require.Equal(t, "1 second", *body.RetryInfo)
		require.False(t, *body.DefiniteAnswer)
		require.Empty(t, body.Context)
		require.Contains(t, *body.Hint, "continue after the offset of the last element")
		require.NotContains(t, *body.Hint, "page by page", "completions have no pages")
	}
	found, _ = b.completions("alice", quick+"&limit=2", ask)
	require.Equal(t, []string{"cmd-0", "cmd-1"}, commandIDs(found))
	found, checkpoint = b.completions("alice", quick, ask.with(fields{"beginExclusive": found[1].Offset}))
	require.Equal(t, []string{"cmd-2", "cmd-3"}, commandIDs(found))
	require.NotNil(t, checkpoint, "there is room for one more element")
}

// steps is a watcher that lets a test act each time a list waits. When the test has nothing more to do, the list's
// waiting time is over.
type steps struct {
	acts []func()
	// waits are the maximum times of the waits.
	waits []time.Duration
}

func (s *steps) WaitAfter(ctx context.Context, offset ledger.Offset) (ledger.Offset, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0, errors.New("a list waits without end")
	}
	s.waits = append(s.waits, time.Until(deadline))
	if len(s.acts) == 0 {
		return offset, context.DeadlineExceeded
	}
	act := s.acts[0]
	s.acts = s.acts[1:]
	act()
	return offset + 1, nil
}

// contract: completions-idle
func TestLists_WaitForMoreElements(t *testing.T) {
	t.Parallel()
	watcher := &steps{}
	b := newBundle(t, apitest.Options{Watcher: watcher})
	other := fields{"CreateCommand": fields{"templateId": apitest.NoteTemplate, "createArguments": fields{
		"owner": b.bob, "readers": []string{}, "label": "other", "amount": "1",
	}}}
	watcher.acts = []func(){
		func() { b.wait("one", b.create("one")) },
		func() { // not for alice: the list still waits
			b.Call("bob", http.MethodPost, "/v2/commands/submit-and-wait",
				fields{"commands": []fields{other}, "commandId": "other", "actAs": []ledger.Party{b.bob}}).OK(nil)
		},
		func() { b.wait("two", b.create("two")) },
	}
	found, checkpoint := b.completions("alice", "?stream_idle_timeout_ms=3600000",
		fields{"parties": []ledger.Party{b.alice}})
	require.Equal(t, []string{"one", "two"}, commandIDs(found))
	require.Equal(t, int64(3), checkpoint.Offset)
	require.Len(t, watcher.waits, 4)
}

func TestLists_StopWaitingAtLimit(t *testing.T) {
	t.Parallel()
	watcher := &steps{}
	b := newBundle(t, apitest.Options{Watcher: watcher})
	watcher.acts = []func(){
		func() { b.wait("one", b.create("one")) }, func() { t.Error("it waits for nothing") },
	}
	found, checkpoint := b.completions("alice", "?limit=1", fields{"parties": []ledger.Party{b.alice}})
	require.Equal(t, []string{"one"}, commandIDs(found))
	require.Nil(t, checkpoint)
}

func TestLists_WaitForIdleTimeoutOrDefault(t *testing.T) {
	t.Parallel()
	watcher := &steps{}
	b := newBundle(t, apitest.Options{Watcher: watcher, RequestTimeout: 2 * time.Hour})
	for query, want := range map[string]time.Duration{
		"": ledgerapi.DefaultListWait, "?stream_idle_timeout_ms=3600000": time.Hour,
	} {
		watcher.waits = nil
		b.completions("alice", query, fields{"parties": []ledger.Party{b.alice}})
		require.Len(t, watcher.waits, 1)
		require.LessOrEqual(t, watcher.waits[0], want)
		require.Greater(t, watcher.waits[0], want-time.Minute)
	}
}

func TestLists_WakeOnNewEntry(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	done := make(chan []ledgerapi.Completion)
	go func() {
		found, _ := b.completions("alice", "?limit=1&stream_idle_timeout_ms=15000",
			fields{"parties": []ledger.Party{b.alice}})
		done <- found
	}()
	b.wait("late", b.create("late"))
	select {
	case found := <-done:
		require.Equal(t, []string{"late"}, commandIDs(found))
	case <-time.After(10 * time.Second):
		require.Fail(t, "the list was not woken")
	}
}

// With any idle time and any number of elements, the answer comes within the request's time.
func TestLists_AnswerWithinRequestTimeout(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{
		RequestTimeout: 6 * time.Second, Settings: ledgerapi.Settings{MaxListElements: 1_000_000},
	})
	type answer struct {
		found      []ledgerapi.Completion
		checkpoint *v2.OffsetCheckpoint
	}
	ask := func() (a answer) {
		a.found, a.checkpoint = b.completions("alice", "?stream_idle_timeout_ms=3600000",
			fields{"parties": []ledger.Party{b.alice}})
		return a
	}
	require.Empty(t, ask().found, "nothing comes")
	done := make(chan answer)
	go func() { done <- ask() }()
	for n := 0; ; n++ {
		select {
		case steady := <-done:
			require.NotEmpty(t, steady.found)
			require.NotNil(t, steady.checkpoint, "whoever asks goes on from here")
			return
		default:
			name := fmt.Sprint("steady-", n)
			b.wait(name, b.create(name))
		}
	}
}

// pruned is a record with a pruned beginning.
type pruned struct {
	*db.DB
	upTo ledger.Offset
}

func (p *pruned) Head(ctx context.Context) (db.Head, error) {
	head, err := p.DB.Head(ctx)
	head.Pruned = p.upTo
	return head, err
}

// contract: completions-pruned
func TestLists_RefusePrunedOffset(t *testing.T) {
	t.Parallel()
	record := &pruned{upTo: 2}
	b := newBundle(t, apitest.Options{Record: record})
	record.DB = b.DB
	for i := range 3 {
		b.wait("cmd-"+strconv.Itoa(i), b.create(strconv.Itoa(i)))
	}
	for path, body := range map[string]fields{
		"/v2/updates":                {"beginExclusive": 1, "filter": byParty(b.alice)},
		"/v2/state/active-contracts": {"activeAtOffset": 1, "filter": byParty(b.alice)},
	} {
		refusal := b.Call("alice", http.MethodPost, path+quick, body).
			Refused(http.StatusBadRequest, "PARTICIPANT_PRUNED_DATA_ACCESSED")
		require.Equal(t, "2", refusal.Context["earliest_offset"], path)
	}
	for _, begin := range []any{nil, 0, 1, 2} {
		refusal := b.Call("alice", http.MethodPost, completionsPath+quick,
			fields{"parties": []ledger.Party{b.alice}, "beginExclusive": begin}).
			Refused(http.StatusBadRequest, "PARTICIPANT_PRUNED_DATA_ACCESSED")
		require.Equal(t, "3", refusal.Context["earliest_offset"], "completions begin after where pruning ended")
	}

	var offsets ledgerapi.GetLatestPrunedOffsetsResponse
	b.Call("alice", http.MethodGet, "/v2/state/latest-pruned-offsets", nil).OK(&offsets)
	require.Equal(t, int64(2), offsets.ParticipantPrunedUpToInclusive)
}

const commandCompletionsPath = "/v2/commands/command-completions"

// Later versions select completions by party, of all users.
func TestCommandCompletions_AreThoseOfAllUsers(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	bob, carol := b.bob, b.Party("carol")
	b.ActingAs("bobs-app", bob)
	b.ActingAs("other", bob, carol)
	b.Rights("looker",
		ledger.Right{Kind: ledger.CanReadAs, Party: b.alice}, ledger.Right{Kind: ledger.CanReadAs, Party: bob})
	b.Rights("everyone", ledger.Right{Kind: ledger.CanReadAsAnyParty})
	b.note("one")
	submit := func(user, commandID string, actAs ...ledger.Party) {
		submission := b.submission(commandID, b.create(commandID))
		submission["actAs"], submission["commandId"] = actAs, commandID
		b.Call(user, http.MethodPost, "/v2/commands/submit-and-wait", submission)
	}
	submit("bobs-app", "two", bob)
	submit("other", "three", bob, carol)
	submit("other", "four", carol)
	commands := func(user string, ask fields) (ids []string, actAs [][]string) {
		t.Helper()
		for _, element := range list[ledgerapi.CompletionStreamResponse](b, user, commandCompletionsPath+quick, ask) {
			if completion := element.CompletionResponse.Completion; completion != nil {
				ids = append(ids, completion.Value.CommandID)
				actAs = append(actAs, completion.Value.ActAs)
			}
		}
		return ids, actAs
	}
	ids, actAs := commands("looker", fields{"parties": []ledger.Party{bob}})
	require.Equal(t, []string{"two", "three"}, ids)
	require.Equal(t, [][]string{{string(bob)}, {string(bob)}}, actAs, "of the acting parties those that were asked for")
	ids, _ = commands("looker", fields{"parties": []ledger.Party{bob, b.alice}})
	require.Len(t, ids, 3)
	for _, ask := range []fields{{}, {"parties": nil}, {"parties": []string{}}} {
		ids, actAs = commands("everyone", ask)
		require.Len(t, ids, 4)
		require.Equal(t, []string{string(bob), string(carol)}, actAs[2])
	}
	ids, _ = commands("everyone", fields{"beginExclusive": b.end() - 1})
	require.Equal(t, []string{"four"}, ids)

	stream := b.Open("everyone", commandCompletionsPath, fields{"beginExclusive": b.end()})
	submit("bobs-app", "five", bob)
	require.Equal(t, "five", nextCompletion(t, stream).CommandID)
	stream = b.Open("looker", commandCompletionsPath, fields{"parties": []ledger.Party{bob}})
	require.Equal(t, "two", nextCompletion(t, stream).CommandID)

	for user, ask := range map[string]fields{
		"looker": {}, "bobs-app": {"parties": []ledger.Party{bob, carol}}, "other": {"parties": nil},
	} {
		require.Equal(t, http.StatusForbidden, b.Call(user, http.MethodPost, commandCompletionsPath, ask).Status, user)
	}
	b.Call("everyone", http.MethodPost, commandCompletionsPath, fields{"beginExclusive": -1}).
		Refused(http.StatusBadRequest, "NEGATIVE_OFFSET")
	b.Call("everyone", http.MethodPost, commandCompletionsPath, fields{"beginExclusive": 1000}).
		Refused(http.StatusBadRequest, "OFFSET_AFTER_LEDGER_END")
}
