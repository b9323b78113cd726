package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/florinledger/florin/ledger/fault"
)

// TrafficAccount is the traffic that a node has left, in bytes. Free traffic grows back with time; more comes from the
// extra traffic that the node has bought.
type TrafficAccount struct {
	// Base is the free traffic that was left at BaseAt. The zero account has all of it.
	Base   int64
	BaseAt time.Time
	// Purchased is all extra traffic that was ever bought, Consumed all that was ever used. Neither decreases.
	Purchased int64
	Consumed  int64
	// Granted is all extra traffic that was ever used but never bought: by metered traffic that is not enforced, and by
	// vital transactions. It is in none of the two others.
	Granted int64
}

// TrafficRules are the synchronizer's conditions.
type TrafficRules struct {
	// BaseBurst is the most free traffic that a node can have, in bytes; it grows back within BaseWindow.
	BaseBurst  int64
	BaseWindow time.Duration
	// Enforced refuses what the account does not cover. Otherwise traffic is only metered, and what exceeds the account
	// is free.
	Enforced bool
	// Stake is the extra traffic of a purchase for this node; 0 for other contracts.
	Stake func(Contract) (int64, error)
	// Vital reports transactions that are never refused for lack of traffic, by the contracts that they create and
	// archive; nil for none. They use the traffic that is left.
	Vital func(created, archived []Contract) bool
}

// Extra is the extra traffic that is left.
func (a TrafficAccount) Extra() int64 { return a.Purchased - a.Consumed }

// Used is all extra traffic that was ever used, whether it was bought or granted.
func (a TrafficAccount) Used() int64 { return sum(a.Consumed, a.Granted) }

// Limit is all extra traffic that was ever bought or granted.
func (a TrafficAccount) Limit() int64 { return sum(a.Purchased, a.Granted) }

// Under are the rules with Enforced from the settings.
func (r TrafficRules) Under(settings Settings) TrafficRules {
	r.Enforced = settings.EnforceTraffic
	return r
}

// At is the account at a later time, with the free traffic that has grown back.
func (a TrafficAccount) At(now time.Time, rules TrafficRules) TrafficAccount {
	passed := now.Sub(a.BaseAt)
	if passed <= 0 {
		return a
	}
	a.BaseAt = now
	if passed >= rules.BaseWindow {
		a.Base = rules.BaseBurst
		return a
	}
	regained := new(big.Int).Mul(big.NewInt(rules.BaseBurst), big.NewInt(int64(passed)))
	regained.Quo(regained, big.NewInt(int64(rules.BaseWindow))) // below BaseBurst, since less than the window passed
	a.Base = min(rules.BaseBurst, sum(a.Base, regained.Int64()))
	return a
}

// Charge is the account after a transaction with the contracts that it created and archived. A purchase counts before
// the cost, so that a node without traffic can always buy some. A refusal leaves the account unchanged.
func (a TrafficAccount) Charge(cost int64, created, archived []Contract, now time.Time, rules TrafficRules) (
	TrafficAccount, error,
) {
	charged := a.At(now, rules)
	bought, err := rules.bought(created, archived)
	if err != nil {
		return a, err
	}
	purchased := bought.Add(bought, big.NewInt(charged.Purchased))
	if !purchased.IsInt64() {
		return a, tooMuchTraffic(charged.Purchased)
	}
	charged.Purchased = purchased.Int64()
	free := min(cost, charged.Base)
	extra := cost - free
	if extra > charged.Extra() {
		if rules.Enforced && (rules.Vital == nil || !rules.Vital(created, archived)) {
			return a, notEnoughTraffic(cost, charged)
		}
		charged.Granted = sum(charged.Granted, extra-charged.Extra())
		extra = charged.Extra()
	}
	charged.Base -= free
	charged.Consumed += extra
	return charged, nil
}

// bought is the extra traffic that a transaction adds. Archived purchases count against created ones, because purchases
// can be merged; the result is never negative.
func (r TrafficRules) bought(created, archived []Contract) (*big.Int, error) {
	bought := new(big.Int)
	if r.Stake == nil {
		return bought, nil
	}
	for _, contract := range created {
		stake, err := r.Stake(contract)
		if err != nil {
			return nil, fmt.Errorf("read the traffic of purchase %s: %w", contract.ID, err)
		}
		bought.Add(bought, big.NewInt(max(stake, 0)))
	}
	for _, contract := range archived {
		stake, err := r.Stake(contract)
		if err != nil {
			return nil, fmt.Errorf("read the traffic of archived purchase %s: %w", contract.ID, err)
		}
		bought.Sub(bought, big.NewInt(max(stake, 0)))
	}
	if bought.Sign() < 0 {
		bought.SetInt64(0)
	}
	return bought, nil
}

// sum adds two numbers that are not negative; an overflow gives math.MaxInt64.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func tooMuchTraffic(purchased int64) error {
	return fault.FailedToExecuteTransaction.New("The participant failed to execute the transaction: "+
		"the purchase would raise the extra traffic of the account above its limit of %d bytes; "+
		"the account has bought %d bytes before", int64(math.MaxInt64), purchased).
		WithHint("Buy less traffic.")
}

func notEnoughTraffic(cost int64, account TrafficAccount) error {
	available := sum(account.Base, account.Extra())
	return fault.SequencerNotEnoughTrafficCredit.New(
		"The transaction costs %d bytes of traffic, but only %d are left (%d free, %d extra).",
		cost, available, account.Base, account.Extra()).
		With("cost", strconv.FormatInt(cost, 10)).
		With("available", strconv.FormatInt(available, 10)).
		WithHint("Buy traffic with POST /v0/wallet/buy-traffic-requests, or wait: free traffic grows back.")
}

// TrafficCost is the traffic of a transaction in bytes: the size of its events in the record.
func TrafficCost(events []Event) (int64, error) {
	encoded, err := EncodeEvents(events)
	return int64(len(encoded)), err
}

// EncodeEvents writes events as the record keeps them.
func EncodeEvents(events []Event) ([]byte, error) {
	encoded, err := EncodePlain(append([]Event{}, events...)) // none are [], not null
	if err != nil {
		return nil, fmt.Errorf("encode the events of a transaction: %w", err)
	}
	return encoded, nil
}

// EncodePlain writes JSON without the escapes that are for HTML pages: payloads keep their text.
func EncodePlain(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
