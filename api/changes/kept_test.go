package changes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/test/apitest"
)

// TestKeeper_LimitsAnswersPerUser has one user reach the limit, by number and by bytes: every node refuses a new key,
// and other users have room.
func TestKeeper_LimitsAnswersPerUser(t *testing.T) {
	t.Parallel()
	const body = `{"amount":"10"}`
	for name, limits := range map[string]apitest.Options{
		"answers": {UserAnswers: 3},
		"bytes":   {UserAnswerBytes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits.Once = true
			s := apitest.NewWithCoin(t, limits)
			s.Onboard("eve")
			s.Onboard("bob")
			kept := max(1, int(limits.UserAnswers))
			for i := range kept {
				sendKeyed(t, s, "eve", fmt.Sprint("key-", i), tap, body).OK(nil)
			}
			had := balance(t, s, "eve")
			twin := s.Twin(limits)
			for _, node := range []*apitest.Server{s, twin} {
				refused := sendKeyed(t, node, "eve", "one-more", tap, body)
				require.Equal(t, http.StatusTooManyRequests, refused.Status, refused.Text)
				require.Contains(t, refused.Text, fmt.Sprintf("the answers to %d requests with an Idempotency-Key, of ", kept))
				require.Contains(t, refused.Text, " bytes. Nothing was done.")
				require.Contains(t, refused.Text, "the node deletes an answer 24h0m0s after its request.")
				require.Equal(t, "60", refused.Header.Get("Retry-After"))
				again := sendKeyed(t, node, "eve", "key-0", tap, body)
				again.OK(nil)
				require.Equal(t, "true", again.Header.Get(changes.ReplayedHeader))
			}
			require.Equal(t, had, balance(t, s, "eve"))
			s.Call("eve", http.MethodPost, tap, body).OK(nil)
			sendKeyed(t, s, "bob", "one-more", tap, body).OK(nil)
		})
	}
}

// TestKeeper_ExpiredAnswersMakeRoom has a user return after its answers have expired and before the keeper deletes
// them.
func TestKeeper_ExpiredAnswersMakeRoom(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{UserAnswers: 1, KeepAnswers: time.Microsecond, Once: true})
	s.Onboard("alice")
	for i := range 3 {
		sendKeyed(t, s, "alice", fmt.Sprint("key-", i), tap, `{"amount":"10"}`).OK(nil)
	}
}

// pruningSubmitter prunes the record after each submission, which another process commits.
type pruningSubmitter struct {
	validator.Submitter

	db *db.DB
}

func (p pruningSubmitter) SubmitAndTrace(
	ctx context.Context, submission ledger.Submission,
) (ledger.Completion, string, error) {
	completion, workflowID, err := p.Submitter.SubmitAndTrace(ctx, submission)
	if err == nil {
		_, err = dbtest.Prune(ctx, p.db, completion.Offset)
	}
	completion.Update = nil
	return completion, workflowID, err
}

// If the transaction of a change is pruned before the node reads it, the answer says that the change was made, and at
// which offset.
func TestChange_PrunedAtOnceAnswersWithOffset(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{Once: true})
	s.Onboard("alice")
	twin := s.Twin(apitest.Options{Wallets: pruningSubmitter{s.WalletSubmitter(), s.DB}, Once: true})
	const body = `{"amount":"10"}`
	for i, change := range []func() apitest.Answer{
		func() apitest.Answer { return twin.Call("alice", http.MethodPost, tap, json.RawMessage(body)) },
		func() apitest.Answer { return sendKeyed(t, twin, "alice", "named", tap, body) },
	} {
		answer := change()
		require.Equal(t, http.StatusBadRequest, answer.Status, answer.Text)
		head, err := s.DB.Head(t.Context())
		require.NoError(t, err)
		require.Contains(t, answer.Text, "PARTICIPANT_PRUNED_DATA_ACCESSED")
		require.Contains(t, answer.Text, fmt.Sprintf("The change was made at offset %d", head.Offset))
		require.Equal(t, fmt.Sprintf("%d.0000000000", 2000*(i+1)), balance(t, s, "alice"), "once")
	}
}

// refusingSubmitter returns an error for each submission.
type refusingSubmitter struct {
	validator.Submitter

	err error
}

func (t refusingSubmitter) SubmitAndTrace(context.Context, ledger.Submission) (ledger.Completion, string, error) {
	return ledger.Completion{}, "", t.err
}

// Attempts without a submission do not count, so that a client may repeat a refused request as often as necessary.
func TestAttempts_CountOnlySubmissions(t *testing.T) {
	t.Parallel()
	const body = `{"amount":"10"}`
	for name, test := range map[string]struct {
		err    error
		status int
		counts bool
	}{
		"too many under way":  {fault.ParticipantBackpressure.New("full"), http.StatusTooManyRequests, false},
		"the same under way":  {fault.AlreadyInFlight("change", "submission", "one"), http.StatusTooManyRequests, false},
		"perhaps handed over": {fault.ServiceNotRunning.New("Temporal is away"), http.StatusServiceUnavailable, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := dbtest.URL(t)
			s := apitest.NewWithCoin(t, apitest.Options{DB: dbtest.Open(t, databaseURL), Once: true})
			s.Onboard("alice")
			conn, err := pgx.Connect(t.Context(), databaseURL)
			require.NoError(t, err)
			defer conn.Close(t.Context())
			turned := s.Twin(apitest.Options{Wallets: refusingSubmitter{err: test.err}, Once: true})
			const attempts = 3
			for range attempts {
				answer := sendKeyed(t, turned, "alice", "patient", tap, body)
				require.Equal(t, test.status, answer.Status, answer.Text)
			}
			var counted int
			require.NoError(t, conn.QueryRow(t.Context(), "SELECT attempt FROM idempotency_keys").Scan(&counted))
			if test.counts {
				require.Equal(t, attempts, counted)
			} else {
				require.Equal(t, 1, counted)
			}
			sendKeyed(t, s, "alice", "patient", tap, body).OK(nil)
			require.Equal(t, "2000.0000000000", balance(t, s, "alice"))
		})
	}
}

// countingRecord counts how often a request searches for earlier attempts.
type countingRecord struct {
	*db.DB
	count atomic.Int64
	// most is the largest number of completions found.
	most atomic.Int64
}

func (l *countingRecord) KeyedCompletions(
	ctx context.Context, identity ledger.Identity, name string, keys []string,
) ([]ledger.Completion, error) {
	l.count.Add(1)
	found, err := l.DB.KeyedCompletions(ctx, identity, name, keys)
	l.most.Store(max(l.most.Load(), int64(len(found))))
	return found, err
}

// TestAttempts_FindsEarlierChangeInOneQuery makes a change at the first of 499 attempts, with and without a command id:
// the last attempt finds it with one query for each search, whatever the user did under the same names.
func TestAttempts_FindsEarlierChangeInOneQuery(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"by its own command id": `{"amount":"10","command_id":"mine"}`, "by the key": `{"amount":"10"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := dbtest.URL(t)
			record := &countingRecord{DB: dbtest.Open(t, databaseURL)}
			s := apitest.NewWithCoin(t, apitest.Options{DB: record.DB, Answers: record, Once: true})
			alice := s.Onboard("alice")
			first := sendKeyed(t, s, "alice", "often", tap, body)
			first.OK(nil)
			had := balance(t, s, "alice")
			conn, err := pgx.Connect(t.Context(), databaseURL)
			require.NoError(t, err)
			defer conn.Close(t.Context())
			var use string
			require.NoError(t, conn.QueryRow(t.Context(), `
				UPDATE idempotency_keys
				SET attempt = 498, status = NULL, header = NULL, body = NULL, held_until = now() - interval '1 minute'
				RETURNING use_id`).Scan(&use))
			id := db.KeyedPrefix + use + ":0"
			s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
				"commandId": id, "submissionId": id, "actAs": []string{string(alice.Party)},
				"commands": []any{map[string]any{"CreateCommand": map[string]any{
					"templateId": apitest.NoteTemplate, "createArguments": map[string]any{
						"owner": alice.Party, "readers": []string{}, "label": "forged", "amount": "1.0",
					},
				}}},
			})
			record.count.Store(0)
			again := sendKeyed(t, s, "alice", "often", tap, body)
			require.Equal(t, first.Text, again.Text)
			require.Equal(t, had, balance(t, s, "alice"))
			require.LessOrEqual(t, record.count.Load(), int64(2), "before it is served, and while it is")
			require.LessOrEqual(t, record.most.Load(), int64(2), "once by each name, and nothing of its user's")
		})
	}
}

// Each attempt searches for all earlier ones, so their number is limited.
func TestAttempts_LimitsAttemptsPerRequest(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	s := apitest.NewWithCoin(t, apitest.Options{DB: dbtest.Open(t, databaseURL), Once: true})
	s.Onboard("alice")
	const body = `{"amount":"10"}`
	sendKeyed(t, s, "alice", "often", tap, body).OK(nil)
	had := balance(t, s, "alice")
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	begun := func(attempts int) {
		_, err := conn.Exec(t.Context(), `
			UPDATE idempotency_keys
			SET attempt = $1, status = NULL, header = NULL, body = NULL, held_until = now() - interval '1 minute'`, attempts)
		require.NoError(t, err)
	}
	begun(499)
	sendKeyed(t, s, "alice", "often", tap, body).OK(nil)
	begun(500)
	for range 2 {
		refused := sendKeyed(t, s, "alice", "often", tap, body)
		require.Equal(t, http.StatusConflict, refused.Status, refused.Text)
		require.Contains(t, refused.Text, `was tried 500 times without a final answer`)
		require.Empty(t, refused.Header.Get("Retry-After"))
	}
	require.Equal(t, had, balance(t, s, "alice"))
}
