package ledgerapi

import (
	"context"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// The sizes of pages of active contracts, as upstream's.
const (
	defaultActivePageSize = 2000
	maxActivePageSize     = 10000
)

// GetActiveContractsPageRequest asks for one page of the contracts that are active at an offset.
type GetActiveContractsPageRequest struct {
	ActiveAtOffset *int64          `json:"activeAtOffset" doc:"Default: the ledger end at the first page"`
	EventFormat    *EventFormat    `json:"eventFormat" required:"true" doc:"What to show"`
	MaxPageSize    *int32          `json:"maxPageSize" doc:"Maximum number of contracts: 1 to 10000; default 2000"`
	PageToken      *endpoint.Bytes `json:"pageToken" doc:"nextPageToken of the previous page"`
}

// JsGetActiveContractsPageResponse is one page.
type JsGetActiveContractsPageResponse struct {
	ActiveContracts []JsGetActiveContractsResponse `json:"activeContracts" doc:"In order of creation"`
	ActiveAtOffset  int64                          `json:"activeAtOffset" required:"true" doc:"The offset of all pages"`
	NextPageToken   *endpoint.Bytes                `json:"nextPageToken" doc:"Token of the next page; null after the last"`
}

type activeContractsPageRequest struct {
	Body GetActiveContractsPageRequest `body:"json"`
}

func (a *API) activeContractsPage(
	ctx context.Context, req activeContractsPageRequest,
) (JsGetActiveContractsPageResponse, error) {
	body := req.Body
	if body.EventFormat == nil {
		if err := endpoint.Claims(ctx).Require(); err != nil {
			return JsGetActiveContractsPageResponse{}, err
		}
		return JsGetActiveContractsPageResponse{}, fault.MissingFieldNamed("event_format")
	}
	format, err := a.fromAPIEventFormat(ctx, *body.EventFormat)
	if err != nil {
		return JsGetActiveContractsPageResponse{}, err
	}
	size, err := pageSize(body.MaxPageSize, defaultActivePageSize, maxActivePageSize)
	if err != nil {
		return JsGetActiveContractsPageResponse{}, err
	}
	query, err := a.activePageQuery(ctx, body, format)
	if err != nil {
		return JsGetActiveContractsPageResponse{}, err
	}
	elements, more, err := a.readActive(ctx, &query, format, int(size), whileThereIsRoom)
	page := JsGetActiveContractsPageResponse{ActiveContracts: elements, ActiveAtOffset: int64(query.At)}
	if more {
		page.NextPageToken = &elements[len(elements)-1].StreamContinuationToken
	}
	return page, err
}

// activePageQuery checks the offset and the token of a request, and makes the query of its page.
func (a *API) activePageQuery(
	ctx context.Context, body GetActiveContractsPageRequest, format *eventFormat,
) (db.ActiveQuery, error) {
	query := db.ActiveQuery{Parties: format.readers(), Templates: format.templateIDs(), Limit: activePage}
	if body.ActiveAtOffset != nil && *body.ActiveAtOffset < 0 {
		return query, fault.NegativeOffsetIn("active_at_offset", *body.ActiveAtOffset)
	}
	if body.PageToken != nil && len(*body.PageToken) > 0 {
		token, ok := parseContinuation(*body.PageToken)
		if !ok {
			return query, invalidPageToken("is not from this node")
		}
		query.At, query.After = token.at, token.position
		other := body.ActiveAtOffset != nil && ledger.Offset(*body.ActiveAtOffset) != token.at
		if other || !token.fits(query, format) {
			return query, invalidPageToken("belongs to another request")
		}
		return query, a.holdsActiveAt(ctx, query.At)
	}
	if body.ActiveAtOffset != nil {
		query.At = ledger.Offset(*body.ActiveAtOffset)
		return query, a.holdsActiveAt(ctx, query.At)
	}
	head, err := a.record.Head(ctx)
	if err != nil {
		return query, err
	}
	if _, err := a.catalog.For(ctx); err != nil { // the head may be behind a recent upload
		return query, err
	}
	_, err = a.resolve(ctx, format, slices.Values[[]lf.TypeName](nil))
	query.At, query.Templates = head.Offset, format.templateIDs()
	return query, err
}

func invalidPageToken(reason string) error {
	return fault.InvalidACSPageToken.New("The page token %s", reason).
		WithHint("Send the nextPageToken of the previous page with an otherwise unchanged request.")
}
