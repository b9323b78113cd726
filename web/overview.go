package web

import (
	"net/http"

	"github.com/florinledger/florin/ledger/decimal"
)

type overviewView struct {
	Unlocked, Locked, Fees                      decimal.Decimal
	UnlockedDollars, LockedDollars, FeesDollars string
	Price                                       decimal.Decimal
	Chart                                       *chart
	Last                                        []entry
	// Waiting is the number of offers to the visitor.
	Waiting int
	// Tokens are those beside the coin. They are not in the live part.
	Tokens []shownToken `json:"-"`
	// Dollar is what the visitor gets for a dollar; 0 without a price.
	Dollar decimal.Decimal
	// Tap is the amount in dollars that the visitor typed, Problem the reason why the tap failed.
	Tap     string
	Problem *problem
}

// lastEntries is the number of history entries on the first page.
const lastEntries = 6

func (s *site) overview(v *visit) error {
	data, err := s.overviewOf(v)
	if err != nil {
		return err
	}
	if isFragment(v.r) {
		return s.show(v, "overview-live", data)
	}
	if data.Tokens, err = v.tokens(); err != nil {
		return err
	}
	return s.show(v, "overview", data)
}

func (s *site) overviewOf(v *visit) (data overviewView, err error) {
	held, err := v.balance()
	if err != nil {
		return data, err
	}
	price, err := v.price()
	if err != nil {
		return data, err
	}
	entries, _, err := s.entries(v, "", chartEntries)
	if err != nil {
		return data, err
	}
	waiting, err := v.countWaiting()
	if err != nil {
		return data, err
	}
	var dollar decimal.Decimal
	if price.Sign() > 0 {
		if dollar, err = decimal.FromInt(1).DivCeil(price); err != nil {
			return data, err
		}
	}
	return overviewView{
		Dollar: dollar, Unlocked: held.Unlocked, Locked: held.Locked, Fees: held.Fees, Price: price, Tap: "100",
		UnlockedDollars: dollars(held.Unlocked, price), LockedDollars: dollars(held.Locked, price),
		FeesDollars: dollars(held.Fees, price), Chart: chartOf(held.Unlocked, entries),
		Last: entries[:min(lastEntries, len(entries))], Waiting: waiting,
	}, nil
}

// tap mints coin, which everybody may do on development networks.
func (s *site) tap(v *visit) error {
	amount := v.field("amount")
	err := v.change("Get test coin worth "+amount+" USD", http.MethodPost, "/v0/wallet/tap",
		map[string]string{"amount": amount}, nil)
	if err == nil {
		return s.done(v, "/wallet", "You minted coin worth "+amount+" USD.")
	}
	read := func() (overviewView, error) {
		data, err := s.overviewOf(v)
		if err == nil {
			data.Tokens, err = v.tokens()
		}
		return data, err
	}
	return refused(s, v, "overview", err, read,
		func(data *overviewView, why *problem) { data.Tap, data.Problem = amount, why })
}
