package ledgerapi_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const (
	activePagePath  = "/v2/state/active-contracts-page"
	updatesPagePath = "/v2/updates/get-updates-page"
)

// nextToken is the token for the next request, nil after the last page.
func nextToken[T ~[]byte](token *T) any {
	if token == nil {
		return nil
	}
	return base64.StdEncoding.EncodeToString(*token)
}

func TestActiveContractsPage_ReturnsEachContractOnce(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	for i := range 5 {
		b.note(fmt.Sprintf("note-%d", i))
	}
	wanted := []string{"note-0", "note-1", "note-2", "note-3", "note-4"}

	t.Run("of any size, at the offset of the first", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for size := 1; size <= 6; size++ {
			body := fields{"eventFormat": byParty(b.alice), "maxPageSize": size}
			var found []ledgerapi.JsActiveContract
			for pages := 1; ; pages++ {
				require.LessOrEqual(t, pages, 6)
				var page ledgerapi.JsGetActiveContractsPageResponse
				b.Call("alice", http.MethodGet, activePagePath, body).OK(&page)
				require.Equal(t, int64(5), page.ActiveAtOffset)
				require.LessOrEqual(t, len(page.ActiveContracts), size)
				for _, element := range page.ActiveContracts {
					found = append(found, *element.ContractEntry.JsActiveContract)
				}
				if page.NextPageToken == nil {
					break
				}
				body = body.with(fields{"pageToken": nextToken(page.NextPageToken)})
			}
			require.Equal(t, wanted, labels(t, found))
		}
	})
	t.Run("at an earlier offset, with views and blobs", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		filter := filterFor(b.alice, "InterfaceFilter", fields{
			"interfaceId": apitest.NoteInterface, "includeInterfaceView": true, "includeCreatedEventBlob": true,
		})
		var page ledgerapi.JsGetActiveContractsPageResponse
		b.Call("alice", http.MethodGet, activePagePath, fields{"activeAtOffset": 2, "eventFormat": filter}).OK(&page)
		require.Len(t, page.ActiveContracts, 2)
		require.Nil(t, page.NextPageToken)
		event := page.ActiveContracts[0].ContractEntry.JsActiveContract.CreatedEvent
		require.NotEmpty(t, event.CreatedEventBlob)
		require.JSONEq(t, `{"amount":"1.5000000000"}`, string(event.InterfaceViews[0].ViewValue))
	})
	t.Run("and what is refused", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		body := fields{"eventFormat": byParty(b.alice), "maxPageSize": 1}
		var page ledgerapi.JsGetActiveContractsPageResponse
		b.Call("alice", http.MethodGet, activePagePath, body).OK(&page)
		token := nextToken(page.NextPageToken)
		for name, test := range map[string]struct {
			user   string
			body   fields
			status int
			code   string
		}{
			"no format":         {"alice", body.with(fields{"eventFormat": nil}), 400, "MISSING_FIELD"},
			"a size of zero":    {"alice", body.with(fields{"maxPageSize": 0}), 400, "INVALID_ARGUMENT"},
			"too large a size":  {"alice", body.with(fields{"maxPageSize": 10001}), 400, "INVALID_ARGUMENT"},
			"a negative offset": {"alice", body.with(fields{"activeAtOffset": -1}), 400, "NEGATIVE_OFFSET"},
			"an offset to come": {"alice", body.with(fields{"activeAtOffset": 99}), 400, "OFFSET_AFTER_LEDGER_END"},
			"a made-up token":   {"alice", body.with(fields{"pageToken": "AAAA"}), 400, "INVALID_ACS_PAGE_TOKEN"},
			"another offset": {
				"alice", body.with(fields{"pageToken": token, "activeAtOffset": 4}), 400, "INVALID_ACS_PAGE_TOKEN",
			},
			"another's contract": {"bob", body, 403, "NA"},
			"another request": {
				"auditor",
				fields{"pageToken": token, "eventFormat": fields{"filtersForAnyParty": fields{}}},
				400, "INVALID_ACS_PAGE_TOKEN",
			},
		} {
			refusal := b.Call(test.user, http.MethodGet, activePagePath, test.body).Refused(test.status, test.code)
			require.NotEmpty(t, refusal.Cause, name)
		}
		b.Call("", http.MethodGet, activePagePath, fields{}).Refused(http.StatusUnauthorized, "NA")
	})
}

// updatePages reads all pages and returns the offsets of the updates. The pages must have no gaps.
func (b *bundle) updatePages(user string, body fields) []int64 {
	b.t.Helper()
	found := []int64{}
	edge := int64(-1)
	for pages := 1; ; pages++ {
		require.LessOrEqual(b.t, pages, 20)
		var page ledgerapi.GetUpdatesPageResponse
		b.Call(user, http.MethodPost, updatesPagePath, body).OK(&page)
		from, to := page.LowestPageOffsetExclusive, page.HighestPageOffsetInclusive
		if body["descendingOrder"] == true {
			from, to = to, from
		}
		require.True(b.t, edge == -1 || edge == from, "a page begins where the one before ended")
		edge = to
		for _, element := range page.Updates {
			offset := element.Update.Transaction.Value.Offset
			require.True(b.t, page.LowestPageOffsetExclusive < offset && offset <= page.HighestPageOffsetInclusive)
			found = append(found, offset)
		}
		isOpen := body["endOffsetInclusive"] == nil && body["descendingOrder"] != true
		require.False(b.t, isOpen && page.NextPageToken == nil, "a range without end goes on")
		if page.NextPageToken == nil || isOpen && from == to {
			return found
		}
		body = body.with(fields{"pageToken": nextToken(page.NextPageToken)})
	}
}

func TestUpdatesPage_ReturnsEachUpdateOnce(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	id := b.note("mine")                                   // 1
	b.wait("inspect", exercise(id, "Inspect", fields{}))   // 2: changes nothing
	b.note("shared", b.bob)                                // 3
	b.wait("inspect-2", exercise(id, "Inspect", fields{})) // 4
	b.note("last")                                         // 5

	t.Run("of any size, in either order", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for size := 1; size <= 4; size++ {
			body := fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice)), "maxPageSize": size}
			require.Equal(t, []int64{1, 3, 5}, b.updatePages("alice", body))
			require.Equal(t, []int64{5, 3, 1}, b.updatePages("alice", body.with(fields{"descendingOrder": true})))
			require.Equal(t, []int64{3}, b.updatePages("bob",
				body.with(fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.bob))})))
			effects := body.with(fields{"updateFormat": updateFormatOf("LEDGER_EFFECTS", byParty(b.alice))})
			require.Equal(t, []int64{2, 3, 4}, b.updatePages("alice",
				effects.with(fields{"beginOffsetExclusive": 1, "endOffsetInclusive": 4})))
		}
	})
	t.Run("of nothing", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		var page ledgerapi.GetUpdatesPageResponse
		b.Call("alice", http.MethodPost, updatesPagePath, fields{"updateFormat": fields{}}).OK(&page)
		require.Empty(t, page.Updates)
		require.Equal(t, int64(5), page.HighestPageOffsetInclusive)
	})
	t.Run("and what is refused", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		body := fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice)), "maxPageSize": 1}
		var page ledgerapi.GetUpdatesPageResponse
		b.Call("alice", http.MethodPost, updatesPagePath, body).OK(&page)
		token := nextToken(page.NextPageToken)
		for name, test := range map[string]struct {
			body   fields
			status int
			code   string
		}{
			"no format":         {body.with(fields{"updateFormat": nil}), 400, "MISSING_FIELD"},
			"a size of zero":    {body.with(fields{"maxPageSize": 0}), 400, "INVALID_ARGUMENT"},
			"too large a size":  {body.with(fields{"maxPageSize": 2001}), 400, "INVALID_ARGUMENT"},
			"a negative begin":  {body.with(fields{"beginOffsetExclusive": -1}), 400, "NEGATIVE_OFFSET"},
			"a begin to come":   {body.with(fields{"beginOffsetExclusive": 9}), 400, "OFFSET_AFTER_LEDGER_END"},
			"an end of nothing": {body.with(fields{"endOffsetInclusive": 0}), 400, "NON_POSITIVE_OFFSET"},
			"an end to come":    {body.with(fields{"endOffsetInclusive": 9}), 400, "OFFSET_AFTER_LEDGER_END"},
			"begin after end": {
				body.with(fields{"beginOffsetExclusive": 3, "endOffsetInclusive": 2}), 400, "INVALID_ARGUMENT",
			},
			"a made-up token": {body.with(fields{"pageToken": "AAAA"}), 400, "INVALID_UPDATES_PAGE_TOKEN"},
			"another order": {
				body.with(fields{"pageToken": token, "descendingOrder": true}), 400, "INVALID_UPDATES_PAGE_TOKEN",
			},
			"another range": {
				body.with(fields{"pageToken": token, "endOffsetInclusive": 4}), 400, "INVALID_UPDATES_PAGE_TOKEN",
			},
			"another's contracts": {body.with(fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.bob))}), 403, "NA"},
		} {
			refusal := b.Call("alice", http.MethodPost, updatesPagePath, test.body).Refused(test.status, test.code)
			require.NotEmpty(t, refusal.Cause, name)
		}
		b.NotAllowed(http.MethodPost, updatesPagePath, body)
	})
}

func TestUpdatesPage_WithoutEndGoesOnWithWhatIsNew(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	body := fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice))}
	for offset := range int64(3) {
		var page ledgerapi.GetUpdatesPageResponse
		b.Call("alice", http.MethodPost, updatesPagePath, body).OK(&page)
		require.Equal(t, offset, page.HighestPageOffsetInclusive)
		require.Len(t, page.Updates, min(int(offset), 1), "each update once")
		body = body.with(fields{"pageToken": nextToken(page.NextPageToken)})
		b.note(strconv.FormatInt(offset, 10))
	}
}

// hiddenRecord is a long record of invisible updates.
type hiddenRecord struct {
	ledgerapi.LedgerStore

	head ledger.Offset
}

func (h hiddenRecord) Head(context.Context) (db.Head, error) { return db.Head{Offset: h.head}, nil }

func (h hiddenRecord) Updates(_ context.Context, query db.UpdatesQuery) ([]ledger.Update, error) {
	var page []ledger.Update
	for offset := query.After + 1; offset <= query.UpTo && len(page) < int(query.Limit); offset++ {
		page = append(page, ledger.Update{Offset: offset})
	}
	return page, nil
}

func TestUpdatesPage_EndsEarlyWhenUpdatesAreHidden(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Record: hiddenRecord{head: 12_000}})
	s.Rights("auditor", ledger.Right{Kind: ledger.CanReadAsAnyParty})
	body := fields{
		"updateFormat":       updateFormatOf("ACS_DELTA", fields{"filtersForAnyParty": fields{}}),
		"endOffsetInclusive": 12_000,
	}
	var ends []int64
	for {
		var page ledgerapi.GetUpdatesPageResponse
		s.Call("auditor", http.MethodPost, updatesPagePath, body).OK(&page)
		require.Empty(t, page.Updates)
		ends = append(ends, page.HighestPageOffsetInclusive)
		if page.NextPageToken == nil {
			break
		}
		body = body.with(fields{"pageToken": nextToken(page.NextPageToken)})
	}
	require.Equal(t, []int64{5000, 10_000, 12_000}, ends)
}
