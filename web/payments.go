package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

const (
	paymentsPath             = "/wallet/payments"
	paymentRequestsPath      = "/v0/wallet/app-payment-requests"
	subscriptionRequestsPath = "/v0/wallet/subscription-requests"
)

// payment is an amount in coin or in US dollars, which are converted at the price at payment.
type payment struct {
	Amount decimal.Decimal `json:"amount"`
	Unit   string          `json:"unit"`
}

// Shown is the amount with its unit.
func (p payment) Shown() string {
	if p.Unit == "USDUnit" {
		return sentence.GroupThousands(p.Amount.Show()) + " USD in coin"
	}
	return coins(p.Amount)
}

// paymentRequest asks the visitor to pay once.
type paymentRequest struct {
	Receivers []struct {
		Receiver string  `json:"receiver"`
		Amount   payment `json:"amount"`
	} `json:"receiverAmounts"`
	Provider string    `json:"provider"`
	Expires  time.Time `json:"expiresAt"`
	Text     string    `json:"description"`
}

// relTime is a duration in the coin's JSON.
type relTime struct {
	Micros int64 `json:"microseconds,string"`
}

// Shown is the duration in words.
func (t relTime) Shown() string { return lengthOf(time.Duration(t.Micros) * time.Microsecond) }

// lengthOf formats a duration in its largest whole unit.
func lengthOf(length time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		word   string
	}{{day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if length >= unit.length && length%unit.length == 0 {
			return plural(int(length/unit.length), unit.word)
		}
	}
	return length.String()
}

type subscriptionData struct {
	Receiver string `json:"receiver"`
	Provider string `json:"provider"`
	Text     string `json:"description"`
}

type payData struct {
	Amount payment `json:"paymentAmount"`
	Every  relTime `json:"paymentInterval"`
}

// subscriptionRequest asks the visitor to pay at regular times.
type subscriptionRequest struct {
	Data subscriptionData `json:"subscriptionData"`
	Pay  payData          `json:"payData"`
}

// subscription is a regular payment by the visitor. Between two payments it has an idle state; the id of that state
// cancels it.
type subscription struct {
	Subscription contract[subscriptionRequest] `json:"subscription"`
	State        struct {
		Idle *contract[struct {
			subscriptionRequest

			Due time.Time `json:"nextPaymentDueAt"`
		}] `json:"idle"`
		Payment *contract[subscriptionRequest] `json:"payment"`
	} `json:"state"`
}

// Pay has the payment conditions; the state contains them.
func (s subscription) Pay() payData {
	switch {
	case s.State.Idle != nil:
		return s.State.Idle.Payload.Pay
	case s.State.Payment != nil:
		return s.State.Payment.Payload.Pay
	default:
		return payData{}
	}
}

type paymentsView struct {
	Payments      []contract[paymentRequest]
	Requests      []contract[subscriptionRequest]
	Subscriptions []subscription
	// The numbers of those that the page does not show.
	MorePayments, MoreRequests, MoreSubscriptions int
	Problem                                       *problem
}

func (s *site) payments(v *visit) error {
	data, err := v.paymentsView()
	if err != nil {
		return err
	}
	return s.show(v, "payments", data)
}

func (v *visit) paymentsView() (data paymentsView, err error) {
	var once struct {
		Requests []struct {
			Contract contract[paymentRequest] `json:"contract"`
		} `json:"payment_requests"`
	}
	if err := v.api.Get(v.ctx(), paymentRequestsPath, &once); err != nil {
		return data, err
	}
	var regular struct {
		Requests []contract[subscriptionRequest] `json:"subscription_requests"`
	}
	if err := v.api.Get(v.ctx(), subscriptionRequestsPath, &regular); err != nil {
		return data, err
	}
	var running struct {
		Subscriptions []subscription `json:"subscriptions"`
	}
	if err := v.api.Get(v.ctx(), "/v0/wallet/subscriptions", &running); err != nil {
		return data, err
	}
	var all []contract[paymentRequest]
	for _, one := range once.Requests {
		all = append(all, one.Contract)
	}
	data.Payments, data.MorePayments = firstOf(all)
	data.Requests, data.MoreRequests = firstOf(regular.Requests)
	data.Subscriptions, data.MoreSubscriptions = firstOf(running.Subscriptions)
	return data, nil
}

// answerPayment pays or rejects a request of an app, or cancels a subscription.
func (s *site) answerPayment(v *visit) error {
	type answer struct{ method, path, what, notice string }
	id := url.PathEscape(v.r.PathValue("id"))
	answers := map[string]answer{
		"payment/accept": {
			http.MethodPost, paymentRequestsPath + "/" + id + "/accept", "Pay the app", "You paid. The app collects the coin.",
		},
		"payment/reject": {
			http.MethodPost, paymentRequestsPath + "/" + id + "/reject", "Reject the payment", "You rejected the payment.",
		},
		"request/accept": {
			http.MethodPost, subscriptionRequestsPath + "/" + id + "/accept", "Subscribe",
			"You subscribed, and made the first payment. The app collects the coin.",
		},
		"request/reject": {
			http.MethodPost, subscriptionRequestsPath + "/" + id + "/reject", "Reject the subscription",
			"You rejected the subscription.",
		},
		"subscription/cancel": {
			http.MethodDelete, subscriptionRequestsPath + "/" + id, "Cancel the subscription", "You cancelled the subscription.",
		},
	}
	chosen, known := answers[v.r.PathValue("kind")+"/"+v.r.PathValue("act")]
	if !known {
		return s.pageNotFound(v)
	}
	err := v.change(chosen.what, chosen.method, chosen.path, nil, nil)
	if err == nil {
		return s.done(v, paymentsPath, chosen.notice)
	}
	return refused(s, v, "payments", err, v.paymentsView, func(data *paymentsView, why *problem) { data.Problem = why })
}
