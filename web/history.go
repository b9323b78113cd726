package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// item is a history entry in the API's JSON.
type item struct {
	Type    string `json:"transaction_type"`
	Subtype struct {
		Choice string `json:"choice"`
		// Operation is the operation of a batch of the wallet's automation.
		Operation string `json:"amulet_operation"`
	} `json:"transaction_subtype"`
	EventID   string           `json:"event_id"`
	Date      time.Time        `json:"date"`
	Sender    *partyAmount     `json:"sender"`
	Receivers []partyAmount    `json:"receivers"`
	Offered   *decimal.Decimal `json:"transfer_instruction_amount"`
	OfferedTo string           `json:"transfer_instruction_receiver"`
	Note      string           `json:"description"`
	Details   string           `json:"details"`
}

type partyAmount struct {
	Party  string          `json:"party"`
	Amount decimal.Decimal `json:"amount"`
}

// entry is a history entry for display.
type entry struct {
	ID     string
	Date   time.Time
	Update string
	// Kind is one of entryKinds, What the text of it. With is the other party, "" if there is none, and Joint the word
	// between the two.
	Kind, What, Joint, With, Note string
	// Change is the change of the available balance.
	Change decimal.Decimal
	Signed string
	Choice string
}

// entryKinds are the kinds that the filter offers.
func entryKinds() []string { return []string{"received", "sent", "offered", "minted", "other"} }

// entryOf describes an item from a party's point of view.
func entryOf(party string, from item) (entry, error) {
	one := entry{
		ID: from.EventID, Date: from.Date, Note: from.Note, Choice: from.Subtype.Choice, Kind: "other",
		What: wordsOfChoice(from.Subtype.Choice), Joint: "with",
	}
	one.Update, _, _ = strings.Cut(strings.TrimPrefix(from.EventID, "#"), ":")
	if from.Subtype.Operation != "" {
		one.What = wordsOfChoice(strings.TrimPrefix(from.Subtype.Operation, "CO_"))
	}
	var passed decimal.Decimal
	isSender := from.Sender != nil && from.Sender.Party == party
	if isSender {
		one.Change = from.Sender.Amount
	}
	for _, receiver := range from.Receivers {
		if receiver.Party != party {
			if isSender && one.With == "" {
				one.With, passed = receiver.Party, receiver.Amount
			}
			continue
		}
		sum, err := one.Change.Add(receiver.Amount)
		if err != nil {
			return one, err
		}
		one.Change = sum
	}
	one.Signed = signedAmount(one.Change)
	switch {
	case from.Type == "balance_change" && strings.HasSuffix(from.Subtype.Choice, "_Tap"):
		one.Kind, one.What = "minted", "Tapped"
	case from.Type == "notification":
		one.Note = from.Details
	case from.Type != "transfer" || from.Sender == nil:
	case from.OfferedTo != "" && strings.HasSuffix(from.Subtype.Choice, "TransferFactory_Transfer"):
		one.Kind, one.What, one.Joint, one.With = "offered", "Offered", "to", from.OfferedTo
		if !isSender {
			one.What, one.Joint, one.With = "Was offered", "by", from.Sender.Party
		}
		if from.Offered != nil {
			one.What += " " + coins(*from.Offered)
		}
	case isSender && one.With == "" && strings.HasSuffix(from.Subtype.Choice, "_Transfer"): // to oneself
		one.What = "Merged coin"
	case isSender && one.With != "" && passed.Sign() == 0:
		one.What, one.Joint = "Set aside "+coins(one.Change.Neg()), "for"
	case isSender && one.With != "":
		one.Kind, one.What, one.Joint = "sent", "Sent "+coins(passed), "to"
	case !isSender && one.Change.Sign() > 0:
		one.Kind, one.What, one.Joint, one.With = "received", "Received", "from", from.Sender.Party
	}
	return one, nil
}

// wordsOfChoice makes words of a choice name: TransferInstruction_Withdraw becomes "Transfer instruction withdraw".
func wordsOfChoice(choice string) string {
	if _, last, found := strings.Cut(choice, "AmuletRules_"); found {
		choice = last
	}
	var words strings.Builder
	for i, char := range choice {
		switch {
		case char == '_':
			words.WriteByte(' ')
		case i > 0 && 'A' <= char && char <= 'Z':
			if text := words.String(); !strings.HasSuffix(text, " ") {
				words.WriteByte(' ')
			}
			words.WriteString(strings.ToLower(string(char)))
		default:
			words.WriteRune(char)
		}
	}
	return words.String()
}

// entries reads a page of the history after an event, newest first. The next page starts after next; "" on the last
// page.
func (v *visit) entries(after string, count int) (found []entry, next string, err error) {
	query := url.Values{"page_size": {strconv.Itoa(count)}}
	if after != "" {
		query.Set("begin_after_id", after)
	}
	var out struct {
		Items []item `json:"items"`
	}
	if err := v.api.Get(v.ctx(), "/v0/wallet/transactions?"+query.Encode(), &out); err != nil {
		return nil, "", err
	}
	for _, one := range out.Items {
		read, err := entryOf(v.party, one)
		if err != nil {
			return nil, "", err
		}
		found = append(found, read)
	}
	if len(found) == count {
		next = found[count-1].ID
	}
	return found, next, nil
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
	found, next, err := v.entries(query.Get("after"), historyPage)
	if err != nil {
		return err
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

func (e entry) isKind(kind string) bool { return kind == "" || kind == e.Kind }

func (e entry) has(text string) bool {
	where := strings.ToLower(strings.Join([]string{e.What, e.With, e.Note, e.ID, e.Choice, e.Signed}, "\n"))
	return strings.Contains(where, strings.ToLower(text))
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
