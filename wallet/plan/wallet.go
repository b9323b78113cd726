package plan

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/decimal"
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
	for _, round := range rounds {
		if !round.Payload.OpensAt.Time().After(v.Now) && (!ok || round.Payload.Round.Number > newest.Payload.Round.Number) {
			newest, ok = round, true
		}
	}
	return newest, ok, err
}

// MaxInputs is how many inputs a transfer may have.
const MaxInputs = 100

// manyCoins is how many coins of an owner are looked at where more than a transfer's inputs matter.
const manyCoins = 10 * MaxInputs

// Coins are a party's holdings that are not locked, the largest first, at most a thousand.
func Coins(v View, owner ledger.Party) ([]Contract[coin.Amulet], error) {
	return Held[coin.Amulet](v, Owner, owner, First, manyCoins)
}

// Unlocked adds up a party's coin that is not locked, however many contracts it consists of.
func Unlocked(v View, owner ledger.Party) (decimal.Decimal, error) {
	return Balance[coin.Amulet](v, Owner, owner)
}

// Spendable adds up the coin that one transfer of a party can take.
func Spendable(v View, owner ledger.Party) (total decimal.Decimal, err error) {
	holdings, err := Held[coin.Amulet](v, Owner, owner, First, MaxInputs)
	for _, holding := range holdings {
		if err == nil {
			total, err = total.Add(holding.Payload.Amount.InitialAmount)
		}
	}
	return total, err
}

// Inputs are the largest of a party's holdings that are not locked, as many as a transfer may have.
func Inputs(v View, owner ledger.Party) ([]coin.TransferInput, error) {
	holdings, err := Held[coin.Amulet](v, Owner, owner, First, MaxInputs)
	if err != nil {
		return nil, err
	}
	inputs := make([]coin.TransferInput, len(holdings))
	for i, holding := range holdings {
		inputs[i] = coin.InputAmulet(lf.CID[coin.Amulet](holding.ID))
	}
	return inputs, nil
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
