package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// UpdateRecord reads updates.
type UpdateRecord interface {
	Updates(ctx context.Context, query db.UpdatesQuery) ([]ledger.Update, error)
	UpdateByOffset(ctx context.Context, offset ledger.Offset) (ledger.Update, bool, error)
	UpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.Update, bool, error)
	UpdateByHash(ctx context.Context, hash string) (ledger.Update, bool, error)
}

// GetUpdatesRequest asks for updates.
type GetUpdatesRequest struct {
	BeginExclusive  int64              `json:"beginExclusive" required:"true" doc:"Offset to continue after; 0 to begin"`
	EndInclusive    *int64             `json:"endInclusive" doc:"Last offset; default: no end"`
	Filter          *TransactionFilter `json:"filter" doc:"Older form of updateFormat; not together with it"`
	Verbose         bool               `json:"verbose" doc:"Older form of eventFormat.verbose"`
	UpdateFormat    *UpdateFormat      `json:"updateFormat" doc:"What to show"`
	DescendingOrder bool               `json:"descendingOrder" doc:"Newest first; needs endInclusive"`
}

// JsGetUpdatesResponse is one element of the list.
type JsGetUpdatesResponse struct {
	Update Update `json:"update" doc:"The element"`
}

type updatesRequest struct {
	Limit       *int64            `query:"limit" doc:"Maximum number of elements; ignored above the server's limit"`
	IdleTimeout *int64            `query:"stream_idle_timeout_ms" doc:"How long to wait for another element"`
	Body        GetUpdatesRequest `body:"json"`
}

// updatesPage is the number of updates in one read.
const updatesPage = 100

func (a *API) updates(ctx context.Context, req updatesRequest) ([]JsGetUpdatesResponse, error) {
	view, err := a.updatesView(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	return listUpdates(ctx, a, req, view)
}

// renderer converts an update to an element of an answer; false if nothing of it is visible.
type renderer[T any] func(context.Context, ledger.Update) (T, bool, error)

// updatesView converts updates to elements of type T.
type updatesView[T any] struct {
	// readers are the parties whose updates can be shown, nil for all.
	readers    []ledger.Party
	show       renderer[T]
	checkpoint func(db.Head) T
}

func (a *API) updatesView(ctx context.Context, body GetUpdatesRequest) (updatesView[JsGetUpdatesResponse], error) {
	format, err := a.updatesFormat(ctx, body)
	if err != nil {
		return updatesView[JsGetUpdatesResponse]{}, err
	}
	show := func(ctx context.Context, update ledger.Update) (JsGetUpdatesResponse, bool, error) {
		shown, ok, err := a.toAPIUpdate(ctx, update, format)
		return JsGetUpdatesResponse{shown}, ok, err
	}
	return updatesView[JsGetUpdatesResponse]{format.readers(), show, a.updatesCheckpoint}, nil
}

// listUpdates lists what the view shows.
func listUpdates[T any](ctx context.Context, a *API, req updatesRequest, view updatesView[T]) ([]T, error) {
	bounds, err := a.listBounds(listQuery{Limit: req.Limit, IdleTimeout: req.IdleTimeout}, updatesAdvice)
	if err != nil {
		return nil, err
	}
	head, err := a.updatesRange(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	query := updatesQuery(req.Body, view.readers)
	if req.Body.EndInclusive == nil {
		fetch := func(ctx context.Context, upTo ledger.Offset, limit int) ([]T, error) {
			query.UpTo = upTo
			return fetchUpdates(ctx, a, &query, fetchBounds{limit: limit}, view.show)
		}
		return collect(ctx, a, bounds, head, fetch, view.checkpoint)
	}
	elements, err := fetchUpdates(ctx, a, &query, fetchBounds{limit: bounds.fetch}, view.show)
	if err != nil {
		return nil, err
	}
	return elements, bounds.check(len(elements))
}

// updatesQuery selects what the readers see. It has no end if the request has none.
func updatesQuery(body GetUpdatesRequest, readers []ledger.Party) db.UpdatesQuery {
	query := db.UpdatesQuery{
		Parties: readers, After: ledger.Offset(body.BeginExclusive), Limit: updatesPage, Descending: body.DescendingOrder,
	}
	if body.EndInclusive != nil {
		query.UpTo = ledger.Offset(*body.EndInclusive)
	}
	return query
}

// updatesFormat takes either form of the format.
func (a *API) updatesFormat(ctx context.Context, body GetUpdatesRequest) (*updateFormat, error) {
	switch {
	case body.UpdateFormat != nil && body.Filter != nil:
		return nil, fault.InvalidArgumentf("Both filter and update_format are specified").
			WithHint("Send updateFormat only.")
	case body.UpdateFormat != nil && body.Verbose:
		return nil, fault.InvalidArgumentf("Both verbose and update_format are specified").
			WithHint("Set eventFormat.verbose inside updateFormat instead.")
	case body.UpdateFormat != nil:
		return a.fromAPIUpdateFormat(ctx, *body.UpdateFormat)
	case body.Filter != nil:
		events, err := a.fromAPIEventFormat(ctx, EventFormat{
			FiltersByParty: body.Filter.FiltersByParty, FiltersForAnyParty: body.Filter.FiltersForAnyParty,
		})
		return &updateFormat{transactions: &transactionFormat{events: events, shape: ShapeACSDelta}}, err
	default:
		if err := endpoint.Claims(ctx).Require(); err != nil {
			return nil, err
		}
		return nil, fault.InvalidArgumentf("Either filter or update_format is required").
			WithHint("Send updateFormat with includeTransactions.")
	}
}

// updatesRange checks the offsets and returns the head.
func (a *API) updatesRange(ctx context.Context, body GetUpdatesRequest) (db.Head, error) {
	begin := body.BeginExclusive
	if begin < 0 {
		return db.Head{}, fault.NegativeOffsetIn("begin_exclusive", begin)
	}
	if body.EndInclusive == nil && body.DescendingOrder {
		return db.Head{}, fault.DescendingOrderMissingEnd.New("descending_order needs end_inclusive")
	}
	if body.EndInclusive != nil && *body.EndInclusive <= 0 {
		return db.Head{}, fault.NonPositiveOffsetIn("end_inclusive", *body.EndInclusive)
	}
	head, err := a.headAfter(ctx, "Begin", ledger.Offset(begin))
	if empty := body.EndInclusive != nil && *body.EndInclusive == begin; empty &&
		fault.ParticipantPrunedDataAccessed.Matches(err) {
		return a.record.Head(ctx) // an empty range is complete
	}
	if err != nil || body.EndInclusive == nil {
		return head, err
	}
	end := *body.EndInclusive
	if end > int64(head.Offset) {
		return db.Head{}, fault.OffsetAfterEnd("End", end, int64(head.Offset))
	}
	if end < begin {
		return db.Head{}, fault.OffsetOutOfRange.New("End offset %d is before begin offset %d", end, begin)
	}
	return head, nil
}

// fetchBounds say when to stop reading updates.
type fetchBounds struct {
	// limit is how many elements to return.
	limit int
	// reads is the maximum number of reads of the record; 0 for no limit. Then reading also ends when the answer is
	// long.
	reads int
	// portions has the state of a list that several calls fetch; nil for a single call.
	portions *budget.Portions
}

// fetchUpdates returns updates with a visible part, and moves the query behind them. A query with an empty range is
// done. Without readers there are no updates.
func fetchUpdates[T any](
	ctx context.Context, a *API, query *db.UpdatesQuery, bounds fetchBounds, show renderer[T],
) ([]T, error) {
	begin := query.After
	if begin >= query.UpTo {
		return nil, nil
	}
	elements, err := scanUpdates(ctx, a, query, bounds, show)
	if err != nil {
		return nil, err
	}
	return elements, a.stillThere(ctx, begin)
}

func scanUpdates[T any](
	ctx context.Context, a *API, query *db.UpdatesQuery, bounds fetchBounds, show renderer[T],
) ([]T, error) {
	if bounds.portions == nil {
		bounds.portions = budget.NewPortions(updatesPage)
	}
	var elements []T
	for reads := 1; query.After < query.UpTo && len(elements) < bounds.limit; reads++ {
		page, more, release, err := readUpdates(ctx, a, *query, bounds.portions)
		if err != nil {
			return nil, err
		}
		release() // from here on only the shown part counts
		for _, update := range page {
			if len(elements) == bounds.limit {
				return elements, nil
			}
			element, ok, err := show(ctx, update)
			if err != nil {
				return nil, err
			}
			advance(query, update.Offset)
			if !ok {
				continue
			}
			if err := budget.Of(ctx).Take(sizeOfUpdate(update)); err != nil {
				return nil, err
			}
			elements = append(elements, element)
		}
		if !more {
			query.After = query.UpTo
		} else if bounds.reads > 0 && (reads == bounds.reads || !budget.Of(ctx).HasRoom()) {
			break
		}
	}
	return elements, nil
}

// readUpdates reads one portion; without readers there is nothing to read.
func readUpdates(
	ctx context.Context, a *API, query db.UpdatesQuery, portions *budget.Portions,
) (page []ledger.Update, more bool, release func(), err error) {
	if query.Parties != nil && len(query.Parties) == 0 {
		return nil, false, func() {}, nil
	}
	return budget.Read(ctx, portions, func(ctx context.Context, limit int32) ([]ledger.Update, error) {
		query.Limit = limit
		return a.record.Updates(ctx, query)
	})
}

// advance moves the query behind an update.
func advance(query *db.UpdatesQuery, offset ledger.Offset) {
	if query.Descending {
		query.UpTo = offset - 1
		return
	}
	query.After = offset
}

func (a *API) updatesCheckpoint(head db.Head) JsGetUpdatesResponse {
	return JsGetUpdatesResponse{Update{OffsetCheckpoint: endpoint.Valued(a.checkpointAt(head))}}
}

func (a *API) checkpointAt(head db.Head) v2.OffsetCheckpoint {
	return v2.OffsetCheckpoint{
		Offset: int64(head.Offset), SynchronizerTimes: v2.ToAPITimes(a.node.SynchronizerID, head.RecordTime),
	}
}
