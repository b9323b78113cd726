package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/wallet/sentence"
)

const explorerPath = "/explorer"

// updatesPage is the number of updates in a list, if they are not too long.
const updatesPage = 20

// row is an update in a list, or a refused command, which has no ID.
type row struct {
	ID       string
	Offset   int64
	Recorded time.Time
	Said     sentence.Sentence
}

// Path is the page of the row.
func (r row) Path() string {
	if r.ID == "" {
		return explorerPath + "/offsets/" + strconv.FormatInt(r.Offset, 10)
	}
	return explorerPath + "/updates/" + url.PathEscape(r.ID)
}

type explorerView struct {
	Reader reader
	Rows   []row
	// First is true on the newest page. Older is the address of the next page; "" on the last.
	First bool
	Older string
}

// explorer shows the newest updates that the visitor may read.
func (s *site) explorer(v *visit, as reader) error {
	upTo := v.r.URL.Query().Get("upto")
	data := explorerView{Reader: as, First: upTo == ""}
	var highest int64
	in := map[string]any{"descendingOrder": true, "updateFormat": as.updates()}
	if upTo != "" {
		end, err := strconv.ParseInt(upTo, 10, 64)
		if err != nil {
			return unprocessable(strconv.Quote(upTo)+" is not an offset.", "Go to the newest updates.")
		}
		in["endOffsetInclusive"], highest = end, end
	}
	out, err := v.updatesPage(in, updatesPage)
	if err != nil {
		return err
	}
	tell := s.teller(v, as)
	for _, found := range out.Updates {
		tell.learn(found.Update.Transaction.Value.Events)
	}
	for _, found := range out.Updates {
		from := found.Update.Transaction.Value
		data.Rows = append(data.Rows, row{
			ID: from.ID, Offset: from.Offset, Recorded: from.Recorded, Said: tell.update(from.Events),
		})
	}
	lowest := out.Lowest
	if out.Next == nil {
		lowest = 0
	}
	if err := s.addRefused(v, as, &data, lowest, highest); err != nil {
		return err
	}
	if out.Next != nil && out.Lowest > 0 {
		older := url.Values{"upto": {strconv.FormatInt(out.Lowest, 10)}}
		if as.As != "" {
			older.Set("as", as.As)
		}
		data.Older = explorerPath + "?" + older.Encode()
	}
	if isFragment(v.r) {
		return s.show(v, "explorer-live", data)
	}
	return s.show(v, "explorer", data)
}

// updatePage is a page of updates. Lowest is the offset at which the next page ends; Next is nil on the last page.
type updatePage struct {
	Updates []foundUpdate `json:"updates"`
	Lowest  int64         `json:"lowestPageOffsetExclusive"`
	Next    *string       `json:"nextPageToken"`
}

// updatesPage reads a page of updates, of at most size.
func (v *visit) updatesPage(in map[string]any, size int) (out updatePage, err error) {
	err = withShorterPages(size, func(size int) error {
		in["maxPageSize"] = size
		return v.api.Post(v.ctx(), "/v2/updates/get-updates-page", in, &out)
	})
	return out, err
}

// withShorterPages calls ask with smaller page sizes while the answer is too long for a page.
func withShorterPages(size int, ask func(size int) error) error {
	const times = 10
	for {
		err := ask(size)
		if !errors.Is(err, errLongAnswer) || size == 1 {
			return err
		}
		size = max(1, size/times)
	}
}

// The tabs of an update's page.
const tabStory, tabTree, tabJSON = "story", "tree", "json"

// maxUpdateJSON is the number of bytes of an update's JSON that its page shows.
const maxUpdateJSON = 200_000

type explorerUpdateView struct {
	updateView

	Reader reader
	// Tab is what the page shows of the update: its story, with every event, its tree, folded, or its JSON.
	Tab  string
	JSON string
}

// Address is the address of a tab.
func (u explorerUpdateView) Address(tab string) string {
	values := url.Values{}
	if tab != tabStory {
		values.Set("tab", tab)
	}
	if u.Reader.As != "" {
		values.Set("as", u.Reader.As)
	}
	return strings.TrimSuffix(explorerPath+"/updates/"+url.PathEscape(u.ID)+"?"+values.Encode(), "?")
}

func (s *site) updateByID(v *visit, as reader) error {
	return s.explore(v, updateRef{ID: v.r.PathValue("id")}, as)
}

func (s *site) updateByOffset(v *visit, as reader) error {
	at, err := strconv.ParseInt(v.r.PathValue("at"), 10, 64)
	if err != nil {
		return unprocessable(strconv.Quote(v.r.PathValue("at"))+" is not an offset.", "Search for a whole number.")
	}
	err = s.explore(v, updateRef{Offset: at}, as)
	if missing, isProblem := errors.AsType[*problem](err); !isProblem || missing.Status != http.StatusNotFound {
		return err
	}
	refused, failed := v.refusalAt(as, at)
	if failed != nil || refused == nil {
		return cmp.Or(failed, err)
	}
	return s.showRefusal(v, as, *refused)
}

// noUpdate explains an error of reading an update.
func noUpdate(err error) error {
	if !isStatus(err, http.StatusNotFound) {
		return err
	}
	return &problem{
		Status: http.StatusNotFound, What: "There is no such update, or you may not see any part of it.",
		Next: "Check the id. Some offsets have no transaction, and old updates may be pruned.",
	}
}

// updateAsJSON sends an update as the API has it.
func (s *site) updateAsJSON(v *visit, as reader) error {
	whole, err := v.rawUpdate(v.r.PathValue("id"), as)
	if err != nil {
		return noUpdate(err)
	}
	v.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = v.w.Write(whole)
	return nil
}

// rawUpdate reads an update as the API has it.
func (v *visit) rawUpdate(id string, as reader) (whole json.RawMessage, err error) {
	in := map[string]any{"updateId": id, "updateFormat": as.updates()}
	err = v.api.Post(v.ctx(), "/v2/updates/update-by-id", in, &whole)
	return whole, err
}

func (s *site) explore(v *visit, which updateRef, as reader) error {
	found, err := s.update(v, which, as)
	if err != nil {
		return noUpdate(err)
	}
	data := explorerUpdateView{
		updateView: updateView{update: found, Temporal: s.workflowsOf(found.Command, as.Only())}, Reader: as, Tab: tabStory,
	}
	switch tab := v.r.URL.Query().Get("tab"); tab {
	case tabTree:
		data.Tab = tab
		fold(data.Nodes, 1)
	case tabJSON:
		whole, err := v.rawUpdate(found.ID, as)
		if err != nil {
			return noUpdate(err)
		}
		data.Tab, data.JSON, data.Nodes = tab, prettyTo(whole, maxUpdateJSON), nil
	}
	return s.show(v, "explored", data)
}
