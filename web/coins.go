package web

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

type coinRow struct {
	ID string
	// Amount is the effective amount of the coin, Fee the holding fee so far.
	Amount, Fee decimal.Decimal
	Since       time.Time
	// Age is the time since then, in words.
	Age string
	// Holders can unlock the coin before Until.
	Holders []string
	Until   time.Time
	Why     string
	// Dust is true if the fees exceed the coin.
	Dust bool
}

type coinsView struct {
	Coins, Locked []coinRow
	// MoreCoins and MoreLocked count the coins that the page does not show.
	MoreCoins, MoreLocked int
	// Sum is the available balance. Expires is the deadline of this page's merge form, in microseconds.
	Sum     decimal.Decimal
	Expires int64
	Problem *problem
}

// position is a coin in the API's JSON.
type position struct {
	Contract struct {
		Contract contract[struct {
			Amulet struct {
				Amount struct {
					Initial decimal.Decimal `json:"initialAmount"`
				} `json:"amount"`
			} `json:"amulet"`
			Lock struct {
				Holders []string  `json:"holders"`
				Until   time.Time `json:"expiresAt"`
				Why     string    `json:"optContext"`
			} `json:"lock"`
		}] `json:"contract"`
	} `json:"contract"`
	Fee    decimal.Decimal `json:"accrued_holding_fee"`
	Amount decimal.Decimal `json:"effective_amount"`
}

func (s *site) coins(v *visit) error {
	data, err := s.coinsOf(v)
	if err != nil {
		return err
	}
	return s.show(v, "coins", data)
}

// mergeTime is how long the merge form is valid.
const mergeTime = time.Hour

// positions are the coins of the visitor in the API's JSON.
type positions struct {
	Coins  []position `json:"amulets"`
	Locked []position `json:"locked_amulets"`
}

func (v *visit) positions() (all positions, err error) {
	err = v.api.Get(v.ctx(), "/v0/wallet/coins", &all)
	return all, err
}

func (s *site) coinsOf(v *visit) (data coinsView, err error) {
	out, err := v.positions()
	if err != nil {
		return data, err
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return data, err
	}
	data.Coins, data.MoreCoins = firstOf(coinRowsOf(out.Coins, now))
	data.Locked, data.MoreLocked = firstOf(coinRowsOf(out.Locked, now))
	for _, one := range out.Coins {
		if data.Sum, err = data.Sum.Add(one.Amount); err != nil {
			return data, err
		}
	}
	data.Expires = now.Add(mergeTime).UnixMicro()
	return data, nil
}

// merge joins all coins into one: a token standard transfer to oneself.
func (s *site) merge(v *visit) error {
	expires, err := strconv.ParseInt(v.field("expires"), 10, 64)
	if err != nil {
		return &problem{Status: http.StatusBadRequest, What: "The form has no expiry time for the transfer."}
	}
	err = v.change("Merge your coin", http.MethodPost, transfersPath, transfer{
		Receiver: v.party, Amount: v.field("amount"), Description: "", ExpiresAt: expires,
		TrackingID: "page-" + v.field("once"),
	}, nil)
	return s.finishMerge(v, err)
}

// mergeChosen joins the chosen coins into one.
func (s *site) mergeChosen(v *visit) error {
	expires, err := strconv.ParseInt(v.field("expires"), 10, 64)
	if err != nil {
		return &problem{Status: http.StatusBadRequest, What: "The form has no expiry time for the transfer."}
	}
	chosen := v.r.PostForm["coin"]
	if len(chosen) < 2 { //nolint:mnd // one coin is merged already
		return s.finishMerge(v, unprocessable("You chose "+plural(len(chosen), "coin")+".",
			"Choose at least two coins to merge."))
	}
	ends := time.UnixMicro(expires)
	transfer := chosenTransfer{receiver: v.party, requested: ends.Add(-mergeTime - requestMargin), expires: ends}
	if err := transfer.chosenCoins(chosen); err != nil {
		return err
	}
	_, err = v.transferChosen("Merge the chosen coins", transfer)
	return s.finishMerge(v, err)
}

func (s *site) finishMerge(v *visit, err error) error {
	if err == nil {
		return s.done(v, "/wallet/coins", "Your coin is merged.")
	}
	return refused(s, v, "coins", err, func() (coinsView, error) { return s.coinsOf(v) },
		func(data *coinsView, why *problem) { data.Problem = why })
}

// coinRowsOf returns the coins, largest first.
func coinRowsOf(from []position, now time.Time) []coinRow {
	all := make([]coinRow, len(from))
	for i, one := range from {
		c := one.Contract.Contract
		all[i] = coinRow{
			ID: c.ID, Amount: one.Amount, Fee: one.Fee, Since: c.CreatedAt, Age: ageOf(c.CreatedAt, now),
			Holders: c.Payload.Lock.Holders, Until: c.Payload.Lock.Until, Why: c.Payload.Lock.Why, Dust: one.Fee.Cmp(one.Amount) >= 0,
		}
	}
	slices.SortStableFunc(all, func(x, y coinRow) int { return y.Amount.Cmp(x.Amount) })
	return all
}
