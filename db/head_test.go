package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

func TestHead(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)

	t.Run("is at zero and the epoch before the first entry", func(t *testing.T) {
		head, err := record.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, db.Head{RecordTime: time.Unix(0, 0).UTC()}, head)
	})
}
