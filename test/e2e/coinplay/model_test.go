package coinplay_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger"
)

// coins is an amount in the smallest unit, 10^-10 of a coin.
type coins int64

// one is one coin.
const one coins = 10_000_000_000

// String writes the amount as the ledger does.
func (c coins) String() string { return fmt.Sprintf("%d.%010d", c/one, c%one) }

// parseCoins reads an amount that the ledger wrote.
func parseCoins(text string) (c coins, err error) {
	_, err = fmt.Sscanf(strings.Replace(text, ".", "", 1), "%d", &c)
	return c, err
}

// The prices of a fresh development network, at 0.005 US dollars per coin.
const (
	// costOfDay is the price of a day of a preapproval: 0.00274 US dollars.
	costOfDay = 548 * one / 1000
	// costOfTraffic is the price of the smallest purchase of traffic: 0.2 MB at 16.67 US dollars per megabyte.
	costOfTraffic = 6668 * one / 10
	leastTraffic  = 200_000
)

// model is the balances of all parties: spendable and locked.
type model struct {
	free, locked   map[ledger.Party]coins
	minted, burned coins
	traffic        int64
	instructions   []*promise
	offers         []*promise
	preapprovals   []*preapproval
	delegations    map[ledger.Party]ledger.ContractID
	// paid is the end of the time that the operator has paid for preapprovals of others, also cancelled ones.
	paid map[ledger.Party]time.Time
}

// promise is a transfer that its receiver must accept.
type promise struct {
	id               ledger.ContractID
	sender, receiver ledger.Party
	amount           coins
	until            time.Time
	// locked is the coin of an instruction; released: its sender has unlocked it.
	locked   ledger.ContractID
	released bool
	// accepted: the receiver has accepted the offer.
	accepted bool
}

type preapproval struct {
	id                 ledger.ContractID
	receiver, provider ledger.Party
	until              time.Time
}

func newModel() *model {
	return &model{
		free: map[ledger.Party]coins{}, locked: map[ledger.Party]coins{},
		delegations: map[ledger.Party]ledger.ContractID{}, paid: map[ledger.Party]time.Time{},
	}
}

func (m *model) mint(receiver ledger.Party, amount coins) {
	m.free[receiver] += amount
	m.minted += amount
}

func (m *model) burn(payer ledger.Party, amount coins) {
	m.free[payer] -= amount
	m.burned += amount
}

func (m *model) move(sender, receiver ledger.Party, amount coins) {
	m.free[sender] -= amount
	m.free[receiver] += amount
}

func (m *model) lock(owner ledger.Party, amount coins) {
	m.free[owner] -= amount
	m.locked[owner] += amount
}

// release ends a lock and gives the coin to the receiver, who may be the owner.
func (m *model) release(owner, receiver ledger.Party, amount coins) {
	m.locked[owner] -= amount
	m.free[receiver] += amount
}

func (m *model) total() (sum coins) {
	for _, amount := range m.free {
		sum += amount
	}
	for _, amount := range m.locked {
		sum += amount
	}
	return sum
}

// approved finds a preapproval of the receiver that is valid at a time.
func (m *model) approved(receiver ledger.Party, at time.Time) *preapproval {
	for _, p := range m.preapprovals {
		if p.receiver == receiver && at.Before(p.until) {
			return p
		}
	}
	return nil
}

func without[T comparable](all []T, gone T) []T {
	var kept []T
	for _, one := range all {
		if one != gone {
			kept = append(kept, one)
		}
	}
	return kept
}
