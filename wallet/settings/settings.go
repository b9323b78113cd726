package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/automation"
)

// PollingInterval is the interval at which the node checks its traffic.
const PollingInterval = automation.PollingInterval

// The defaults of a top-up.
const (
	DefaultMinTopupInterval = 10 * time.Minute
	DefaultReservedTraffic  = 200_000 // bytes
)

// Kind is an automation with settings.
type Kind string

// The kinds. Their names are the sections of a file.
const (
	KindTopUp      Kind = automation.KindTopUp
	KindSweep      Kind = automation.KindSweep
	KindAutoAccept Kind = automation.KindAutoAccept
)

// TopUp configures the traffic that the node buys for itself.
type TopUp struct {
	// TargetThroughput is in bytes per second; 0 buys nothing.
	TargetThroughput int64 `json:"target-throughput"`
	// MinTopupInterval is the least time between two purchases.
	MinTopupInterval Duration `json:"min-topup-interval"`
	// ReservedTraffic are the bytes kept for purchases: the other automations wait while no more extra traffic is left.
	ReservedTraffic int64 `json:"reserved-traffic"`
}

// Purchase computes the amount and the interval of purchases; minTopupAmount is the network's least purchase, in bytes.
func (t TopUp) Purchase(minTopupAmount int64) (automation.TopUp, error) {
	return automation.TopUpConfig{
		TargetThroughput: t.TargetThroughput, MinTopupInterval: time.Duration(t.MinTopupInterval),
		PollingInterval: PollingInterval, MinTopupAmount: minTopupAmount,
	}.Purchase()
}

// Problems lists the fields with invalid values, with the next step for each.
func (t TopUp) Problems() []Problem {
	var found []Problem
	interval := time.Duration(t.MinTopupInterval)
	switch _, err := t.Purchase(0); {
	case t.TargetThroughput < 0:
		found = append(found, problem("target-throughput", "%d is negative; give bytes per second, or 0 to buy no traffic",
			t.TargetThroughput))
	case interval < PollingInterval:
		found = append(found, problem("min-topup-interval",
			"%s is below the polling interval of %s, at which the node looks whether to buy; give %s or more",
			interval, PollingInterval, PollingInterval))
	case err != nil:
		found = append(found, problem("min-topup-interval", "%s; give a shorter interval", err))
	}
	if t.ReservedTraffic < 0 {
		found = append(found, problem("reserved-traffic", "%d is negative; give bytes, or 0 to reserve none",
			t.ReservedTraffic))
	}
	return found
}

// Sweep limits the coin of a wallet, in US dollars, and names the receiver of the rest.
type Sweep struct {
	MaxBalanceUSD decimal.Decimal `json:"max-balance-usd"`
	MinBalanceUSD decimal.Decimal `json:"min-balance-usd"`
	Receiver      ledger.Party    `json:"receiver"`
	// UseTransferPreapproval sends through the receiver's preapproval instead of an offer.
	UseTransferPreapproval bool `json:"use-transfer-preapproval"`
}

// Config converts the sweep for the planner.
func (s Sweep) Config() automation.SweepConfig {
	return automation.SweepConfig{
		MaxBalanceUSD: s.MaxBalanceUSD, MinBalanceUSD: s.MinBalanceUSD, Receiver: s.Receiver,
		UsePreapproval: s.UseTransferPreapproval,
	}
}

// Problems lists the mistakes in the sweep of a wallet.
func (s Sweep) Problems(sender ledger.Party) []Problem {
	var found []Problem
	if s.MinBalanceUSD.Sign() < 0 {
		found = append(found, problem("min-balance-usd", "%s is negative; give what the wallet keeps, in US dollars",
			s.MinBalanceUSD.Show()))
	}
	if s.MaxBalanceUSD.Cmp(s.MinBalanceUSD) < 0 {
		found = append(found, problem("max-balance-usd",
			"%s is less than the %s that a sweep leaves; give as much or more", s.MaxBalanceUSD.Show(), s.MinBalanceUSD.Show()))
	}
	switch wrong := badParty(s.Receiver); {
	case wrong != "":
		found = append(found, Problem{"receiver", wrong})
	case s.Receiver == sender:
		found = append(found, problem("receiver", "%s is the wallet that is swept; name another party", s.Receiver))
	}
	return found
}

// AutoAccept lists the senders whose offers the node accepts for a receiver.
type AutoAccept struct {
	FromParties []ledger.Party `json:"from-parties"`
}

// Problems lists the senders that are missing, malformed or repeated.
func (a AutoAccept) Problems() []Problem {
	if len(a.FromParties) == 0 {
		return []Problem{problem("from-parties", "no sender is named; name one, or leave the receiver out")}
	}
	var found []Problem
	for i, party := range a.FromParties {
		key := fmt.Sprintf("from-parties[%d]", i)
		switch wrong := badParty(party); {
		case wrong != "":
			found = append(found, Problem{key, wrong})
		case slices.Contains(a.FromParties[:i], party):
			found = append(found, problem(key, "%s is named twice; name it once", party))
		}
	}
	return found
}

// Settings are the settings of all automations.
type Settings struct {
	// TopUp is nil if it is not set: the node buys nothing.
	TopUp *TopUp
	// Sweeps has the swept wallets, AutoAccept the receiving wallets.
	Sweeps     map[ledger.Party]Sweep
	AutoAccept map[ledger.Party]AutoAccept
}

// Entry is the setting of one automation for one wallet.
type Entry struct {
	Kind Kind
	// Party is the wallet; empty for the top-up, which belongs to the node.
	Party ledger.Party
	// Value is the [TopUp], [Sweep] or [AutoAccept] in JSON.
	Value json.RawMessage
}

// Entries lists the settings by kind and party.
func (s Settings) Entries() ([]Entry, error) {
	var entries []Entry
	add := func(kind Kind, party ledger.Party, value any) error {
		encoded, err := json.Marshal(value)
		entries = append(entries, Entry{Kind: kind, Party: party, Value: encoded})
		return err
	}
	if s.TopUp != nil {
		if err := add(KindTopUp, "", s.TopUp); err != nil {
			return nil, err
		}
	}
	for _, sender := range slices.Sorted(maps.Keys(s.Sweeps)) {
		if err := add(KindSweep, sender, s.Sweeps[sender]); err != nil {
			return nil, err
		}
	}
	for _, receiver := range slices.Sorted(maps.Keys(s.AutoAccept)) {
		if err := add(KindAutoAccept, receiver, s.AutoAccept[receiver]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Kind, b.Kind) })
	return entries, nil
}

// Problem is a mistake in one setting.
type Problem struct {
	// Key is the name of the value, such as max-balance-usd.
	Key string
	// Text has the value, the rule and the next step.
	Text string
}

func problem(key, format string, args ...any) Problem {
	return Problem{Key: key, Text: fmt.Sprintf(format, args...)}
}

// badParty says why a party id is wrong; "" if it is not.
func badParty(party ledger.Party) string {
	if err := ledger.CheckParty(string(party)); err != nil {
		return fmt.Sprintf("%q is no party id (%s); give one such as alice::1220…", party, err)
	}
	if _, _, ok := ledger.SplitParty(string(party)); !ok {
		return fmt.Sprintf("%q is no whole party id; give one such as alice::1220…", party)
	}
	return ""
}
