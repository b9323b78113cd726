package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// offer is coin that waits for its receiver: a transfer of the token standard, or an offer of the wallet.
type offer struct {
	Kind, ID         string
	Sender, Receiver string
	Amount           decimal.Decimal
	// Dollars: the amount is in dollars, at the price when it is accepted.
	Dollars bool
	Note    string
	Expires time.Time
	Left    string
}

// The kinds of offers, as they stand in paths of this page, and where the API has them.
const (
	kindTransfer = "transfer"
	kindOffer    = "offer"
	offersPath   = "/v0/wallet/transfer-offers"
)

// offers are those that wait, to and from the caller.
func (v *visit) offers() ([]offer, error) {
	found, err := v.api.Offers(v.ctx())
	if err != nil {
		return nil, err
	}
	var all []offer
	for _, o := range found {
		kind := kindOffer
		if o.Standard {
			kind = kindTransfer
		}
		all = append(all, offer{
			Kind: kind, ID: o.ContractID, Sender: o.Sender, Receiver: o.Receiver, Amount: o.Amount, Dollars: o.Dollars,
			Expires: o.ExpiresAt, Note: o.Note,
		})
	}
	return all, nil
}

// compareExpiry is the order of offers by when they expire.
func compareExpiry(x, y offer) int { return cmp.Or(x.Expires.Compare(y.Expires), cmp.Compare(x.ID, y.ID)) }

// sortFairly sorts offers so that the first one of each sender comes before the second one of anybody: who makes many, for
// which nobody needs coin, hides no other's. Of one sender, those come first whose coin is locked, and then the next to
// expire.
func sortFairly(all []offer) {
	slices.SortFunc(all, func(x, y offer) int {
		return cmp.Or(-cmp.Compare(x.Kind, y.Kind), compareExpiry(x, y))
	})
	made := map[string]int{}
	turns := make(map[string]int, len(all))
	for _, one := range all {
		turns[one.ID] = made[one.Sender]
		made[one.Sender]++
	}
	slices.SortStableFunc(all, func(x, y offer) int { return cmp.Compare(turns[x.ID], turns[y.ID]) })
}

// offerPage is a page of offers, of which the next to expire comes first.
type offerPage struct {
	Offers []offer
	// Page is its number, from 1 on; Next that of the one behind it, 0 at the end; More is how many offers those have.
	Page, Next, More int
}

// offerPageOf is the page that was asked for by its number, or the last one.
func offerPageOf(all []offer, number string) offerPage {
	sortFairly(all)
	asked, _ := strconv.Atoi(number) // whatever is no number asks for the first
	last := max(1, (len(all)+maxRows-1)/maxRows)
	page := offerPage{Page: min(max(1, asked), last)}
	page.Offers, page.More = firstOf(all[(page.Page-1)*maxRows:])
	if page.More > 0 {
		page.Next = page.Page + 1
	}
	slices.SortFunc(page.Offers, compareExpiry)
	return page
}

// Shown is the amount in its unit.
func (o offer) Shown() string {
	if o.Dollars {
		return groupThousands(o.Amount.Show()) + " USD in coin"
	}
	return coins(o.Amount)
}

// inboxView is what waits for somebody.
type inboxView struct {
	In, Out offerPage
	Problem *problem
}

func (s *site) inbox(v *visit) error {
	data, err := s.inboxOf(v)
	if err != nil {
		return err
	}
	if isFragment(v.r) {
		return s.show(v, "inbox-live", data)
	}
	return s.show(v, "inbox", data)
}

func (s *site) inboxOf(v *visit) (data inboxView, err error) {
	all, err := v.offers()
	if err != nil {
		return data, err
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return data, err
	}
	var in, out []offer
	for _, one := range all {
		one.Left = leftOf(one.Expires, now)
		if one.Receiver == v.party {
			in = append(in, one)
		} else {
			out = append(out, one)
		}
	}
	query := v.r.URL.Query()
	data.In, data.Out = offerPageOf(in, query.Get("in")), offerPageOf(out, query.Get("out"))
	return data, nil
}

// waiting is how many offers wait for the user, for the navigation of every page.
func (s *site) waiting(v *visit) error {
	all, err := v.offers()
	if err != nil {
		return err
	}
	count := 0
	for _, one := range all {
		if one.Receiver == v.party {
			count++
		}
	}
	return s.show(v, "inbox-count", count)
}

// answer accepts, rejects or withdraws an offer.
func (s *site) answer(v *visit) error {
	paths := map[string]string{kindTransfer: transfersPath, kindOffer: offersPath}
	acts := map[string]struct{ what, notice string }{
		"accept":   {"Accept the offer", "You accepted the offer."},
		"reject":   {"Reject the offer", "You rejected the offer."},
		"withdraw": {"Withdraw your offer", "You withdrew your offer."},
	}
	path, act := paths[v.r.PathValue("kind")], v.r.PathValue("act")
	words, known := acts[act]
	if path == "" || !known {
		return s.pageNotFound(v)
	}
	err := v.change(words.what, http.MethodPost, path+"/"+url.PathEscape(v.r.PathValue("id"))+"/"+act, nil, nil)
	if err == nil {
		return s.done(v, "/wallet/inbox", words.notice)
	}
	if !isFinal(err) {
		return err
	}
	data, failed := s.inboxOf(v)
	if failed != nil {
		return failed
	}
	data.Problem = problemOf(err)
	return s.write(v, http.StatusUnprocessableEntity, "inbox", data)
}
