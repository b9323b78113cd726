package plan

import (
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Wallet is a user's wallet that the operator runs and uses through its WalletAppInstall.
type Wallet struct {
	Install ledger.ContractID
	User    ledger.Party
}

// WalletOf finds the wallet of the first party that has one here.
func WalletOf(v View, parties ...ledger.Party) (Wallet, bool, error) {
	for _, party := range parties {
		install, ok, err := One[walletapp.WalletAppInstall](v, EndUser, party)
		if err != nil {
			return Wallet{}, false, err
		}
		if ok && install.Payload.ValidatorParty == v.Node.Operator {
			return Wallet{Install: install.ID, User: party}, true, nil
		}
	}
	return Wallet{}, false, nil
}

// WalletAction returns an action of the operator through a user's wallet: a choice of its WalletAppInstall.
func WalletAction[A any](v View, w Wallet, commandID, choice string, argument A) (*Action, error) {
	command, err := Exercise[walletapp.WalletAppInstall](v.Packages, w.Install, choice, argument)
	return &Action{
		CommandID: commandID, ActAs: []ledger.Party{v.Node.Operator},
		ReadAs: ledger.SortedParties([]ledger.Party{w.User, v.Node.DSO}), Commands: []ledger.Command{command},
	}, err
}

// PreapprovalLifetime is the lifetime and the renewal of a preapproval that the operator provides (contract, "Limits").
const PreapprovalLifetime = 90 * 24 * time.Hour

// MaxRounds is above the number of rounds in one state.
const MaxRounds = 20

// Network are the contracts that payments refer to.
type Network struct {
	Rules Contract[coin.AmuletRules]
	// Open has the open rounds, also those that open later; Latest is the round that payments name.
	Open   []Contract[coin.OpenMiningRound]
	Latest Contract[coin.OpenMiningRound]
}

// keptTemplates are the templates, Module:Entity, of the contracts that a node keeps in memory.
var keptTemplates = map[string]bool{
	"Splice.AmuletRules:AmuletRules":         true,
	"Splice.Round:OpenMiningRound":           true,
	"Splice.Wallet.Install:WalletAppInstall": true,
}

// ChangesKept reports whether an update changes contracts that a node keeps in memory: those that [ReadNetwork] reads,
// and the installs of wallets.
func ChangesKept(update ledger.Update) bool {
	return slices.ContainsFunc(update.Events, func(event ledger.Event) bool {
		changes := event.Kind == ledger.EventCreate || event.Consuming
		return changes && keptTemplates[event.Template.QualifiedName()]
	})
}

// ReadNetwork reads the rules of the coin and its rounds, without the latest. The rules have no id before the coin is
// created.
func ReadNetwork(v View) (n Network, err error) {
	rules, err := Shared[coin.AmuletRules](v, 1)
	if err != nil || len(rules) == 0 {
		return n, err
	}
	n.Rules = rules[0]
	n.Open, err = Shared[coin.OpenMiningRound](v, MaxRounds)
	return n, err
}

// NetworkOf returns the rules of the coin and its rounds; false while no round is open.
func NetworkOf(v View) (n Network, ok bool, err error) {
	if v.Network != nil {
		n, err = v.Network()
	} else {
		n, err = ReadNetwork(v)
	}
	if err != nil {
		return n, false, err
	}
	n.Latest, ok = NewestRound(n.Open, v.Now)
	return n, ok, nil
}

// Payment returns the context of payments.
func (n Network) Payment() coin.PaymentTransferContext {
	context := coin.PaymentTransferContext{AmuletRules: lf.CID[coin.AmuletRules](n.Rules.ID)}
	context.Context.OpenMiningRound = lf.CID[coin.OpenMiningRound](n.Latest.ID)
	return context
}

// Earliest returns the earliest open round at a time.
func (n Network) Earliest(at time.Time) (Contract[coin.OpenMiningRound], bool) {
	return coin.EarliestRound(n.Open, payloadOfRound, lf.TimestampOf(at))
}

// PaymentContext names the rules and the newest open round, which all payments refer to. ok is false without an open
// round.
func PaymentContext(v View) (context coin.PaymentTransferContext, ok bool, err error) {
	n, ok, err := NetworkOf(v)
	return n.Payment(), ok, err
}

// OpenRound returns the newest open round; false without one.
func OpenRound(v View) (newest Contract[coin.OpenMiningRound], ok bool, err error) {
	n, ok, err := NetworkOf(v)
	return n.Latest, ok, err
}

// NewestRound returns the newest open round of some.
func NewestRound(
	rounds []Contract[coin.OpenMiningRound], now time.Time,
) (newest Contract[coin.OpenMiningRound], ok bool) {
	return coin.NewestRound(rounds, payloadOfRound, lf.TimestampOf(now))
}

func payloadOfRound(c Contract[coin.OpenMiningRound]) coin.OpenMiningRound { return c.Payload }

// FeaturedAppRight returns a provider's right as a featured app; nil for none. Of several it returns the newest: the
// last grant or weight. When that ends, the one before counts.
func FeaturedAppRight(v View, provider ledger.Party) (*Contract[coin.FeaturedAppRight], error) {
	newest, err := Held[coin.FeaturedAppRight](v, Provider, provider, Least, 1)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	return &newest[0], nil
}

// Preapproval returns the valid preapproval of a receiver that lasts longest, and its provider's right as a featured
// app.
func Preapproval(v View, receiver ledger.Party) (
	preapproval *lf.CID[coin.TransferPreapproval], right *lf.CID[coin.FeaturedAppRight], err error,
) {
	longest, ok, err := One[coin.TransferPreapproval](v, Receiver, receiver)
	if err != nil || !ok || !v.Now.Before(longest.Payload.ExpiresAt.Time()) {
		return nil, nil, err
	}
	featured, err := FeaturedAppRight(v, longest.Payload.Provider)
	return longest.CID(), featured.CID(), err
}
