package ledgerapi

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The sizes of pages of updates, as upstream's.
const (
	defaultUpdatesPageSize = 100
	maxUpdatesPageSize     = 2000
)

// maxPageReads limits the reads of one page. A page whose format hides nearly everything is short, with a token,
// instead of late.
const maxPageReads = 50

// GetUpdatesPageRequest asks for one page of updates.
type GetUpdatesPageRequest struct {
	BeginOffsetExclusive *int64          `json:"beginOffsetExclusive" doc:"Default: the beginning of the record"`
	EndOffsetInclusive   *int64          `json:"endOffsetInclusive" doc:"Default: the ledger end at the first page"`
	MaxPageSize          *int32          `json:"maxPageSize" doc:"Maximum number of updates: 1 to 2000; default 100"`
	UpdateFormat         *UpdateFormat   `json:"updateFormat" required:"true" doc:"What to show"`
	DescendingOrder      bool            `json:"descendingOrder" doc:"Newest first"`
	PageToken            *endpoint.Bytes `json:"pageToken" doc:"nextPageToken of the previous page"`
}

// GetUpdatesPageResponse is one page. It has all updates of the format between its two offsets.
type GetUpdatesPageResponse struct {
	Updates                    []JsGetUpdateResponse `json:"updates" doc:"In the requested order"`
	LowestPageOffsetExclusive  int64                 `json:"lowestPageOffsetExclusive" required:"true" doc:"Start of the page"`
	HighestPageOffsetInclusive int64                 `json:"highestPageOffsetInclusive" required:"true" doc:"End of the page"`
	NextPageToken              *endpoint.Bytes       `json:"nextPageToken" doc:"Token of the next page; null after the last one of a range with an end, or in descending order"`
}

type updatesPageRequest struct {
	Body GetUpdatesPageRequest `body:"json"`
}

func (a *API) updatesPage(ctx context.Context, req updatesPageRequest) (GetUpdatesPageResponse, error) {
	body := req.Body
	format, err := a.lookupFormat(ctx, body.UpdateFormat)
	if err != nil {
		return GetUpdatesPageResponse{}, err
	}
	size, err := pageSize(body.MaxPageSize, defaultUpdatesPageSize, maxUpdatesPageSize)
	if err != nil {
		return GetUpdatesPageResponse{}, err
	}
	cursor, err := a.updatesCursor(ctx, body)
	if err != nil {
		return GetUpdatesPageResponse{}, err
	}
	query := db.UpdatesQuery{
		Parties: format.readers(), After: cursor.begin, UpTo: cursor.end, Limit: updatesPage,
		Descending: body.DescendingOrder,
	}
	page := GetUpdatesPageResponse{
		LowestPageOffsetExclusive: int64(cursor.begin), HighestPageOffsetInclusive: int64(cursor.end),
	}
	show := func(ctx context.Context, update ledger.Update) (JsGetUpdateResponse, bool, error) {
		shown, ok, err := a.toAPIUpdate(ctx, update, format)
		return JsGetUpdateResponse{shown}, ok, err
	}
	page.Updates, err = fetchUpdates(ctx, a, &query, fetchBounds{limit: int(size), reads: maxPageReads}, show)
	isLast := query.After == query.UpTo && (body.EndOffsetInclusive != nil || body.DescendingOrder)
	if err != nil || isLast {
		return page, err
	}
	if body.DescendingOrder {
		page.LowestPageOffsetExclusive = int64(query.UpTo)
	} else {
		page.HighestPageOffsetInclusive = int64(query.After)
	}
	token := updatesCursor{begin: query.After, end: query.UpTo, digest: cursor.digest}.token()
	page.NextPageToken = &token
	return page, nil
}

func pageSize(size *int32, defaultSize, maxSize int32) (int32, error) {
	switch {
	case size == nil:
		return defaultSize, nil
	case *size <= 0 || *size > maxSize:
		return 0, fault.InvalidArgumentf("max_page_size must be between 1 and %d, but is %d", maxSize, *size)
	default:
		return *size, nil
	}
}

// updatesCursor is the rest of the range, and a digest of the request.
type updatesCursor struct {
	begin, end ledger.Offset
	digest     [digestLength]byte
}

const (
	updatesTokenVersion = 2
	updatesTokenLength  = 1 + 8 + 8 + digestLength
)

func (c updatesCursor) token() endpoint.Bytes {
	token := []byte{updatesTokenVersion}
	token = binary.BigEndian.AppendUint64(token, uint64(c.begin))
	token = binary.BigEndian.AppendUint64(token, uint64(c.end))
	return append(token, c.digest[:]...)
}

// updatesCursor checks the offsets and the token of a request, and returns the range of its page.
func (a *API) updatesCursor(ctx context.Context, body GetUpdatesPageRequest) (updatesCursor, error) {
	digest, err := digestOfPage(body)
	if err != nil {
		return updatesCursor{}, err
	}
	if body.PageToken != nil && len(*body.PageToken) > 0 {
		cursor, err := decodeUpdatesToken(*body.PageToken, digest)
		if err != nil {
			return updatesCursor{}, err
		}
		head, err := a.headAfter(ctx, "Begin", cursor.begin)
		if cursor.begin == cursor.end { // a range without end goes on with what is new
			cursor.end = head.Offset
		}
		return cursor, err
	}
	head, err := a.record.Head(ctx)
	if err != nil {
		return updatesCursor{}, err
	}
	cursor := updatesCursor{begin: head.Pruned, end: head.Offset, digest: digest}
	if body.BeginOffsetExclusive != nil {
		cursor.begin = ledger.Offset(*body.BeginOffsetExclusive)
	}
	if body.EndOffsetInclusive != nil {
		cursor.end = ledger.Offset(*body.EndOffsetInclusive)
	}
	switch {
	case cursor.begin < 0:
		return cursor, fault.NegativeOffsetIn("begin_offset_exclusive", int64(cursor.begin))
	case body.EndOffsetInclusive != nil && cursor.end <= 0:
		return cursor, fault.NonPositiveOffsetIn("end_offset_inclusive", int64(cursor.end))
	case cursor.begin > head.Offset:
		return cursor, fault.OffsetAfterEnd("Begin", int64(cursor.begin), int64(head.Offset))
	case cursor.end > head.Offset:
		return cursor, fault.OffsetAfterEnd("End", int64(cursor.end), int64(head.Offset))
	case cursor.begin > cursor.end:
		return cursor, fault.InvalidArgumentf("begin_offset_exclusive %d is after end_offset_inclusive %d",
			cursor.begin, cursor.end)
	case cursor.begin == cursor.end:
		return cursor, nil // an empty range is complete
	default:
		return cursor, head.StillHolds(cursor.begin)
	}
}

func decodeUpdatesToken(token []byte, digest [digestLength]byte) (updatesCursor, error) {
	invalid := func(reason string) (updatesCursor, error) {
		return updatesCursor{}, fault.InvalidUpdatesPageToken.New("The page token %s", reason).
			WithHint("Send the nextPageToken of the previous page with an otherwise unchanged request.")
	}
	if len(token) != updatesTokenLength || token[0] != updatesTokenVersion {
		return invalid("is not from this node")
	}
	cursor := updatesCursor{
		begin: ledger.Offset(binary.BigEndian.Uint64(token[1:])), end: ledger.Offset(binary.BigEndian.Uint64(token[9:])),
		digest: [digestLength]byte(token[17:]),
	}
	if cursor.digest != digest || cursor.begin < 0 || cursor.begin > cursor.end {
		return invalid("belongs to another request")
	}
	return cursor, nil
}

// digestOfPage is a digest of the request without the size and the token of the page.
func digestOfPage(body GetUpdatesPageRequest) ([digestLength]byte, error) {
	body.MaxPageSize, body.PageToken = nil, nil
	text, err := json.Marshal(body)
	if err != nil {
		return [digestLength]byte{}, fault.Internal(err)
	}
	hash := sha256.Sum256(text)
	return [digestLength]byte(hash[:digestLength]), nil
}
