package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/florinledger/florin/decimal"
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

// offers are those that wait, to and from the caller, the next to expire first.
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
	slices.SortStableFunc(all, func(x, y offer) int {
		return cmp.Or(x.Expires.Compare(y.Expires), cmp.Compare(x.ID, y.ID))
	})
	return all, nil
}

// Shown is the amount in its unit.
func (o offer) Shown() string {
	if o.Dollars {
		return grouped(o.Amount.Show()) + " USD in coin"
	}
	return coins(o.Amount)
}

// inboxView is what waits for somebody.
type inboxView struct {
	In, Out []offer
	// MoreIn and MoreOut are how many there are beside those.
	MoreIn, MoreOut int
	Problem         *problem
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
	for _, one := range all {
		one.Left = leftOf(one.Expires, now)
		if one.Receiver == v.party {
			data.In = append(data.In, one)
		} else {
			data.Out = append(data.Out, one)
		}
	}
	data.In, data.MoreIn = firstOf(data.In)
	data.Out, data.MoreOut = firstOf(data.Out)
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
		"withdraw": {"Take your offer back", "You took your offer back."},
	}
	path, act := paths[v.r.PathValue("kind")], v.r.PathValue("act")
	words, known := acts[act]
	if path == "" || !known {
		return s.unknown(v)
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
