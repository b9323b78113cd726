package ledgerapi_test

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const prunePath = "/v2/participant-pruning/prune"

func TestPruning_RemovesOldEntries(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	gone := b.note("gone")                                             // offset 1
	kept := b.note("kept", b.bob)                                      // 2
	archived := b.wait("archive", exercise(gone, "Archive", fields{})) // 3
	late := b.note("late")                                             // 4
	b.wait("end", exercise(late, "Archive", fields{}))                 // 5
	prune := func(offset int64) {
		b.t.Helper()
		require.JSONEq(t, "{}", b.Call(apitest.Admin, http.MethodPost, prunePath, fields{"pruneUpTo": offset}).Text)
	}
	prune(2)
	prune(4)

	t.Run("offsets", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		var bounds ledgerapi.GetLatestPrunedOffsetsResponse
		b.Call("nobody", http.MethodGet, "/v2/state/latest-pruned-offsets", nil).OK(&bounds)
		require.Equal(t, int64(4), bounds.ParticipantPrunedUpToInclusive)
		require.Equal(t, int64(4), bounds.AllDivulgedContractsPrunedUpToInclusive)
		require.Equal(t, int64(5), b.end())
	})
	t.Run("refuses readers from before", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		requests := map[string]fields{
			updatesPath:         {"beginExclusive": 3, "filter": byParty(b.alice)},
			"/v2/updates/trees": {"beginExclusive": 0, "filter": byParty(b.alice)},
			updatesPagePath:     {"beginOffsetExclusive": 3, "updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice))},
			activePath:          {"activeAtOffset": 3, "eventFormat": byParty(b.alice)},
		}
		for path, body := range requests {
			refusal := b.Call("alice", http.MethodPost, path, body).Refused(400, "PARTICIPANT_PRUNED_DATA_ACCESSED")
			require.Equal(t, "4", refusal.Context["earliest_offset"], path)
		}
		var active []any
		b.Call("alice", http.MethodPost, activePath, fields{"activeAtOffset": 0, "eventFormat": byParty(b.alice)}).
			OK(&active)
		require.Empty(t, active, "nothing was active before the first update, whatever was pruned")
		b.Call("alice", http.MethodGet, activePagePath, fields{"activeAtOffset": 0, "eventFormat": byParty(b.alice)}).OK(nil)
		refusal := b.Call("alice", http.MethodPost, "/v2/commands/completions",
			fields{"beginExclusive": 0, "parties": []any{b.alice}}).Refused(400, "PARTICIPANT_PRUNED_DATA_ACCESSED")
		require.Equal(t, "5", refusal.Context["earliest_offset"], "completions begin after where pruning ended")
		b.Call("alice", http.MethodGet, activePagePath, fields{"activeAtOffset": 3, "eventFormat": byParty(b.alice)}).
			Refused(400, "PARTICIPANT_PRUNED_DATA_ACCESSED")
		b.Call("alice", http.MethodPost, "/v2/updates/transaction-by-offset",
			fields{"offset": archived.CompletionOffset, "requestingParties": []any{b.alice}}).Refused(404, "UPDATE_NOT_FOUND")
	})
	t.Run("serves readers from there", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		found, checkpoint := b.transactions("alice", updatesPath+quick,
			fields{"beginExclusive": 4, "filter": byParty(b.alice)})
		require.Equal(t, []int64{5}, offsets(found))
		require.Equal(t, int64(5), checkpoint.Offset)
		require.Equal(t, []int64{5}, b.updatePages("alice", fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice))}))
		require.Equal(t, []string{"kept", "late"}, labels(t,
			b.active("alice", fields{"activeAtOffset": 4, "eventFormat": byParty(b.alice)})))
		completions := list[ledgerapi.CompletionStreamResponse](b, "alice", "/v2/commands/completions"+quick,
			fields{"beginExclusive": 5, "parties": []any{b.alice}})
		require.Len(t, completions, 1, "only the checkpoint")
	})
	t.Run("shows that nothing was between an offset and itself", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for _, offset := range []int64{3, 4, 5} {
			empty := fields{"beginExclusive": offset, "endInclusive": offset, "filter": byParty(b.alice)}
			require.JSONEq(t, "[]", b.Call("alice", http.MethodPost, updatesPath, empty).Text)
			var page ledgerapi.GetUpdatesPageResponse
			b.Call("alice", http.MethodPost, updatesPagePath, fields{
				"beginOffsetExclusive": offset, "endOffsetInclusive": offset,
				"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice)),
			}).OK(&page)
			require.Equal(t, ledgerapi.GetUpdatesPageResponse{
				Updates: page.Updates, LowestPageOffsetExclusive: offset, HighestPageOffsetInclusive: offset,
			}, page)
			require.Empty(t, page.Updates)
		}
		before := fields{"beginExclusive": 3, "endInclusive": 4, "filter": byParty(b.alice)}
		b.Call("alice", http.MethodPost, updatesPath, before).Refused(400, "PARTICIPANT_PRUNED_DATA_ACCESSED")
	})
	t.Run("keeps what is active", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		var contract ledgerapi.GetContractResponse
		b.Call("bob", http.MethodPost, contractPath, fields{"contractId": kept, "queryingParties": []any{b.bob}}).
			OK(&contract)
		events := b.eventsOf(kept)
		require.Equal(t, int64(2), events.Created.CreatedEvent.Offset, "it is active")
		require.Contains(t, string(events.Created.CreatedEvent.CreateArgument), `"label":"kept"`)
		require.Nil(t, events.Archived)
		events = b.eventsOf(late)
		require.Equal(t, int64(4), events.Created.CreatedEvent.Offset, "it was archived later")
		require.Equal(t, int64(5), events.Archived.ArchivedEvent.Offset)
	})
	t.Run("forgets what was archived by then", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		b.Call("alice", http.MethodPost, eventsPath, fields{"contractId": gone, "eventFormat": byParty(b.alice)}).
			Refused(404, "CONTRACT_EVENTS_NOT_FOUND")
	})
	t.Run("and what is refused", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		b.Call(apitest.Admin, http.MethodPost, prunePath, fields{"pruneUpTo": 0}).Refused(400, "NON_POSITIVE_OFFSET")
		b.Call(apitest.Admin, http.MethodPost, prunePath, fields{"pruneUpTo": 999}).Refused(400, "OFFSET_AFTER_LEDGER_END")
		b.NotAllowed(http.MethodPost, prunePath, fields{"pruneUpTo": 1})
	})
}

func TestPruning_KeepsDeduplicationEntries(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	b.note("kept")
	b.note("last")
	b.Call(apitest.Admin, http.MethodPost, prunePath, fields{"pruneUpTo": 2}).OK(nil)
	const path = "/v2/commands/submit-and-wait"
	body := b.submission("create-kept", b.create("other"))
	b.Call("alice", http.MethodPost, path, body).Refused(409, "DUPLICATE_COMMAND")
	early := body.with(fields{"deduplicationPeriod": fields{"DeduplicationOffset": fields{"value": 1}}})
	b.Call("alice", http.MethodPost, path, early).Refused(400, "INVALID_DEDUPLICATION_PERIOD")
	since := body.with(fields{"deduplicationPeriod": fields{"DeduplicationOffset": fields{"value": 2}}})
	b.Call("alice", http.MethodPost, path, since).OK(nil)
}

func TestPruning_KeepsEventsUntilArchivalIsPruned(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	id := b.note("one")
	prune := func() {
		b.Call(apitest.Admin, http.MethodPost, prunePath, fields{"pruneUpTo": b.end()}).OK(nil)
	}
	prune()
	active := b.eventsOf(id)
	require.NotNil(t, active.Created)
	require.Nil(t, active.Archived)

	b.wait("archive", exercise(id, "Archive", fields{}))
	archived := b.eventsOf(id)
	require.NotNil(t, archived.Archived)
	require.Equal(t, active.Created.CreatedEvent, archived.Created.CreatedEvent)

	prune()
	b.Call("alice", http.MethodPost, eventsPath, fields{"contractId": id, "eventFormat": byParty(b.alice)}).
		Refused(404, "CONTRACT_EVENTS_NOT_FOUND")
}

// eventsOf reads the events of a contract as alice.
func (b *bundle) eventsOf(id string) ledgerapi.JsGetEventsByContractIDResponse {
	b.t.Helper()
	var events ledgerapi.JsGetEventsByContractIDResponse
	b.Call("alice", http.MethodPost, eventsPath, fields{"contractId": id, "eventFormat": byParty(b.alice)}).OK(&events)
	return events
}

// pruning is a record that is pruned just after a read of its beginning.
type pruning struct {
	ledgerapi.LedgerStore

	asked atomic.Int64
}

func (p *pruning) Head(context.Context) (db.Head, error) {
	if p.asked.Add(1) == 1 {
		return db.Head{Offset: 9}, nil
	}
	return db.Head{Offset: 9, Pruned: 5}, nil
}

func (p *pruning) Updates(context.Context, db.UpdatesQuery) ([]ledger.Update, error) { return nil, nil }

func (p *pruning) Completions(context.Context, db.CompletionsQuery) ([]ledger.Completion, error) {
	return nil, nil
}

func (p *pruning) ActiveContracts(context.Context, db.ActiveQuery) ([]db.StoredContract, error) {
	return nil, nil
}

func (p *pruning) WorkflowIDs(context.Context, []ledger.Offset) (map[ledger.Offset]string, error) {
	return nil, nil // there are none
}

func TestPruning_DuringReadRefusesPartialAnswer(t *testing.T) {
	t.Parallel()
	record := &pruning{}
	s := apitest.New(t, apitest.Options{Record: record})
	party := s.Party("alice")
	s.ActingAs("alice", party)
	for path, body := range map[string]fields{
		updatesPath:                {"filter": byParty(party)},
		updatesPagePath:            {"updateFormat": updateFormatOf("ACS_DELTA", byParty(party))},
		activePath:                 {"activeAtOffset": 4, "eventFormat": byParty(party)},
		"/v2/commands/completions": {"parties": []any{party}},
	} {
		record.asked.Store(0)
		s.Call("alice", http.MethodPost, path, body).Refused(400, "PARTICIPANT_PRUNED_DATA_ACCESSED")
	}
}

// The audit before a prune, and a requested one, read more than the limit of an answer.
func TestPruning_WorksForRecordLargerThanAnswerLimit(t *testing.T) {
	t.Parallel()
	const contracts = 40
	b := newBundle(t, apitest.Options{
		Limits: admission.New(admission.Options{Answer: 10_000}),
	})
	for i := range contracts {
		b.note("note " + strconv.Itoa(i))
	}
	b.Call(apitest.Admin, http.MethodGet, "/v0/admin/audit?full=true", nil).OK(nil)
	b.Call(apitest.Admin, http.MethodPost, prunePath, fields{"pruneUpTo": contracts / 2}).OK(nil)
	b.Call(apitest.Admin, http.MethodGet, "/v0/admin/audit", nil).OK(nil)
}
