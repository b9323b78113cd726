package ledger

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/florinledger/florin/fault"
)

// TrafficAccount is what a node may still send through the synchronizer, in bytes. Some traffic is free and grows back
// with time; what exceeds it is taken from the extra traffic that was bought for the node.
type TrafficAccount struct {
	// Base is the free traffic that was left at BaseAt. The zero account has all of it.
	Base   int64
	BaseAt time.Time
	// Purchased is all extra traffic that was ever bought, Consumed all that was ever used. Neither decreases.
	Purchased int64
	Consumed  int64
}

// TrafficRules are the synchronizer's conditions.
type TrafficRules struct {
	// BaseBurst is the most free traffic that a node can have, in bytes; it grows back within BaseWindow.
	BaseBurst  int64
	BaseWindow time.Duration
	// Enforced refuses what the account does not cover. Otherwise traffic is only metered, and what exceeds the account
	// is free.
	Enforced bool
	// Stake is the extra traffic that a contract stands for: 0 for all that is no purchase for this node.
	Stake func(Contract) (int64, error)
	// Vital tells transactions that are never refused for want of traffic, by what they created and archived; nil for
	// none. They pay with what there is.
	Vital func(created, archived []Contract) bool
}

// Extra is the extra traffic that is left.
func (a TrafficAccount) Extra() int64 { return a.Purchased - a.Consumed }

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
	a.Base = min(rules.BaseBurst, a.Base+regained.Int64())
	return a
}

// Charge is the account after a transaction with the contracts that it created and archived: what the transaction buys
// is there before its cost is taken, so that a node without traffic can always buy some. A refusal leaves the account
// as it was.
func (a TrafficAccount) Charge(cost int64, created, archived []Contract, now time.Time, rules TrafficRules) (
	TrafficAccount, error,
) {
	charged := a.At(now, rules)
	bought, err := rules.bought(created, archived)
	if err != nil {
		return a, err
	}
	charged.Purchased += bought
	free := min(cost, charged.Base)
	extra := cost - free
	if extra > charged.Extra() {
		if rules.Enforced && (rules.Vital == nil || !rules.Vital(created, archived)) {
			return a, notEnoughTraffic(cost, charged)
		}
		extra = charged.Extra()
	}
	charged.Base -= free
	charged.Consumed += extra
	return charged, nil
}

// bought is what a transaction adds to the extra traffic. Purchases may be merged: what is archived counts against what
// is created, and nothing is ever taken back.
func (r TrafficRules) bought(created, archived []Contract) (int64, error) {
	if r.Stake == nil {
		return 0, nil
	}
	var bought int64
	for _, contract := range created {
		stake, err := r.Stake(contract)
		if err != nil {
			return 0, fmt.Errorf("read the traffic that %s stands for: %w", contract.ID, err)
		}
		bought += stake
	}
	for _, contract := range archived {
		stake, err := r.Stake(contract)
		if err != nil {
			return 0, fmt.Errorf("read the traffic that %s stood for: %w", contract.ID, err)
		}
		bought -= stake
	}
	return max(bought, 0), nil
}

func notEnoughTraffic(cost int64, account TrafficAccount) error {
	available := account.Base + account.Extra()
	return fault.SequencerNotEnoughTrafficCredit.New(
		"The transaction costs %d bytes of traffic, and %d are left (%d free, %d extra).",
		cost, available, account.Base, account.Extra()).
		With("cost", strconv.FormatInt(cost, 10)).
		With("available", strconv.FormatInt(available, 10)).
		WithHint("Buy traffic with POST /v0/wallet/buy-traffic-requests, or wait: free traffic grows back.")
}

// TrafficCost is what a transaction costs of the synchronizer's traffic, in bytes: the size of its events as recorded.
func TrafficCost(events []Event) (int64, error) {
	encoded, err := json.Marshal(events)
	if err != nil {
		return 0, fmt.Errorf("measure the transaction: %w", err)
	}
	return int64(len(encoded)), nil
}
