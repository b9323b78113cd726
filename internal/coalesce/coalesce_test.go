package coalesce_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/coalesce"
	"github.com/florinledger/florin/ledger"
)

// Many readers ask while the database is slow. Two queries answer all: readers that come during the first get the
// answer to the second.
func TestQuery_ReadersShareALaterQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var queries atomic.Int64
		release := make(chan struct{})
		q := coalesce.New(func(context.Context) (ledger.Offset, error) {
			at := ledger.Offset(queries.Add(1)) // the record grows during the query
			<-release
			return at, nil
		})
		var readers sync.WaitGroup
		read := func(want ledger.Offset) {
			readers.Go(func() {
				offset, err := q.Ask(t.Context())
				if err != nil || offset != want {
					t.Errorf("got %d, %v instead of %d", offset, err, want)
				}
			})
			synctest.Wait()
		}
		read(1)
		for range 100 {
			read(2)
		}
		close(release)
		readers.Wait()
		require.EqualValues(t, 2, queries.Load())
	})
}

// The reader that queries for the others goes away.
func TestQuery_SurvivesTheReaderThatAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("the database is away")
		var queries atomic.Int64
		q := coalesce.New(func(ctx context.Context) (ledger.Offset, error) {
			switch queries.Add(1) {
			case 1:
				<-ctx.Done()
				return 0, ctx.Err()
			case 2:
				return 0, failed
			default:
				return 7, nil
			}
		})
		ctx, leave := context.WithCancel(t.Context())
		errs := make(chan error, 3)
		ask := func(ctx context.Context) {
			go func() {
				offset, err := q.Ask(ctx)
				if err == nil && offset != 7 {
					err = errors.New("another offset")
				}
				errs <- err
			}()
			synctest.Wait()
		}
		ask(ctx)
		ask(t.Context())
		waiterCtx, end := context.WithCancel(t.Context())
		ask(waiterCtx)
		end()
		require.ErrorIs(t, <-errs, context.Canceled, "a waiting reader can go away, too")
		leave()
		require.ErrorIs(t, <-errs, context.Canceled)
		require.ErrorIs(t, <-errs, failed, "the other reader makes its own query")
		ask(t.Context())
		require.NoError(t, <-errs)
	})
}
