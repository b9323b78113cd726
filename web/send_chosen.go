package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

const sendChosenPath = "/wallet/coins/send"

// chosenView shows a transfer of chosen coins: first without a receiver, then with one, to confirm.
type chosenView struct {
	order

	// Coins are the values of the form of coins, Sum is their amount.
	Coins   []string
	Sum     decimal.Decimal
	Periods []period
	// Receiver is the party that gets the coins; "" before the visitor has named one.
	Receiver string
	Accepts  bool
	// Expires and Requested are in microseconds.
	Once               string
	Expires, Requested int64
	Ends               time.Time
	Problem            *problem
}

// openChosen redirects from the form of coins to a page with an address.
func (s *site) openChosen(v *visit) error {
	chosen := v.r.PostForm["coin"]
	address := sendChosenPath + "?" + url.Values{"coin": chosen}.Encode()
	switch {
	case len(chosen) == 0:
		return s.finishMerge(v, unprocessable("You chose no coin.", "Choose the coins to send."))
	case len(address) > maxAddress:
		return s.finishMerge(v, unprocessable("You chose "+plural(len(chosen), "coin")+", which is too many to send at once.",
			"Choose fewer coins, or merge them first."))
	}
	s.goTo(v, address)
	return nil
}

func (s *site) chosen(v *visit) error {
	query := v.r.URL.Query()
	data := chosenView{order: orderOf(query), Coins: query["coin"], Periods: periods(), Once: rand.Text()}
	if data.Hours == "" {
		data.Hours = defaultHours
	}
	var err error
	if data.Coins, err = v.heldCoins(data.Coins); err != nil {
		return s.finishMerge(v, err)
	}
	var transfer chosenTransfer
	if err := transfer.chosenCoins(data.Coins); err != nil {
		return err
	}
	data.Sum = transfer.amount
	if !query.Has("to") {
		return s.show(v, "chosen", data)
	}
	if err := s.confirmChosen(v, &data, transfer); err != nil {
		data.Receiver, data.Problem = "", problemOf(err)
		return s.write(v, http.StatusUnprocessableEntity, "chosen", data)
	}
	return s.show(v, "chosen", data)
}

// confirmChosen finds the receiver and what happens.
func (s *site) confirmChosen(v *visit, data *chosenView, transfer chosenTransfer) (err error) {
	if data.Receiver, err = s.receiver(v, data.To); err != nil {
		return err
	}
	lasting := slices.IndexFunc(periods(), func(p period) bool { return p.Hours == data.Hours })
	if lasting < 0 {
		return unprocessable(strconv.Quote(data.Hours)+" hours is not one of the times to accept.",
			"Choose one of the listed times.")
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return err
	}
	transfer.requested, transfer.expires = now.Add(-requestMargin), now.Add(periods()[lasting].lasts())
	transfer.receiver, transfer.note = data.Receiver, data.Note
	commands, kind, err := v.compose(transfer, data.Once)
	if err != nil {
		return err
	}
	data.Accepts, data.Ends = kind == isOffer, transfer.expires
	data.Requested, data.Expires = transfer.requested.UnixMicro(), transfer.expires.UnixMicro()
	return v.api.Post(v.ctx(), preparePath, commands, nil)
}

// heldCoins are the chosen coins with the amounts that they have now: the address is not trusted to have the right ones.
func (v *visit) heldCoins(chosen []string) ([]string, error) {
	held, err := v.positions()
	if err != nil {
		return nil, err
	}
	amounts := map[string]string{}
	for _, one := range held.Coins {
		amounts[one.Contract.Contract.ID] = one.Amount.String()
	}
	var found []string
	for _, one := range chosen {
		id, _, _ := strings.Cut(one, " ")
		amount, isHeld := amounts[id]
		if !isHeld {
			return nil, unprocessable("You do not hold one of these coins, or you chose it twice.", "Choose the coins again.")
		}
		delete(amounts, id)
		found = append(found, id+" "+amount)
	}
	if len(found) == 0 {
		return nil, unprocessable("You chose no coin.", "Choose the coins to send.")
	}
	return found, nil
}

// sendChosen sends exactly the chosen coins.
func (s *site) sendChosen(v *visit) error {
	expires, err := strconv.ParseInt(v.field("expires"), 10, 64)
	requested, failed := strconv.ParseInt(v.field("requested"), 10, 64)
	if err != nil || failed != nil {
		return &problem{Status: http.StatusBadRequest, What: "The form has no expiry time for the transfer."}
	}
	transfer := chosenTransfer{
		receiver: v.field("receiver"), note: v.field("note"), requested: time.UnixMicro(requested),
		expires: time.UnixMicro(expires),
	}
	if err := transfer.chosenCoins(v.r.PostForm["coin"]); err != nil {
		return err
	}
	text := coins(transfer.amount) + " to " + client.PartyName(transfer.receiver)
	kind, err := v.transferChosen("Send "+text, transfer)
	if err != nil {
		return s.finishMerge(v, err)
	}
	if kind == isOffer {
		return s.done(v, "/wallet/inbox", "You offered "+text+". They get it when they accept.")
	}
	return s.done(v, "/wallet", "You sent "+text+".")
}
