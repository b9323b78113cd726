package db_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestIdempotency_KeepsOneAnswerForAKey(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	ctx := t.Context()
	keeping := db.Keeping{Hold: time.Hour, Keep: time.Hour, MaxAnswers: 10, MaxBytes: 1 << 10}
	key := db.IdempotencyKey{Identity: ledger.DefaultUser("app"), Key: "k", RequestHash: "hash"}
	claim, known, err := record.ClaimIdempotencyKey(ctx, key, keeping)
	require.NoError(t, err)
	require.Nil(t, known)
	require.Equal(t, 1, claim.Attempt)

	_, known, err = record.ClaimIdempotencyKey(ctx, key, keeping)
	require.NoError(t, err)
	require.Equal(t, &db.KnownKey{RequestHash: "hash"}, known, "the first request is not answered yet")

	held, err := record.HoldIdempotencyKey(ctx, claim, 0)
	require.NoError(t, err)
	require.True(t, held, "the claim still held when it was given up")
	other := key
	other.RequestHash = "other"
	_, known, err = record.ClaimIdempotencyKey(ctx, other, keeping)
	require.NoError(t, err)
	require.Equal(t, &db.KnownKey{RequestHash: "hash"}, known, "the key stays with the first request")
	second, known, err := record.ClaimIdempotencyKey(ctx, key, keeping)
	require.NoError(t, err)
	require.Nil(t, known)
	require.Equal(t, 2, second.Attempt)
	require.Equal(t, claim.UseID, second.UseID)

	answer := db.KeyedAnswer{Status: 201, Header: http.Header{"A": {"b"}}, Body: []byte("body")}
	stored, err := record.AnswerIdempotencyKey(ctx, claim, answer)
	require.NoError(t, err)
	require.False(t, stored, "another claim has replaced it")
	held, err = record.HoldIdempotencyKey(ctx, claim, time.Hour)
	require.NoError(t, err)
	require.False(t, held)
	stored, err = record.AnswerIdempotencyKey(ctx, second, answer)
	require.NoError(t, err)
	require.True(t, stored)
	_, known, err = record.ClaimIdempotencyKey(ctx, key, keeping)
	require.NoError(t, err)
	require.Equal(t, &db.KnownKey{RequestHash: "hash", Answer: &answer}, known)
	forgotten, err := record.ForgetIdempotencyKeys(ctx)
	require.NoError(t, err)
	require.Zero(t, forgotten)

	expired := db.IdempotencyKey{Identity: ledger.DefaultUser("app"), Key: "old", RequestHash: "hash"}
	forNoTime := db.Keeping{Hold: time.Hour, MaxAnswers: 10, MaxBytes: 1 << 10}
	first, _, err := record.ClaimIdempotencyKey(ctx, expired, forNoTime)
	require.NoError(t, err)
	expired.RequestHash = "other"
	again, known, err := record.ClaimIdempotencyKey(ctx, expired, forNoTime)
	require.NoError(t, err)
	require.Nil(t, known)
	require.Equal(t, 1, again.Attempt)
	require.NotEqual(t, first.UseID, again.UseID, "it is another use of the key")
	forgotten, err = record.ForgetIdempotencyKeys(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1, forgotten)
}

// keptAnswers reads the counters of a user's answers, and counts the stored answers.
func keptAnswers(t *testing.T, conn *pgx.Conn, user string) (counted, kept [2]int64) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), `
		SELECT coalesce(sum(answers), 0), coalesce(sum(bytes), 0) FROM kept_answers WHERE user_id = $1`, user,
	).Scan(&counted[0], &counted[1]))
	require.NoError(t, conn.QueryRow(t.Context(), `
		SELECT count(*), coalesce(sum(octet_length(header::text) + octet_length(body)), 0)
		FROM idempotency_keys WHERE user_id = $1`, user,
	).Scan(&kept[0], &kept[1]))
	return counted, kept
}

// Several processes claim, answer, claim again and forget keys of two users at once. No user may keep more than
// allowed, and the counters must be exact.
func TestIdempotency_CountsKeptAnswersExactly(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record := dbtest.Open(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	const maxAnswers = 25
	var group errgroup.Group
	for worker := range 8 {
		random := rand.New(rand.NewPCG(uint64(worker), 7))
		group.Go(func() error {
			for range 60 {
				key := db.IdempotencyKey{
					Identity: ledger.DefaultUser([]string{"eve", "bob"}[random.IntN(2)]),
					Key:      strconv.Itoa(random.IntN(60)), RequestHash: "hash",
				}
				keep := []time.Duration{time.Microsecond, time.Hour}[random.IntN(2)]
				claim, known, err := record.ClaimIdempotencyKey(t.Context(), key,
					db.Keeping{Keep: keep, MaxAnswers: maxAnswers, MaxBytes: 1 << 20})
				if _, full := errors.AsType[*db.KeptAnswersError](err); full || known != nil {
					continue
				}
				if err != nil {
					return err
				}
				if random.IntN(4) > 0 {
					if _, err := record.AnswerIdempotencyKey(t.Context(), claim, db.KeyedAnswer{
						Status: 200, Body: make([]byte, random.IntN(1000)),
					}); err != nil {
						return err
					}
				}
				if random.IntN(8) == 0 {
					if _, err := record.ForgetIdempotencyKeys(t.Context()); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	for _, user := range []string{"eve", "bob"} {
		counted, kept := keptAnswers(t, conn, user)
		require.Equal(t, kept[0], counted[0])
		require.LessOrEqual(t, kept[0], int64(maxAnswers))
		require.GreaterOrEqual(t, counted[1], kept[1], "a key that was claimed again still counts its former answer")
	}
	_, err = conn.Exec(t.Context(), "UPDATE idempotency_keys SET expires_at = now()")
	require.NoError(t, err)
	_, err = record.ForgetIdempotencyKeys(t.Context())
	require.NoError(t, err)
	for _, user := range []string{"eve", "bob"} {
		counted, kept := keptAnswers(t, conn, user)
		require.Zero(t, kept)
		require.Zero(t, counted, "forgotten keys do not count")
	}
}
