package ledgerapi

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// UpdateRecord is where updates are read from.
type UpdateRecord interface {
	Updates(ctx context.Context, query db.UpdatesQuery) ([]ledger.Update, error)
	UpdateByOffset(ctx context.Context, offset ledger.Offset) (ledger.Update, bool, error)
	UpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.Update, bool, error)
}

// UpdateFormat says which kinds of updates to show, and how.
type UpdateFormat struct {
	IncludeTransactions   *TransactionFormat `json:"includeTransactions" doc:"Left out: no transactions"`
	IncludeReassignments  *EventFormat       `json:"includeReassignments" doc:"There are none on one synchronizer"`
	IncludeTopologyEvents *TopologyFormat    `json:"includeTopologyEvents" doc:"Left out: no topology events"`
}

// TransactionFormat says how to show transactions.
type TransactionFormat struct {
	EventFormat      *EventFormat     `json:"eventFormat" required:"true" doc:"Which events to show"`
	TransactionShape TransactionShape `json:"transactionShape" required:"true" doc:"Contracts only, or all that happened"`
}

// TopologyFormat says which topology events to show.
type TopologyFormat struct {
	//nolint:lll // the name is the API's
	IncludeParticipantAuthorizationEvents *ParticipantAuthorizationTopologyFormat `json:"includeParticipantAuthorizationEvents" doc:"Hosting"`
}

// ParticipantAuthorizationTopologyFormat says for which parties.
type ParticipantAuthorizationTopologyFormat struct {
	Parties []string `json:"parties" doc:"Empty means all parties"`
}

// TransactionShape is how much of a transaction is shown.
type TransactionShape string

// The shapes.
const (
	ShapeUnspecified   TransactionShape = "TRANSACTION_SHAPE_UNSPECIFIED"
	ShapeACSDelta      TransactionShape = "TRANSACTION_SHAPE_ACS_DELTA"
	ShapeLedgerEffects TransactionShape = "TRANSACTION_SHAPE_LEDGER_EFFECTS"
)

// Names implements [endpoint.Enum].
func (TransactionShape) Names() []string {
	return []string{string(ShapeUnspecified), string(ShapeACSDelta), string(ShapeLedgerEffects)}
}

// GetUpdatesRequest asks for updates.
type GetUpdatesRequest struct {
	BeginExclusive  int64              `json:"beginExclusive" required:"true" doc:"Offset to continue after; 0 to begin"`
	EndInclusive    *int64             `json:"endInclusive" doc:"Last offset; left out: no end"`
	Filter          *TransactionFilter `json:"filter" doc:"Older form of updateFormat; not together with it"`
	Verbose         bool               `json:"verbose" doc:"Older form of eventFormat.verbose"`
	UpdateFormat    *UpdateFormat      `json:"updateFormat" doc:"What to show"`
	DescendingOrder bool               `json:"descendingOrder" doc:"Newest first; needs endInclusive"`
}

// JsGetUpdatesResponse is one element of the list.
type JsGetUpdatesResponse struct {
	Update Update `json:"update" doc:"The element"`
}

// JsGetUpdateResponse is one update.
type JsGetUpdateResponse struct {
	Update Update `json:"update" doc:"The update"`
}

// GetUpdateByOffsetRequest asks for the update at an offset.
type GetUpdateByOffsetRequest struct {
	Offset       int64         `json:"offset" required:"true" doc:"The offset"`
	UpdateFormat *UpdateFormat `json:"updateFormat" required:"true" doc:"What to show"`
}

// GetUpdateByIDRequest asks for an update by its id.
type GetUpdateByIDRequest struct {
	UpdateID     string        `json:"updateId" required:"true" doc:"The id"`
	UpdateFormat *UpdateFormat `json:"updateFormat" required:"true" doc:"What to show"`
}

type updatesRequest struct {
	Limit       *int64            `query:"limit" doc:"Most elements to return; ignored above the server's limit"`
	IdleTimeout *int64            `query:"stream_idle_timeout_ms" doc:"How long to wait for a further element"`
	Body        GetUpdatesRequest `body:"json"`
}

type updateByOffsetRequest struct {
	Body GetUpdateByOffsetRequest `body:"json"`
}

type updateByIDRequest struct {
	Body GetUpdateByIDRequest `body:"json"`
}

// updatesPage is how many updates are read at once.
const updatesPage = 100

func (a *API) updates(ctx context.Context, req updatesRequest) ([]JsGetUpdatesResponse, error) {
	bounds, err := a.listBounds(listQuery{Limit: req.Limit, IdleTimeout: req.IdleTimeout})
	if err != nil {
		return nil, err
	}
	format, err := a.updatesFormat(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	head, err := a.updatesRange(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	query := db.UpdatesQuery{
		Parties: format.readers(), After: ledger.Offset(req.Body.BeginExclusive), Limit: updatesPage,
		Descending: req.Body.DescendingOrder,
	}
	if req.Body.EndInclusive == nil {
		fetch := func(ctx context.Context, upTo ledger.Offset, most int) ([]JsGetUpdatesResponse, error) {
			query.UpTo = upTo
			return a.fetchUpdates(ctx, &query, format, most)
		}
		return collect(ctx, a, bounds, head, fetch, a.updatesCheckpoint)
	}
	query.UpTo = ledger.Offset(*req.Body.EndInclusive)
	elements, err := a.fetchUpdates(ctx, &query, format, bounds.most)
	if err != nil {
		return nil, err
	}
	return elements, bounds.check(len(elements))
}

// updatesFormat takes either form of the format.
func (a *API) updatesFormat(ctx context.Context, body GetUpdatesRequest) (*transactionFormat, error) {
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
		return &transactionFormat{events: events, shape: ShapeACSDelta}, err
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

// fetchUpdates returns up to most updates that the format shows, and moves the query behind them. Fewer than most mean
// that everything in the query's range has been read.
func (a *API) fetchUpdates(
	ctx context.Context, query *db.UpdatesQuery, format *transactionFormat, most int,
) ([]JsGetUpdatesResponse, error) {
	var elements []JsGetUpdatesResponse
	for !format.isEmpty() && query.After < query.UpTo && len(elements) < most {
		page, err := a.record.Updates(ctx, *query)
		if err != nil {
			return nil, err
		}
		for _, update := range page {
			if len(elements) == most {
				return elements, nil
			}
			transaction, err := a.toAPITransaction(update, format)
			if err != nil {
				return nil, err
			}
			passed(query, update.Offset)
			if len(transaction.Events) > 0 {
				elements = append(elements, JsGetUpdatesResponse{Update{Transaction: endpoint.Valued(transaction)}})
			}
		}
		if len(page) < updatesPage {
			break
		}
	}
	if len(elements) < most {
		query.After = query.UpTo
	}
	return elements, nil
}

// passed moves the query behind an update that has been looked at.
func passed(query *db.UpdatesQuery, offset ledger.Offset) {
	if query.Descending {
		query.UpTo = offset - 1
		return
	}
	query.After = offset
}

func (a *API) updatesCheckpoint(head db.Head) JsGetUpdatesResponse {
	return JsGetUpdatesResponse{Update{OffsetCheckpoint: endpoint.Valued(OffsetCheckpoint{
		Offset: int64(head.Offset), SynchronizerTimes: toAPITimes(a.node.SynchronizerID, head.RecordTime),
	})}}
}

func (a *API) updateByOffset(ctx context.Context, req updateByOffsetRequest) (JsGetUpdateResponse, error) {
	format, err := a.lookupFormat(ctx, req.Body.UpdateFormat)
	if err != nil {
		return JsGetUpdateResponse{}, err
	}
	offset := req.Body.Offset
	if offset <= 0 {
		return JsGetUpdateResponse{}, fault.NonPositiveOffsetIn("offset", offset)
	}
	update, found, err := a.record.UpdateByOffset(ctx, ledger.Offset(offset))
	if err != nil {
		return JsGetUpdateResponse{}, err
	}
	return a.foundUpdate(update, found, format, "OFFSET", strconv.FormatInt(offset, 10))
}

func (a *API) updateByID(ctx context.Context, req updateByIDRequest) (JsGetUpdateResponse, error) {
	format, err := a.lookupFormat(ctx, req.Body.UpdateFormat)
	if err != nil {
		return JsGetUpdateResponse{}, err
	}
	id := req.Body.UpdateID
	if id == "" {
		return JsGetUpdateResponse{}, fault.MissingFieldNamed("update_id")
	}
	if _, err := hex.DecodeString(id); err != nil || !strings.HasPrefix(id, updateIDPrefix) {
		return JsGetUpdateResponse{}, fault.InvalidArgumentf("update id %q is not %s and hexadecimal digits",
			id, updateIDPrefix)
	}
	update, found, err := a.record.UpdateByID(ctx, ledger.UpdateID(id))
	if err != nil {
		return JsGetUpdateResponse{}, err
	}
	return a.foundUpdate(update, found, format, "UPDATE_ID", id)
}

// updateIDPrefix says that a SHA-256 hash follows.
const updateIDPrefix = "1220"

func (a *API) lookupFormat(ctx context.Context, wire *UpdateFormat) (*transactionFormat, error) {
	if wire == nil {
		if err := endpoint.Claims(ctx).Require(); err != nil {
			return nil, err
		}
		return nil, fault.MissingFieldNamed("update_format")
	}
	return a.fromAPIUpdateFormat(ctx, *wire)
}

// foundUpdate shows an update. One of which nothing is visible is not found.
func (a *API) foundUpdate(
	update ledger.Update, found bool, format *transactionFormat, resourceType, value string,
) (JsGetUpdateResponse, error) {
	if found && !format.isEmpty() {
		transaction, err := a.toAPITransaction(update, format)
		if err != nil {
			return JsGetUpdateResponse{}, err
		}
		if len(transaction.Events) > 0 {
			return JsGetUpdateResponse{Update{Transaction: endpoint.Valued(transaction)}}, nil
		}
	}
	return JsGetUpdateResponse{}, fault.UpdateNotFoundAt(resourceType, value)
}
