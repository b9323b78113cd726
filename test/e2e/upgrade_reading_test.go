//go:build upgrade

package e2e_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// reader is an open stream of completions with its last offset.
type reader struct {
	conn   *websocket.Conn
	offset int64
}

// read opens a stream of the completions after an offset, which stays open until the test ends.
func (a account) read(t *testing.T, at endpoint, after int64) *reader {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), at.url+"/v2/commands/completions", &websocket.DialOptions{
		Subprotocols: []string{"jwt.token." + client.Token(secret, audience, a.user), "daml.ws.auth"},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	request, err := json.Marshal(map[string]any{"parties": a.parties, "beginExclusive": after})
	require.NoError(t, err)
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, request))
	return &reader{conn: conn, offset: after}
}

// next reads so many completions and returns their offsets.
func (r *reader) next(t *testing.T, count int) []int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var offsets []int64
	for len(offsets) < count {
		_, said, err := r.conn.Read(ctx)
		require.NoError(t, err)
		require.Contains(t, string(said), "completionResponse")
		var element struct {
			Response struct {
				Completion *struct {
					Value client.Completion `json:"value"`
				} `json:"Completion"`
			} `json:"completionResponse"`
		}
		require.NoError(t, json.Unmarshal(said, &element), "%s", said)
		if element.Response.Completion != nil {
			r.offset = element.Response.Completion.Value.Offset
			offsets = append(offsets, r.offset)
		}
	}
	return offsets
}

// readOn opens a stream at the last offset of a stream of the first version, which stays open. Both must have the same
// elements.
func (h *handover) readOn(t *testing.T, at endpoint) {
	t.Helper()
	all, err := h.app.on(at).completionsFrom(t.Context(), 0)
	require.NoError(t, err)
	var rest []int64
	for _, completion := range all {
		if completion.Offset > h.reader.offset {
			rest = append(rest, completion.Offset)
		}
	}
	require.NotEmpty(t, rest)
	other := h.app.read(t, at, h.reader.offset)
	require.Equal(t, rest, other.next(t, len(rest)))
	require.Equal(t, rest, h.reader.next(t, len(rest)))
	coin, err := at.admin().FindCoin(t.Context(), h.dso)
	require.NoError(t, err)
	_, err = h.app.on(at).SubmitAndWait(t.Context(), h.app.tap(coin, "followed", 1))
	require.NoError(t, err)
	require.Equal(t, other.next(t, 1), h.reader.next(t, 1))
}

// listPages are the lists with pages.
var listPages = []string{
	"/v2/users", "/v2/parties", updatesPage, activePage, historyPages,
}

const (
	updatesPage  = "/v2/updates/get-updates-page"
	activePage   = "/v2/state/active-contracts-page"
	historyPages = "/v0/wallet/transactions"
)

// turnPage reads the next page of a list at another API.
func (h *handover) turnPage(t *testing.T, at endpoint, path string) {
	t.Helper()
	theirs, _ := h.page(t, h.from, path, h.tokens[path])
	ours, _ := h.page(t, at, path, h.tokens[path])
	if h.name == back {
		theirs, ours = ours, theirs
	}
	var before, now any // of the version before, and of this one
	require.NoError(t, json.Unmarshal([]byte(theirs), &before))
	require.NoError(t, json.Unmarshal([]byte(ours), &now))
	require.Equal(t, before, withFieldsOf(before, now), path)
	first, _ := h.page(t, at, path, "")
	require.NotEqual(t, first, ours, path)
}

// withFieldsOf is a value of this version with only those fields that the version before has: a version may add fields to
// an answer, and takes none away.
func withFieldsOf(before, now any) any {
	switch now := now.(type) {
	case map[string]any:
		known, _ := before.(map[string]any)
		kept := map[string]any{}
		for name, value := range now {
			if was, isKnown := known[name]; isKnown {
				kept[name] = withFieldsOf(was, value)
			}
		}
		return kept
	case []any:
		known, _ := before.([]any)
		kept := slices.Clone(now)
		for i := range min(len(known), len(kept)) {
			kept[i] = withFieldsOf(known[i], kept[i])
		}
		return kept
	default:
		return now
	}
}

// page reads a page of a list with one element, and the token of the next one.
func (h *handover) page(t *testing.T, at endpoint, path, token string) (elements, next string) {
	t.Helper()
	var page struct {
		NextPageToken   *string         `json:"nextPageToken"`
		Updates         json.RawMessage `json:"updates"`
		ActiveContracts json.RawMessage `json:"activeContracts"`
		Items           json.RawMessage `json:"items"`
		Users           json.RawMessage `json:"users"`
		PartyDetails    json.RawMessage `json:"partyDetails"`
	}
	format := map[string]any{"filtersByParty": map[string]any{h.app.party(): map[string]any{"cumulative": []any{}}}}
	body := map[string]any{"maxPageSize": 1}
	if token != "" {
		body["pageToken"] = token
	}
	var err error
	switch path {
	case updatesPage:
		body["updateFormat"] = map[string]any{"includeTransactions": map[string]any{
			"transactionShape": "TRANSACTION_SHAPE_ACS_DELTA", "eventFormat": format,
		}}
		err = h.app.on(at).Post(t.Context(), path, body, &page)
	case activePage:
		body["eventFormat"] = format
		err = h.app.on(at).Post(t.Context(), path, body, &page)
	case historyPages:
		at.change(t, "payer-"+h.name, "", path, map[string]any{"page_size": 1, "begin_after_id": token}).ok(t, &page)
		var items []struct {
			EventID string `json:"event_id"`
		}
		require.NoError(t, json.Unmarshal(page.Items, &items))
		page.NextPageToken = &items[0].EventID
	default:
		err = at.admin().Get(t.Context(), path+"?pageSize=1&pageToken="+token, &page)
	}
	require.NoError(t, err, path)
	if page.NextPageToken != nil {
		next = *page.NextPageToken
	}
	return string(slices.Concat(page.Updates, page.ActiveContracts, page.Items, page.Users, page.PartyDetails)), next
}
