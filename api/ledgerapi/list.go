package ledgerapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Lists serve the elements of streams: the existing ones, then new ones until none comes for a while.

// Watcher wakes readers when the record grows.
type Watcher interface {
	// WaitAfter returns when the head is after the offset, or with the error of ctx.
	WaitAfter(ctx context.Context, offset ledger.Offset) (ledger.Offset, error)
}

// listBounds limit a list.
type listBounds struct {
	// fetch is the number of elements to read: one more than limit, unless the client has set limit, so that a too long
	// list is detected.
	fetch int
	// limit is the maximum number of elements.
	limit int
	// idle is how long to wait for another element.
	idle time.Duration
	// advice is the hint for a too long list.
	advice string
}

// Hints for too long lists.
const (
	completionsAdvice = "Set limit and continue after the offset of the last element, begin at a later offset, ask for " +
		"fewer parties, or open a stream (WebSocket on the same path)."
	contractsAdvice = "Set limit and continue with the streamContinuationToken of the last element, read page by page " +
		"(GET /v2/state/active-contracts-page), narrow the filter, or open a stream (WebSocket on the same path)."
	updatesAdvice = "Set limit and continue after the offset of the last element, begin at a later offset, narrow the " +
		"filter, read page by page (POST /v2/updates/get-updates-page), or open a stream (WebSocket on the same path)."
)

// listBounds applies the settings to the parameters (contract, "POST /v2/commands/completions": limit is ignored above
// the server's setting).
func (a *API) listBounds(query listQuery, advice string) (listBounds, error) {
	system := a.settings.MaxListElements
	bounds := listBounds{fetch: system + 1, limit: system, idle: a.settings.ListWait, advice: advice}
	if query.Limit != nil && *query.Limit < 0 {
		return listBounds{}, endpoint.InvalidParameter("limit", "it must not be negative")
	}
	if query.Limit != nil && *query.Limit <= int64(system) {
		bounds.fetch = int(*query.Limit)
		bounds.limit = bounds.fetch
	}
	if query.IdleTimeout != nil {
		const maxWait = int64(time.Hour / time.Millisecond) // the request ends long before
		const longest = int64(ledger.MaxDuration / time.Millisecond)
		if *query.IdleTimeout < 0 {
			return listBounds{}, endpoint.InvalidParameter("stream_idle_timeout_ms", "it must not be negative")
		}
		if *query.IdleTimeout > longest {
			return listBounds{}, endpoint.InvalidParameter("stream_idle_timeout_ms",
				fmt.Sprintf("it must be at most %d, which is 292 years", longest))
		}
		bounds.idle = time.Duration(min(*query.IdleTimeout, maxWait)) * time.Millisecond
	}
	return bounds, nil
}

// headAfter reads the head and checks that reading can begin after the offset. The kind is "Begin" or "End", for the
// error.
func (a *API) headAfter(ctx context.Context, kind string, begin ledger.Offset) (db.Head, error) {
	head, err := a.record.Head(ctx)
	switch {
	case err != nil:
		return db.Head{}, err
	case begin > head.Offset:
		return db.Head{}, fault.OffsetAfterEnd(kind, int64(begin), int64(head.Offset))
	default:
		return head, head.StillHolds(begin)
	}
}

// headNow reads the head without charging the budget.
func (a *API) headNow(ctx context.Context) (db.Head, error) {
	reading, release := budget.Part(ctx)
	defer release()
	return a.record.Head(reading)
}

// stillThere refuses an answer whose entries may have been pruned during the read.
func (a *API) stillThere(ctx context.Context, begin ledger.Offset) error {
	head, err := a.headNow(ctx)
	if err != nil {
		return err
	}
	return head.StillHolds(begin)
}

// fetcher returns up to limit more elements of a list, up to an offset. Fewer mean that there are no more.
type fetcher[T any] func(ctx context.Context, upTo ledger.Offset, limit int) ([]T, error)

// answerTime is how long before the request's deadline a list is answered with its elements so far.
const answerTime = 2 * time.Second

// collect gathers a list: all elements up to the head, then those that come before the list has been idle for long
// enough, or the request's time is nearly over, or the list is so long that it does not wait (see [endpoint.Wait]).
// When everything up to the head has been read and there is room, a checkpoint ends the list, so that the client can
// resume after entries that are not its own.
func collect[T any](
	ctx context.Context, a *API, bounds listBounds, head db.Head, fetch fetcher[T], checkpoint func(db.Head) T,
) ([]T, error) {
	if bounds.fetch == 0 {
		return nil, nil
	}
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if end, ok := ctx.Deadline(); ok {
		waiting, cancel = context.WithDeadline(ctx, end.Add(-answerTime))
	}
	defer cancel()
	elements, err := fetchCounted(ctx, head.Offset, bounds.fetch, fetch)
	for err == nil && len(elements) < bounds.fetch {
		var found []T
		found, head, err = next(ctx, waiting, a, bounds.idle, head, bounds.fetch-len(elements), fetch)
		if err == nil && len(found) == 0 {
			return withCheckpoint(elements, bounds, head, checkpoint), nil
		}
		elements = append(elements, found...)
	}
	if full, ok := errors.AsType[*noPlaceError](err); ok {
		if len(elements) > 0 {
			return withCheckpoint(elements, bounds, head, checkpoint), nil
		}
		err = full.error
	}
	if err != nil {
		return nil, err
	}
	return elements, bounds.check(len(elements))
}

// fetchCounted fetches elements. If there are none, it releases the budget of the read, so that a waiting list holds
// only its elements.
func fetchCounted[T any](ctx context.Context, upTo ledger.Offset, limit int, fetch fetcher[T]) ([]T, error) {
	reading, release := budget.Part(ctx)
	found, err := fetch(reading, upTo, limit)
	if len(found) == 0 {
		release()
	}
	return found, err
}

// noPlaceError means that there is no place to wait.
type noPlaceError struct{ error }

// next waits for elements after the head. It returns none if none came within the idle time, or before the context of
// waiting ended. It returns the head up to which it has read; with an error, the head before.
func next[T any](
	ctx, waiting context.Context, a *API, idle time.Duration, head db.Head, limit int, fetch fetcher[T],
) ([]T, db.Head, error) {
	waiting, cancel := context.WithTimeout(waiting, idle)
	defer cancel()
	for {
		resume, err := endpoint.Wait(ctx)
		if err != nil {
			return nil, head, &noPlaceError{err}
		}
		_, err = a.watcher.WaitAfter(waiting, head.Offset)
		resumeErr := resume()
		switch {
		case endpoint.OutOfTime(ctx):
			return nil, head, &endpoint.TimeoutError{Advice: "Set a shorter stream_idle_timeout_ms."}
		case ctx.Err() != nil:
			return nil, head, ctx.Err()
		case resumeErr != nil:
			return nil, head, &noPlaceError{resumeErr}
		case errors.Is(err, context.DeadlineExceeded): // an empty result, too, needs the right to read
			return nil, head, endpoint.CheckStill(ctx)
		case err != nil:
			return nil, head, err
		}
		reached, err := a.headNow(ctx)
		if err != nil {
			return nil, head, err
		}
		found, err := fetchCounted(ctx, reached.Offset, limit, fetch)
		if err == nil && len(found) > 0 { // later elements need the right to read
			err = endpoint.CheckStill(ctx)
		}
		if err != nil {
			return nil, head, err
		}
		if head = reached; len(found) > 0 {
			return found, head, nil
		}
	}
}

func withCheckpoint[T any](elements []T, bounds listBounds, head db.Head, checkpoint func(db.Head) T) []T {
	if len(elements) < bounds.limit && head.Offset > 0 {
		return append(elements, checkpoint(head))
	}
	return elements
}

// check refuses lists above the server's limit. The client's limit cuts the list before.
func (b listBounds) check(elements int) error {
	if elements > b.limit {
		return v2.AtEdge(fault.ListLimitReached(elements, b.limit).WithHint(b.advice))
	}
	return nil
}
