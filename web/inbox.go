package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

// offer is coin that waits for its receiver: a token standard transfer, or a transfer offer of the wallet.
type offer struct {
	Kind, ID         string
	Sender, Receiver string
	Amount           decimal.Decimal
	// Dollars is true if the amount is in US dollars, converted at the price at acceptance.
	Dollars bool
	Note    string
	Expires time.Time
	Left    string
	// Token is the token of the transfer, as its package's code claims it; nil for coin.
	Token *client.TokenKind
}

// The kinds of offers in paths of this page, and their path in the API.
const (
	kindTransfer = "transfer"
	kindOffer    = "offer"
	offersPath   = "/v0/wallet/transfer-offers"
)

// offers lists the pending offers to and from the user.
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
			Expires: o.ExpiresAt, Note: o.Note, Token: o.Token,
		})
	}
	return all, nil
}

func compareExpiry(x, y offer) int {
	return cmp.Or(x.Expires.Compare(y.Expires), cmp.Compare(x.ID, y.ID))
}

// sortFairly sorts offers so that the first offer of each sender comes before the second offer of any sender: a sender
// of many offers, which cost no coin, cannot hide the others. Among the offers of one sender, transfers with locked
// coin come first, then the next to expire.
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

// offerPage is a page of offers, the next to expire first.
type offerPage struct {
	Offers []offer
	// Page is the page number, from 1. Next is the next page number, 0 on the last page. More is the number of offers
	// on later pages.
	Page, Next, More int
}

// offerPageOf returns the page with the number, or the last page.
func offerPageOf(all []offer, number string) offerPage {
	sortFairly(all)
	requested, _ := strconv.Atoi(number) // an invalid number means the first page
	last := max(1, (len(all)+maxRows-1)/maxRows)
	page := offerPage{Page: min(max(1, requested), last)}
	page.Offers, page.More = firstOf(all[(page.Page-1)*maxRows:])
	if page.More > 0 {
		page.Next = page.Page + 1
	}
	slices.SortFunc(page.Offers, compareExpiry)
	return page
}

// Shown is the amount with its unit.
func (o offer) Shown() string {
	if o.Token != nil {
		return tokenAmount(&o.Amount) + " " + client.Short(o.Token.Instrument.ID)
	}
	if o.Dollars {
		return sentence.GroupThousands(o.Amount.Show()) + " USD in coin"
	}
	return coins(o.Amount)
}

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

// waiting shows the number of offers to the user, in the navigation of every page.
func (s *site) waiting(v *visit) error {
	count, err := v.countWaiting()
	if err != nil {
		return err
	}
	return s.show(v, "inbox-count", count)
}

// countWaiting counts the offers to the visitor.
func (v *visit) countWaiting() (count int, err error) {
	all, err := v.offers()
	for _, one := range all {
		if one.Receiver == v.party {
			count++
		}
	}
	return count, err
}

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
	if v.r.PathValue("kind") == kindOffer && act == "accept" {
		words.notice += " The sender's wallet pays now, if it has the coin."
	}
	err := v.change(words.what, http.MethodPost, path+"/"+url.PathEscape(v.r.PathValue("id"))+"/"+act,
		client.Trusting(v.r.PostForm["trust"]), nil)
	if err == nil {
		return s.done(v, "/wallet/inbox", words.notice)
	}
	return refused(s, v, "inbox", err, func() (inboxView, error) { return s.inboxOf(v) },
		func(data *inboxView, why *problem) { data.Problem = why })
}
