package plan

import (
	"slices"

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
	const most = 100
	for _, party := range parties {
		installs, err := Active[walletapp.WalletAppInstall](v, party, most)
		if err != nil {
			return Wallet{}, false, err
		}
		for _, install := range installs {
			if install.Payload.EndUserParty == party && install.Payload.ValidatorParty == v.Node.Operator {
				return Wallet{Install: install.ID, User: party}, true, nil
			}
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
	rules, err := Active[coin.AmuletRules](v, v.Node.DSO, 1)
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
	rounds, err := Active[coin.OpenMiningRound](v, v.Node.DSO, MaxRounds)
	for _, round := range rounds {
		if !round.Payload.OpensAt.Time().After(v.Now) && (!ok || round.Payload.Round.Number > newest.Payload.Round.Number) {
			newest, ok = round, true
		}
	}
	return newest, ok, err
}

// MaxInputs is how many inputs a transfer may have.
const MaxInputs = 100

// manyCoins is how many coins of an owner are looked at to find the largest.
const manyCoins = 10 * MaxInputs

// Coins are a party's holdings that are not locked, the largest first. Of very many, the oldest thousand are looked at.
func Coins(v View, owner ledger.Party) ([]Contract[coin.Amulet], error) {
	holdings, err := Active[coin.Amulet](v, owner, manyCoins)
	if err != nil {
		return nil, err
	}
	holdings = slices.DeleteFunc(holdings, func(h Contract[coin.Amulet]) bool { return h.Payload.Owner != owner })
	slices.SortStableFunc(holdings, func(a, b Contract[coin.Amulet]) int {
		return b.Payload.Amount.InitialAmount.Cmp(a.Payload.Amount.InitialAmount)
	})
	return holdings, nil
}

// Inputs are the largest of a party's holdings that are not locked, as many as a transfer may have.
func Inputs(v View, owner ledger.Party) ([]coin.TransferInput, error) {
	holdings, err := Coins(v, owner)
	if err != nil {
		return nil, err
	}
	inputs := make([]coin.TransferInput, 0, MaxInputs)
	for _, holding := range holdings[:min(len(holdings), MaxInputs)] {
		inputs = append(inputs, coin.InputAmulet(lf.CID[coin.Amulet](holding.ID)))
	}
	return inputs, nil
}
