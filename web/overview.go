package web

import (
	"net/http"

	"github.com/florinledger/florin/ledger/decimal"
)

// overviewView is what a wallet holds, and what happened last.
type overviewView struct {
	Unlocked, Locked, Fees                      decimal.Decimal
	UnlockedDollars, LockedDollars, FeesDollars string
	Price                                       decimal.Decimal
	Chart                                       *chart
	Last                                        []entry
	// Tap is what somebody typed who wanted to mint coin, Problem why that was refused.
	Tap     string
	Problem *problem
}

// lastEntries is how many entries of the history the first page shows.
const lastEntries = 6

func (s *site) overview(v *visit) error {
	data, err := overviewOf(v)
	if err != nil {
		return err
	}
	if isFragment(v.r) {
		return s.show(v, "overview-live", data)
	}
	return s.show(v, "overview", data)
}

func overviewOf(v *visit) (data overviewView, err error) {
	held, err := v.balance()
	if err != nil {
		return data, err
	}
	price, err := v.price()
	if err != nil {
		return data, err
	}
	entries, _, err := v.entries("", chartEntries)
	if err != nil {
		return data, err
	}
	return overviewView{
		Unlocked: held.Unlocked, Locked: held.Locked, Fees: held.Fees, Price: price, Tap: "100",
		UnlockedDollars: dollars(held.Unlocked, price), LockedDollars: dollars(held.Locked, price),
		FeesDollars: dollars(held.Fees, price), Chart: chartOf(held.Unlocked, entries),
		Last: entries[:min(lastEntries, len(entries))],
	}, nil
}

// tap mints coin, which networks for development let everybody do.
func (s *site) tap(v *visit) error {
	amount := v.field("amount")
	err := v.change("Get test coin worth "+amount+" USD", http.MethodPost, "/v0/wallet/tap",
		map[string]string{"amount": amount}, nil)
	if err == nil {
		return s.done(v, "/wallet", "You minted coin worth "+amount+" USD.")
	}
	if !isFinal(err) {
		return err
	}
	data, failed := overviewOf(v)
	if failed != nil {
		return failed
	}
	data.Tap, data.Problem = amount, problemOf(err)
	return s.write(v, http.StatusUnprocessableEntity, "overview", data)
}
