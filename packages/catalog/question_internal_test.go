package catalog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// TestQuestion_ReadersShareALaterQuery has many ask while the database is slow: two questions answer all,
// and who comes during the first has the answer to the second.
func TestQuestion_ReadersShareALaterQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		release := make(chan struct{})
		q := newQuestion(func(context.Context) (ledger.Offset, error) {
			at := ledger.Offset(asked.Add(1)) // the record moves on while the answer is on its way
			<-release
			return at, nil
		})
		var readers sync.WaitGroup
		read := func(want ledger.Offset) {
			readers.Go(func() {
				offset, err := q.ask(t.Context())
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
		require.EqualValues(t, 2, asked.Load())
	})
}

// TestQuestion_SurvivesTheReaderThatAsks has the reader that asks for others go away.
func TestQuestion_SurvivesTheReaderThatAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("the database is away")
		var asked atomic.Int64
		q := newQuestion(func(ctx context.Context) (ledger.Offset, error) {
			switch asked.Add(1) {
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
				offset, err := q.ask(ctx)
				if err == nil && offset != 7 {
					err = errors.New("another offset")
				}
				errs <- err
			}()
			synctest.Wait()
		}
		ask(ctx)
		ask(t.Context())
		waiting, give := context.WithCancel(t.Context())
		ask(waiting)
		give()
		require.ErrorIs(t, <-errs, context.Canceled, "who waits can go away, too")
		leave()
		require.ErrorIs(t, <-errs, context.Canceled)
		require.ErrorIs(t, <-errs, failed, "its own question")
		ask(t.Context())
		require.NoError(t, <-errs)
	})
}
