package web

import (
	"errors"
	"net/http"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger/decimal"
)

// The pauses before a change is asked for again that is being made: each is twice as long as the one before.
const againPause, maxAgainPause = 100 * time.Millisecond, 3 * time.Second

// change asks the API for a change that the form of this request made up its mind about: however often the form is
// sent, the change is made once, and each time the answer is the same. An error whose outcome is not known is an
// *[unknownOutcomeError], with what was asked for in words.
func (v *visit) change(what, method, path string, in, out any) error {
	err := v.ask(method, path, in, out)
	if err == nil || isFinal(err) {
		return err
	}
	return &unknownOutcomeError{what: what, err: err}
}

// ask asks until nobody else asks for the same.
func (v *visit) ask(method, path string, in, out any) error {
	api := v.api.WithHeader("Idempotency-Key", "page-"+v.field("once"))
	for pause := againPause; ; pause = min(2*pause, maxAgainPause) {
		err := api.Call(v.ctx(), method, path, in, out)
		refused, ok := errors.AsType[*client.Error](err)
		if !ok || refused.Status != http.StatusConflict || !refused.Again {
			return err
		}
		if err := wait.For(v.ctx(), pause); err != nil { // the same form is being served
			return err
		}
	}
}

// balance is what a wallet holds.
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

// contract is a contract of a list, of which a page reads the payload.
type contract[T any] struct {
	ID      string `json:"contract_id"`
	Payload T      `json:"payload"`
	// CreatedAt is when it came to be.
	CreatedAt time.Time `json:"created_at"`
}

// price is what a coin is worth in dollars, in the newest round that is open; zero where no round is.
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
	// They come oldest first, and the oldest is open.
	for _, round := range out.Rounds[:min(1, len(out.Rounds))] {
		price = round.Contract.Payload.Price
	}
	return price, nil
}

// ledgerTime is what deadlines follow: the ledger's clock where the node tells it, and else real time.
func (s *site) ledgerTime(v *visit) (time.Time, error) {
	var clock struct {
		Time time.Time `json:"ledger_time"`
	}
	err := v.api.Get(v.ctx(), "/v0/dev/clock", &clock)
	if isStatus(err, http.StatusNotFound) || err == nil && clock.Time.IsZero() {
		return s.Now().UTC(), nil
	}
	return clock.Time.UTC(), err
}
