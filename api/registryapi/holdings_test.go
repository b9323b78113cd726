package registryapi_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

type summaries struct {
	RecordTime        time.Time `json:"record_time"`
	MigrationID       int64     `json:"migration_id"`
	ComputedAsOfRound int64     `json:"computed_as_of_round"`
	Summaries         []summary `json:"summaries"`
}

type summary struct {
	PartyID      ledger.Party `json:"party_id"`
	Unlocked     string       `json:"total_unlocked_coin"`
	Locked       string       `json:"total_locked_coin"`
	Holdings     string       `json:"total_coin_holdings"`
	FeesUnlocked string       `json:"accumulated_holding_fees_unlocked"`
	FeesLocked   string       `json:"accumulated_holding_fees_locked"`
	FeesTotal    string       `json:"accumulated_holding_fees_total"`
	Available    string       `json:"total_available_coin"`
}

// lastRecordTime is that of the newest update.
func lastRecordTime(t *testing.T, s *apitest.Server) time.Time {
	t.Helper()
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	updates, err := s.DB.Updates(t.Context(), db.UpdatesQuery{UpTo: head.Offset, Limit: 1, Descending: true})
	require.NoError(t, err)
	require.Len(t, updates, 1)
	return updates[0].RecordTime
}

// contract: scan-holdings
func TestHoldingsSummary_SumsAtTime(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob := s.Wallet("alice"), s.Wallet("bob")
	beginning := lastRecordTime(t, s)
	alice.Tap("100")
	tapped := lastRecordTime(t, s)
	send(t, s, alice, bob.Party, "30")
	offered := lastRecordTime(t, s)
	ask := func(t *testing.T, at time.Time, more map[string]any, owners ...ledger.Party) (answer summaries) {
		t.Helper()
		s.In(t).Call("", http.MethodPost, "/api/scan/v0/holdings/summary", summaryRequest(at, more, owners...)).OK(&answer)
		require.True(t, at.Equal(answer.RecordTime), "%s and %s", at, answer.RecordTime)
		return answer
	}
	const none = "0.0000000000"

	t.Run("at the time of an update, it counts", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "100.0000000000", ask(t, tapped, nil, alice.Party).Summaries[0].Holdings)
		require.Equal(t, none, ask(t, tapped.Add(-time.Microsecond), nil, alice.Party).Summaries[0].Holdings)
		require.Equal(t, none, ask(t, beginning, nil, alice.Party).Summaries[0].Holdings)
	})
	t.Run("what is locked is told apart, for each owner that was asked for, in order", func(t *testing.T) {
		t.Parallel()
		answer := ask(t, offered, map[string]any{"as_of_round": 0}, bob.Party, alice.Party)
		require.Equal(t, []summary{
			{bob.Party, none, none, none, none, none, none, none},
			{alice.Party, "70.0000000000", "30.0000000000", "100.0000000000", none, none, none, "70.0000000000"},
		}, answer.Summaries)
		require.Zero(t, answer.MigrationID)
		require.Zero(t, answer.ComputedAsOfRound)
	})
	t.Run("repeats count once", func(t *testing.T) {
		t.Parallel()
		owners := append(slices.Repeat([]ledger.Party{bob.Party}, 200), slices.Repeat([]ledger.Party{alice.Party}, 200)...)
		answer := ask(t, offered, nil, owners...)
		require.Len(t, answer.Summaries, 2)
		require.Equal(t, bob.Party, answer.Summaries[0].PartyID)
		require.Equal(t, "100.0000000000", answer.Summaries[1].Holdings)
	})
	t.Run("what was spent since counts at its time", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "100.0000000000", ask(t, tapped, nil, alice.Party).Summaries[0].Unlocked)
		require.Equal(t, none, ask(t, tapped, nil, alice.Party).Summaries[0].Locked)
	})
	t.Run("holding fees accrue by rounds", func(t *testing.T) {
		t.Parallel()
		answer := ask(t, offered, map[string]any{"as_of_round": 10}, alice.Party)
		require.EqualValues(t, 10, answer.ComputedAsOfRound)
		// The transfer made both coins in round 0, at 0.00380518 coins a round.
		require.Equal(t, []summary{{
			alice.Party, "70.0000000000", "30.0000000000", "100.0000000000", "0.0380518000", "0.0380518000", "0.0761036000",
			"69.9619482000",
		}}, answer.Summaries)
	})
	t.Run("and never exceed the holding", func(t *testing.T) {
		t.Parallel()
		answer := ask(t, offered, map[string]any{"as_of_round": 1_000_000_000_000}, alice.Party)
		require.Equal(t, "70.0000000000", answer.Summaries[0].FeesUnlocked)
		require.Equal(t, "30.0000000000", answer.Summaries[0].FeesLocked)
		require.Equal(t, none, answer.Summaries[0].Available)
	})
	t.Run("by rounds that there can be", func(t *testing.T) {
		t.Parallel()
		answer := ask(t, offered, map[string]any{"as_of_round": int64(math.MaxInt64)}, alice.Party)
		require.EqualValues(t, math.MaxInt64, answer.ComputedAsOfRound)
		require.Equal(t, "30.0000000000", answer.Summaries[0].FeesLocked)
		const path = "/v0/scan-proxy/holdings/summary"
		fails(t, s.In(t).Call("anybody", http.MethodPost, path,
			summaryRequest(offered, map[string]any{"as_of_round": -1}, alice.Party)), http.StatusBadRequest,
			"as_of_round: there is no round -1. Send 0 or more, or omit it for the earliest open round.")
		fails(t, s.In(t).Call("anybody", http.MethodPost, path, summaryRequest(offered, nil, "x")),
			http.StatusBadRequest, `Failed to decode: owner_party_ids: "x" is not a party id: hint::fingerprint`)
	})
	t.Run("the earliest open round is the default", func(t *testing.T) {
		t.Parallel()
		require.Zero(t, ask(t, offered, nil, alice.Party).ComputedAsOfRound)
	})
	t.Run("newer clients are spared the fees", func(t *testing.T) {
		t.Parallel()
		var answer map[string]any
		request := summaryRequest(offered, map[string]any{"record_time_match": "at_or_before"}, alice.Party)
		proxied := s.In(t).Call("anybody", http.MethodPost, "/v1/scan-proxy/holdings/summary", request)
		proxied.OK(&answer)
		require.Equal(t, proxied.Text, s.In(t).Call("", http.MethodPost, "/api/scan/v1/holdings/summary", request).Text)
		require.NotContains(t, answer, "computed_as_of_round")
		require.Equal(t, []any{map[string]any{
			"party_id": string(alice.Party), "total_unlocked_coin": "70.0000000000", "total_locked_coin": "30.0000000000",
			"total_coin_holdings": "100.0000000000",
		}}, answer["summaries"])
	})
}

func summaryRequest(at time.Time, more map[string]any, owners ...ledger.Party) map[string]any {
	request := map[string]any{"migration_id": 0, "record_time": at, "owner_party_ids": owners}
	maps.Copy(request, more)
	return request
}

// contract: scan-holdings
func TestHoldingsSummary_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	at := lastRecordTime(t, s)
	for name, test := range map[string]struct {
		at     time.Time
		more   map[string]any
		owners []ledger.Party
		status int
		text   string
	}{
		"another migration": {
			at: at, more: map[string]any{"migration_id": 1}, owners: []ledger.Party{s.Node.DSO},
			status: http.StatusNotFound, text: "No snapshot found for migration 1",
		},
		"the future": {
			at: at.Add(24 * time.Hour), owners: []ledger.Party{s.Node.DSO},
			status: http.StatusNotFound, text: "it is in the future",
		},
		"before the network": {
			at: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), owners: []ledger.Party{s.Node.DSO},
			status: http.StatusNotFound, text: "No snapshot found for 2020-01-01T00:00:00Z: the network began later",
		},
		"nobody": {at: at, owners: []ledger.Party{}, status: http.StatusBadRequest, text: "send at least one party"},
		"too many": {
			at: at, owners: manyParties(101), status: http.StatusBadRequest, text: "has more than 100 parties",
		},
		"no party": {
			at: at, owners: []ledger.Party{"no*party"}, status: http.StatusBadRequest, text: "Failed to decode: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := s.In(t).Call("", http.MethodPost, "/api/scan/v0/holdings/summary",
				summaryRequest(test.at, test.more, test.owners...))
			require.Contains(t, errorOf(t, answer, test.status), test.text)
		})
	}
}

func manyParties(count int) []ledger.Party {
	parties := make([]ledger.Party, count)
	for i := range parties {
		parties[i] = ledger.Party(fmt.Sprintf("party-%d::%s", i, apitest.Namespace))
	}
	return parties
}

func TestHoldingsSummary_NotFoundBeforePruning(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Wallet("alice")
	alice.Tap("100")
	tapped := lastRecordTime(t, s)
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	_, err = dbtest.Prune(t.Context(), s.DB, head.Offset)
	require.NoError(t, err)

	var answer summaries
	s.Call("", http.MethodPost, "/api/scan/v0/holdings/summary", summaryRequest(tapped, nil, alice.Party)).OK(&answer)
	require.Equal(t, "100.0000000000", answer.Summaries[0].Holdings, "the end of the record is known")
	require.Contains(t, errorOf(t, s.Call("", http.MethodPost, "/api/scan/v0/holdings/summary",
		summaryRequest(tapped.Add(-time.Microsecond), nil, alice.Party)), http.StatusNotFound),
		"the record before that was pruned")
}

// pruningRecord prunes before the reads of sums.
type pruningRecord struct{ apitest.PrunedBetween }

func (p *pruningRecord) LastRecordTime(
	ctx context.Context, after, upTo ledger.Offset,
) (ledger.Offset, time.Time, bool, error) {
	if err := p.Read(ctx); err != nil {
		return 0, time.Time{}, false, err
	}
	return p.DB.LastRecordTime(ctx, after, upTo)
}

func (p *pruningRecord) StillActive(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error) {
	if err := p.Read(ctx); err != nil {
		return nil, err
	}
	return p.DB.StillActive(ctx, query)
}

func (p *pruningRecord) SpentCoin(
	ctx context.Context, owner ledger.Party, after db.SpentPosition, limit int32,
) ([]db.StoredContract, error) {
	if err := p.Read(ctx); err != nil {
		return nil, err
	}
	return p.DB.SpentCoin(ctx, owner, after, limit)
}

// TestHoldingsSummary_CorrectDuringPruning prunes the record before each read in turn: the answer is the sum at that
// time, or a 404.
func TestHoldingsSummary_CorrectDuringPruning(t *testing.T) {
	t.Parallel()
	record := &pruningRecord{}
	s := apitest.NewWithCoin(t, apitest.Options{Registry: record})
	record.DB = s.DB
	told, bob := 0, s.Wallet("bob")
	for read := 1; ; read++ {
		owner := s.Wallet(fmt.Sprintf("owner-%d", read))
		owner.Tap("100")
		tapped := lastRecordTime(t, s)
		send(t, s, owner, bob.Party, "30")
		owner.Tap("1")
		record.Reads = read
		answer := s.Call("", http.MethodPost, "/api/scan/v0/holdings/summary", summaryRequest(tapped, nil, owner.Party))
		if answer.Status == http.StatusOK {
			told++
			var held summaries
			answer.OK(&held)
			require.Equal(t, "100.0000000000", held.Summaries[0].Unlocked, "pruned before read %d", read)
		} else {
			require.Contains(t, errorOf(t, answer, http.StatusNotFound), "the record before that was pruned")
		}
		if record.Reads > 0 { // there are no more reads
			require.Equal(t, 1, told, "once it was not pruned at all")
			require.Greater(t, read, 4)
			return
		}
	}
}

// The search for the offset of a time reads only record times, however large the updates are.
func TestHoldingsSummary_IgnoresSizeOfUpdates(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	s := apitest.NewWithCoin(t, apitest.Options{DB: dbtest.Open(t, url)})
	alice := s.Wallet("alice")
	alice.Tap("100")
	tapped := lastRecordTime(t, s)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE updates SET events = (events::text || repeat(' ', $1))::json
		WHERE ledger_offset = (SELECT max(ledger_offset) FROM updates)`, admission.DefaultAnswer)
	require.NoError(t, errors.Join(err, conn.Close(t.Context())))
	var answer summaries
	s.Call("", http.MethodPost, "/api/scan/v0/holdings/summary", summaryRequest(tapped, nil, alice.Party)).OK(&answer)
	require.Equal(t, "100.0000000000", answer.Summaries[0].Holdings)
}
