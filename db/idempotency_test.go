package db_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	ctx := t.Context()
	key := db.IdempotencyKey{Identity: ledger.DefaultUser("app"), Key: "k", RequestHash: "hash"}
	claim, known, err := record.ClaimIdempotencyKey(ctx, key, time.Hour, time.Hour)
	require.NoError(t, err)
	require.Nil(t, known)
	require.Equal(t, 1, claim.Attempt)

	_, known, err = record.ClaimIdempotencyKey(ctx, key, time.Hour, time.Hour)
	require.NoError(t, err)
	require.Equal(t, &db.KnownKey{RequestHash: "hash"}, known, "it is being served")

	held, err := record.HoldIdempotencyKey(ctx, claim, 0)
	require.NoError(t, err)
	require.True(t, held, "given up")
	other := key
	other.RequestHash = "other"
	_, known, err = record.ClaimIdempotencyKey(ctx, other, time.Hour, time.Hour)
	require.NoError(t, err)
	require.Equal(t, &db.KnownKey{RequestHash: "hash"}, known, "it stands for the first request all the same")
	second, known, err := record.ClaimIdempotencyKey(ctx, key, time.Hour, time.Hour)
	require.NoError(t, err)
	require.Nil(t, known)
	require.Equal(t, 2, second.Attempt)
	require.Equal(t, claim.UseID, second.UseID)

	answer := db.KeyedAnswer{Status: 201, Header: http.Header{"A": {"b"}}, Body: []byte("body")}
	stored, err := record.AnswerIdempotencyKey(ctx, claim, answer)
	require.NoError(t, err)
	require.False(t, stored, "somebody else has taken it on")
	held, err = record.HoldIdempotencyKey(ctx, claim, time.Hour)
	require.NoError(t, err)
	require.False(t, held)
	stored, err = record.AnswerIdempotencyKey(ctx, second, answer)
	require.NoError(t, err)
	require.True(t, stored)
	_, known, err = record.ClaimIdempotencyKey(ctx, key, time.Hour, time.Hour)
	require.NoError(t, err)
	require.Equal(t, &db.KnownKey{RequestHash: "hash", Answer: &answer}, known)
	forgotten, err := record.ForgetIdempotencyKeys(ctx)
	require.NoError(t, err)
	require.Zero(t, forgotten)

	expired := db.IdempotencyKey{Identity: ledger.DefaultUser("app"), Key: "old", RequestHash: "hash"}
	first, _, err := record.ClaimIdempotencyKey(ctx, expired, time.Hour, 0)
	require.NoError(t, err)
	expired.RequestHash = "other"
	again, known, err := record.ClaimIdempotencyKey(ctx, expired, time.Hour, 0)
	require.NoError(t, err)
	require.Nil(t, known)
	require.Equal(t, 1, again.Attempt)
	require.NotEqual(t, first.UseID, again.UseID, "it is another use of the key")
	forgotten, err = record.ForgetIdempotencyKeys(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1, forgotten)
}
