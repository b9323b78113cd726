package web

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

const transfersPath = "/v0/wallet/token-standard/transfers"

// order is the input of the send form.
type order struct{ To, Amount, Note, Hours string }

func orderOf(v *visit) order {
	return order{To: v.field("to"), Amount: v.field("amount"), Note: v.field("note"), Hours: v.field("hours")}
}

// period is a choice of the time to accept.
type period struct{ Hours, Words string }

func (p period) lasts() time.Duration {
	hours, _ := strconv.Atoi(p.Hours) // always one of periods
	return time.Duration(hours) * time.Hour
}

func periods() []period {
	return []period{{"1", "1 hour"}, {"24", "1 day"}, {"168", "7 days"}, {"720", "30 days"}}
}

type sendView struct {
	order

	Available decimal.Decimal
	Periods   []period
	Users     []user
	Problem   *problem
}

func (s *site) sendForm(v *visit) error {
	return s.showSendForm(v, order{To: v.r.URL.Query().Get("to"), Hours: "24"}, nil)
}

// sendAgain shows the form with the visitor's input.
func (s *site) sendAgain(v *visit) error { return s.showSendForm(v, orderOf(v), nil) }

// showSendForm shows the form with the visitor's input and the error. If the balance is too low, it says so instead of
// the ledger's error.
func (s *site) showSendForm(v *visit, typed order, refused *problem) error {
	held, err := v.balance()
	if err != nil {
		return err
	}
	amount, err := amountOf(typed.Amount)
	if refused != nil && err == nil && amount.Cmp(held.Unlocked) > 0 {
		refused = unprocessable("You can spend "+coins(held.Unlocked)+", and "+coins(amount)+" is more than that.",
			"Write a smaller amount, or get more coin first.")
	}
	users, err := s.users(v)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if refused != nil {
		status = http.StatusUnprocessableEntity
	}
	return s.write(v, status, "send", sendView{
		order: typed, Available: held.Unlocked, Periods: periods(), Users: users, Problem: refused,
	})
}

// transfer is a transfer request in the API's JSON.
type transfer struct {
	Receiver    string `json:"receiver_party_id"`
	Amount      string `json:"amount"`
	Description string `json:"description"`
	ExpiresAt   int64  `json:"expires_at"`
	TrackingID  string `json:"tracking_id"`
}

// dryRun is a preview in the API's JSON.
type dryRun struct {
	WouldSucceed bool   `json:"would_succeed"`
	Path         string `json:"path"`
	Traffic      struct {
		Bytes   int64           `json:"bytes"`
		Coin    decimal.Decimal `json:"amulet"`
		Dollars decimal.Decimal `json:"usd"`
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

	// Once is the key of the form before, so that a reloaded preview has the same key.
	Once     string
	Receiver string
	Sum      decimal.Decimal
	Expires  time.Time
	Micros   int64
	Left     string
	Run      dryRun
	Worth    string
}

// preview shows the result of a transfer before the visitor confirms it.
func (s *site) preview(v *visit) error {
	typed := orderOf(v)
	data := previewView{order: typed, Once: cmp.Or(v.field("once"), rand.Text())}
	var err error
	if data.Sum, err = amountOf(typed.Amount); err == nil {
		data.Receiver, err = s.receiver(v, typed.To)
	}
	if err != nil {
		return s.showSendForm(v, typed, problemOf(err))
	}
	lasting := slices.IndexFunc(periods(), func(p period) bool { return p.Hours == typed.Hours })
	if lasting < 0 {
		return s.showSendForm(v, typed, unprocessable(strconv.Quote(typed.Hours)+" hours is not one of the times to accept.",
			"Choose one of the listed times."))
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return err
	}
	data.Expires = now.Add(periods()[lasting].lasts())
	data.Micros, data.Left = data.Expires.UnixMicro(), leftOf(data.Expires, now)
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
	data.Worth = data.Run.Coin.Dollars.Show()
	return s.show(v, "preview", data)
}

// amountOf parses an amount that a person typed. It refuses commas, which separate thousands in some countries and
// decimals in others.
func amountOf(typed string) (decimal.Decimal, error) {
	if strings.Contains(typed, ",") {
		return decimal.Decimal{}, unprocessable(strconv.Quote(typed)+" has a comma, which has two meanings.",
			"Write the amount without commas, with a point before its decimals: 1234.5")
	}
	amount, err := decimal.Parse(strings.TrimSuffix(typed, " CC"))
	if err == nil && amount.Sign() > 0 {
		return amount, nil
	}
	return amount, unprocessable(strconv.Quote(typed)+" is not an amount of coin.",
		"Write a number above 0 with a point before its decimals, at most ten of them: 12.5")
}

// receiver finds the party that a visitor typed, by id or by user name.
func (s *site) receiver(v *visit, typed string) (string, error) {
	if typed == "" {
		return "", unprocessable("The receiver is missing.", "Type a name or a party id.")
	}
	if strings.Contains(typed, "::") {
		return typed, nil
	}
	party, err := s.findParty(v, typed)
	if err != nil || party != "" {
		return party, err
	}
	return "", unprocessable("No party found for "+strconv.Quote(typed)+".",
		"Paste the receiver's whole party id. Receivers find it in their wallet, under Receive.")
}

// send makes the previewed transfer.
func (s *site) send(v *visit) error {
	typed := orderOf(v)
	expires, err := strconv.ParseInt(v.field("expires"), 10, 64)
	if err != nil {
		return &problem{Status: http.StatusBadRequest, What: "The form has no expiry time for the transfer."}
	}
	var out struct {
		Output struct {
			Instruction *string `json:"transfer_instruction_cid"`
		} `json:"output"`
	}
	text := sentence.GroupThousands(typed.Amount) + " CC to " + client.PartyName(v.field("receiver"))
	err = v.change("Send "+text, http.MethodPost, transfersPath, transfer{
		Receiver: v.field("receiver"), Amount: typed.Amount, Description: typed.Note, ExpiresAt: expires,
		TrackingID: "page-" + v.field("once"),
	}, &out)
	switch {
	case err != nil && isFinal(err):
		typed.To = v.field("receiver")
		return s.showSendForm(v, typed, problemOf(err))
	case err != nil:
		return err
	}
	if out.Output.Instruction != nil {
		return s.done(v, "/wallet/inbox", "You offered "+text+". They get it when they accept.")
	}
	return s.done(v, "/wallet", "You sent "+text+".")
}
