package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

const (
	transfersPath = "/v0/wallet/token-standard/transfers"
	sendPath      = "/wallet/send"
	// defaultHours is the time to accept that the form proposes.
	defaultHours = "24"
)

// order is the input of the send form.
type order struct{ To, Amount, Note, Hours string }

func orderOf(values url.Values) order {
	field := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	return order{To: field("to"), Amount: field("amount"), Note: field("note"), Hours: field("hours")}
}

// query is the input in an address.
func (o order) query() url.Values {
	return url.Values{"to": {o.To}, "amount": {o.Amount}, "note": {o.Note}, "hours": {o.Hours}}
}

// Edit is the address of the form with this input.
func (o order) Edit() string { return sendPath + "?" + o.query().Encode() }

// period is a choice of the time to accept.
type period struct{ Hours, Words string }

func (p period) lasts() time.Duration {
	hours, _ := strconv.Atoi(p.Hours) // always one of periods
	return time.Duration(hours) * time.Hour
}

func periods() []period {
	return []period{{"1", "1 hour"}, {"24", "1 day"}, {"168", "7 days"}, {"720", "30 days"}}
}

// suggestion is a receiver that the form proposes: a name or a party id, and a label if the value does not say enough.
type suggestion struct{ Value, Label string }

type sendView struct {
	order

	Available decimal.Decimal
	// All is the address of the form with all that the visitor can spend.
	All         string
	Periods     []period
	Suggestions []suggestion
	// ByName is true if a name finds a receiver.
	ByName  bool
	Problem *problem
}

func (s *site) sendForm(v *visit) error {
	typed := orderOf(v.r.URL.Query())
	typed.Hours = cmp.Or(typed.Hours, defaultHours)
	return s.showSendForm(v, typed, nil)
}

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
	recent, _, err := s.entries(v, "", recentEntries)
	if err != nil {
		return err
	}
	all := typed
	all.Amount = held.Unlocked.Show()
	status := http.StatusOK
	if refused != nil {
		status = http.StatusUnprocessableEntity
	}
	return s.write(v, status, "send", sendView{
		order: typed, Available: held.Unlocked, All: all.Edit(), Periods: periods(), ByName: len(users) > 0,
		Suggestions: suggestionsOf(v.party, users, recent), Problem: refused,
	})
}

// recentEntries is the number of entries whose receivers the form proposes.
const recentEntries = 50

// suggestionsOf proposes the receivers of the last transfers, newest first, then the users of the node.
func suggestionsOf(own string, users []user, recent []entry) (all []suggestion) {
	names, seen := map[string]string{}, map[string]bool{own: true, "": true}
	for _, one := range users {
		names[one.Party] = one.ID
	}
	add := func(party string) {
		if seen[party] {
			return
		}
		seen[party] = true
		if name, known := names[party]; known {
			all = append(all, suggestion{Value: name})
		} else {
			all = append(all, suggestion{Value: party, Label: client.PartyFor(own, party)})
		}
	}
	for _, one := range recent {
		if one.Sender != nil && one.Sender.Party == own {
			add(one.OfferedTo)
			for _, receiver := range one.Receivers {
				add(receiver.Party)
			}
		}
	}
	for _, one := range users {
		add(one.Party)
	}
	return all
}

// transfer is a transfer request in the API's JSON.
type transfer struct {
	Receiver    string `json:"receiver_party_id"`
	Amount      string `json:"amount"`
	Description string `json:"description"`
	ExpiresAt   int64  `json:"expires_at"`
	TrackingID  string `json:"tracking_id"`
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
	typed := orderOf(v.r.PostForm)
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
