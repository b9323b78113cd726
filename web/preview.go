package web

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

const previewPath = sendPath + "/preview"

// dryRun is a preview in the API's JSON.
type dryRun struct {
	WouldSucceed bool   `json:"would_succeed"`
	Path         string `json:"path"`
	Traffic      struct {
		Bytes int64 `json:"bytes"`
	} `json:"traffic"`
	Coin struct {
		Coin    decimal.Decimal `json:"amulet"`
		Dollars decimal.Decimal `json:"usd"`
	} `json:"coin"`
	Merges  int `json:"merges"`
	Refusal *struct {
		Status int    `json:"status"`
		Error  string `json:"error"`
	} `json:"refusal"`
}

// Accepts reports whether the receiver has to accept first.
func (d dryRun) Accepts() bool { return d.Path == "two-step" || d.Path == "offer" }

// asProblem is the reason why the change would fail; nil if it would succeed.
func (d dryRun) asProblem() *problem {
	switch {
	case d.Refusal != nil:
		return &problem{Status: d.Refusal.Status, What: d.Refusal.Error}
	case !d.WouldSucceed:
		return &problem{Status: http.StatusConflict, What: "The ledger would refuse this now."}
	default:
		return nil
	}
}

type previewView struct {
	order

	// Once is the key of the form. It is in the address, so that a preview that is loaded again has the same key.
	Once     string
	Receiver string
	Sum      decimal.Decimal
	Expires  time.Time
	Micros   int64
	Left     string
	Run      dryRun
	// Fee is the part of the cost beyond the amount. FeeDollars and Worth are in US dollars.
	Fee               decimal.Decimal
	FeeDollars, Worth string
	// Traffic is the node's; nil if unknown.
	Traffic *trafficState
}

// maxAddress is the maximum size of an address in bytes: proxies refuse longer ones.
const maxAddress = 4 << 10

// openPreview leads from the form to its preview. The values have the deadline, because a form that is sent twice must be
// the same both times.
func (s *site) openPreview(v *visit) error {
	typed := orderOf(v.r.PostForm)
	lasting := slices.IndexFunc(periods(), func(p period) bool { return p.Hours == typed.Hours })
	if lasting < 0 {
		return s.showSendForm(v, typed, unprocessable(strconv.Quote(typed.Hours)+" hours is not one of the times to accept.",
			"Choose one of the listed times."))
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return err
	}
	query := typed.query()
	query.Set("once", cmp.Or(v.field("once"), rand.Text()))
	query.Set("expires", strconv.FormatInt(now.Add(periods()[lasting].lasts()).UnixMicro(), 10))
	return s.openAt(v, previewPath, query, s.showPreview)
}

// openAt redirects from a form to the page of its values, so that the visitor can go back to the form and load the page
// again. It shows the page at once if its address would be too long.
func (s *site) openAt(v *visit, path string, values url.Values, show func(v *visit, values url.Values) error) error {
	address := path + "?" + values.Encode()
	if len(address) > maxAddress {
		return show(v, values)
	}
	s.goTo(v, address)
	return nil
}

func numberIn(text string) (int64, bool) {
	number, err := strconv.ParseInt(text, 10, 64)
	return number, err == nil
}

// preview shows the result of a transfer before the visitor confirms it.
func (s *site) preview(v *visit) error { return s.showPreview(v, v.r.URL.Query()) }

func (s *site) showPreview(v *visit, query url.Values) error {
	typed := orderOf(query)
	data := previewView{order: typed, Once: query.Get("once")}
	var isNumber bool
	if data.Micros, isNumber = numberIn(query.Get("expires")); !isNumber || data.Once == "" {
		s.goTo(v, typed.Edit()) // not an address that the form leads to
		return nil
	}
	var err error
	if data.Sum, err = amountOf(typed.Amount); err == nil {
		data.Receiver, err = s.receiver(v, typed.To)
	}
	if err != nil {
		return s.showSendForm(v, typed, problemOf(err))
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return err
	}
	data.Expires = time.UnixMicro(data.Micros).UTC()
	data.Left = leftOf(data.Expires, now.Add(-time.Minute)) // a day is still a day on the page after the form
	err = v.api.Post(v.ctx(), transfersPath+"?dry_run=true", transfer{
		Receiver: data.Receiver, Amount: data.Sum.String(), Description: typed.Note, ExpiresAt: data.Micros,
		TrackingID: "preview",
	}, &data.Run)
	if err == nil && data.Run.asProblem() != nil {
		err = data.Run.asProblem()
	}
	if err != nil {
		return s.showSendForm(v, typed, problemOf(err))
	}
	if err := data.addCost(); err != nil {
		return err
	}
	if traffic, err := v.trafficState(now); err == nil { // without it the page says less
		data.Traffic = &traffic
	}
	return s.show(v, "preview", data)
}

// addCost adds the fee and the dollars of the preview.
func (p *previewView) addCost() (err error) {
	cost := p.Run.Coin
	if p.Fee, err = cost.Coin.Sub(p.Sum); err != nil || cost.Coin.Sign() <= 0 {
		return err
	}
	price, err := cost.Dollars.Div(cost.Coin)
	p.Worth, p.FeeDollars = dollars(p.Sum, price), dollars(p.Fee, price)
	return err
}
