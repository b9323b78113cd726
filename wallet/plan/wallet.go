package plan

import (
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Wallet is a user's wallet that the operator runs, and may use through its WalletAppInstall.
type Wallet struct {
	Install ledger.ContractID
	User    ledger.Party
}

// WalletOf finds the wallet of the first of the parties that has one here.
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

// WalletAction is an action of the operator through a user's wallet: a choice of its WalletAppInstall.
func WalletAction[A any](v View, w Wallet, commandID, choice string, argument A) (*Action, error) {
	command, err := Exercise[walletapp.WalletAppInstall](v.Packages, w.Install, choice, argument)
	return &Action{
		CommandID: commandID, ActAs: []ledger.Party{v.Node.Operator},
		ReadAs: ledger.SortedParties([]ledger.Party{w.User, v.Node.DSO}), Commands: []ledger.Command{command},
	}, err
}

// PreapprovalLifetime is how long a preapproval lasts that the operator provides, and by how much it is renewed
// (contract, "Limits").
const PreapprovalLifetime = 90 * 24 * time.Hour

// MaxRounds is more than there are rounds of one state at once.
const MaxRounds = 20

// PaymentContext names the rules and the newest round that is open: what all payments refer to. ok is false while no
// round is open.
func PaymentContext(v View) (context coin.PaymentTransferContext, ok bool, err error) {
	rules, err := Shared[coin.AmuletRules](v, 1)
	if err != nil || len(rules) == 0 {
		return context, false, err
	}
	round, ok, err := OpenRound(v)
	context.AmuletRules = lf.CID[coin.AmuletRules](rules[0].ID)
	context.Context.OpenMiningRound = lf.CID[coin.OpenMiningRound](round.ID)
	return context, ok, err
}

// OpenRound is the newest round that is open; false when none is.
func OpenRound(v View) (newest Contract[coin.OpenMiningRound], ok bool, err error) {
	rounds, err := Shared[coin.OpenMiningRound](v, MaxRounds)
	if err != nil {
		return newest, false, err
	}
	newest, ok = NewestRound(rounds, v.Now)
	return newest, ok, nil
}

// NewestRound is the newest of some rounds that is open.
func NewestRound(
	rounds []Contract[coin.OpenMiningRound], now time.Time,
) (newest Contract[coin.OpenMiningRound], ok bool) {
	payload := func(c Contract[coin.OpenMiningRound]) coin.OpenMiningRound { return c.Payload }
	return coin.NewestRound(rounds, payload, lf.TimestampOf(now))
}

// FeaturedAppRight is a provider's right as a featured app; nil without. Of several, which have no order, the newest
// counts: it is the one that was granted or weighted last. When it ends, the one before counts.
func FeaturedAppRight(v View, provider ledger.Party) (*lf.CID[coin.FeaturedAppRight], error) {
	newest, err := Held[coin.FeaturedAppRight](v, Provider, provider, Least, 1)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	return new(lf.CID[coin.FeaturedAppRight](newest[0].ID)), nil
}

// Preapproval is the preapproval of a receiver that lasts longest, while it is valid, and its provider's right as a
// featured app.
func Preapproval(v View, receiver ledger.Party) (
	preapproval *lf.CID[coin.TransferPreapproval], right *lf.CID[coin.FeaturedAppRight], err error,
) {
	longest, ok, err := One[coin.TransferPreapproval](v, Receiver, receiver)
	if err != nil || !ok || !v.Now.Before(longest.Payload.ExpiresAt.Time()) {
		return nil, nil, err
	}
	right, err = FeaturedAppRight(v, longest.Payload.Provider)
	return new(lf.CID[coin.TransferPreapproval](longest.ID)), right, err
}
