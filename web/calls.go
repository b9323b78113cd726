package web

import (
	"errors"
	"net/http"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger/decimal"
)

// The first and the longest pause before the page repeats a change that is still in progress. Each pause is twice the
// one before.
const againPause, maxAgainPause = 100 * time.Millisecond, 3 * time.Second

// change makes a change with the Idempotency-Key of this request's form: the node makes it once and repeats its answer,
// however often the visitor sends the form. If the outcome is unknown, the error is an *[unknownOutcomeError].
func (v *visit) change(what, method, path string, in, out any) error {
	err := v.ask(method, path, in, out)
	if err == nil || isFinal(err) {
		return err
	}
	return &unknownOutcomeError{what: what, err: err}
}

// ask repeats the request while another request with the same key is in progress.
func (v *visit) ask(method, path string, in, out any) error {
	api := v.api.WithHeader("Idempotency-Key", "page-"+v.field("once"))
	for pause := againPause; ; pause = min(2*pause, maxAgainPause) {
		err := api.Call(v.ctx(), method, path, in, out)
		refused, ok := errors.AsType[*client.Error](err)
		if !ok || refused.Status != http.StatusConflict || !refused.Again {
			return err
		}
		if err := wait.For(v.ctx(), pause); err != nil { // the same form is in progress
			return err
		}
	}
}

type balance struct {
	Round    int64           `json:"round"`
	Unlocked decimal.Decimal `json:"effective_unlocked_qty"`
	Locked   decimal.Decimal `json:"effective_locked_qty"`
	Fees     decimal.Decimal `json:"total_holding_fees"`
}

func (v *visit) balance() (out balance, err error) {
	err = v.api.Get(v.ctx(), "/v0/wallet/balance", &out)
	return out, err
}

// contract is a contract of an API list, with the payload fields that a page reads.
type contract[T any] struct {
	ID        string    `json:"contract_id"`
	Payload   T         `json:"payload"`
	CreatedAt time.Time `json:"created_at"`
}

// price is the price of a coin in US dollars in the newest open round; zero if no round is open.
func (v *visit) price() (price decimal.Decimal, err error) {
	var out struct {
		Rounds []struct {
			Contract contract[struct {
				Price decimal.Decimal `json:"amuletPrice"`
				Opens time.Time       `json:"opensAt"`
			}] `json:"contract"`
		} `json:"open_mining_rounds"`
	}
	if err := v.api.Get(v.ctx(), "/v0/scan-proxy/open-and-issuing-mining-rounds", &out); err != nil {
		return price, err
	}
	// The list is oldest first, and the oldest round is open.
	for _, round := range out.Rounds[:min(1, len(out.Rounds))] {
		price = round.Contract.Payload.Price
	}
	return price, nil
}

// ledgerTime is the time that deadlines follow: the ledger's clock if the node shows it, otherwise real time.
func (s *site) ledgerTime(v *visit) (time.Time, error) {
	if !v.now.IsZero() {
		return v.now.UTC(), nil
	}
	var clock struct {
		Time time.Time `json:"ledger_time"`
	}
	err := v.api.Get(v.ctx(), "/v0/dev/clock", &clock)
	if isStatus(err, http.StatusNotFound) || err == nil && clock.Time.IsZero() {
		return s.Now().UTC(), nil
	}
	return clock.Time.UTC(), err
}
