package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/wallet/sentence"
)

// entry is an entry of the history for display.
type entry struct {
	client.HistoryEntry

	Update string
	// Signed is the amount with its sign.
	Signed string
	Note   string
}

// entryKinds are the kinds that the filter offers.
func entryKinds() []string { return []string{"received", "sent", "waiting", "other"} }

func (e entry) kind() string {
	switch {
	case e.Sentence.State == sentence.Waiting:
		return "waiting"
	case e.Change.Sign() > 0:
		return "received"
	case e.Change.Sign() < 0:
		return "sent"
	default:
		return "other"
	}
}

// entriesOf describes items from a party's point of view. The function gives other parties their names.
func entriesOf(party string, items []client.HistoryItem, name func(party string) string) (shown []entry, err error) {
	entries, err := client.HistoryOf(party, items)
	if err != nil {
		return nil, err
	}
	if entries, err = client.JoinOffers(entries); err != nil {
		return nil, err
	}
	for _, from := range entries {
		one := entry{HistoryEntry: from, Note: cmp.Or(from.Description, from.Details), Signed: signedAmount(from.Change)}
		if from.Change.Sign() == 0 {
			one.Signed = coins(from.Amount)
		}
		one.Sentence = from.Sentence.Named(party, name)
		one.Update, _, _ = strings.Cut(strings.TrimPrefix(from.EventID, "#"), ":")
		shown = append(shown, one)
	}
	return shown, nil
}

// entries reads a page of the history after an event, newest first. The next page starts after next; "" on the last
// page.
func (s *site) entries(v *visit, after string, count int) (found []entry, next string, err error) {
	query := url.Values{"page_size": {strconv.Itoa(count)}}
	if after != "" {
		query.Set("begin_after_id", after)
	}
	var out struct {
		Items []client.HistoryItem `json:"items"`
	}
	if err := v.api.Get(v.ctx(), "/v0/wallet/transactions?"+query.Encode(), &out); err != nil {
		return nil, "", err
	}
	if len(out.Items) == count {
		next = out.Items[count-1].EventID
	}
	found, err = entriesOf(v.party, out.Items, s.nameOf)
	return found, next, err
}

// historyPage is the number of entries that a page of the history filters.
const historyPage = 100

type historyView struct {
	Entries []entry
	Kinds   []string
	// Kind and Search are the filter, Looked is the number of entries before filtering.
	Kind, Search string
	Looked       int
	First        bool
	// Older is the address of the next page; "" on the last.
	Older string
}

func (s *site) history(v *visit) error {
	query := v.r.URL.Query()
	data := historyView{
		Kinds: entryKinds(), Kind: query.Get("kind"), Search: strings.TrimSpace(query.Get("search")),
		First: query.Get("after") == "",
	}
	found, next, err := s.entries(v, query.Get("after"), historyPage)
	if err != nil {
		return err
	}
	if !data.First {
		if err := v.closeOffers(found); err != nil {
			return err
		}
	}
	data.Looked = len(found)
	for _, one := range found {
		if one.isKind(data.Kind) && one.has(data.Search) {
			data.Entries = append(data.Entries, one)
		}
	}
	if next != "" {
		older := url.Values{"after": {next}}
		for name, value := range map[string]string{"kind": data.Kind, "search": data.Search} {
			if value != "" {
				older.Set(name, value)
			}
		}
		data.Older = "/wallet/history?" + older.Encode()
	}
	return s.show(v, "history", data)
}

// ended is the state of an offer whose end is on a newer page.
const ended sentence.State = "ended"

// closeOffers marks offers of an older page that are not open any more.
func (v *visit) closeOffers(entries []entry) error {
	isWaiting := func(e entry) bool { return e.Sentence.State == sentence.Waiting && e.Offer != "" }
	if !slices.ContainsFunc(entries, isWaiting) {
		return nil
	}
	open, err := v.offers()
	if err != nil {
		return err
	}
	for i, one := range entries {
		if isWaiting(one) && !slices.ContainsFunc(open, func(o offer) bool { return o.ID == one.Offer }) {
			entries[i].Sentence.State = ended
		}
	}
	return nil
}

func (e entry) isKind(kind string) bool { return kind == "" || kind == e.kind() }

func (e entry) has(text string) bool {
	where := []string{e.Sentence.String(), string(e.Sentence.State), e.Note, e.EventID, e.Subtype.Choice, e.Signed}
	for _, part := range e.Sentence.Parts {
		where = append(where, part.Party)
	}
	return strings.Contains(strings.ToLower(strings.Join(where, "\n")), strings.ToLower(text))
}

// table sends the whole history as CSV, as the API writes it.
func (s *site) table(v *visit) error {
	visitor := visitorOf(v.r) // without the page's timeout
	request := visitor.Clone(visitor.Context())
	request.URL = &url.URL{Path: "/v0/wallet/transactions"}
	request.RequestURI = request.URL.Path
	request.Header = http.Header{"Accept": {"text/csv"}, "Authorization": {"Bearer " + v.session.Token}}
	s.API.ServeHTTP(v.w, request)
	return nil
}
