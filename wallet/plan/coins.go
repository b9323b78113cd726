package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Which coin pays is decided here, for automation, for lifecycles and for the API: the largest holdings, as many as a
// transfer may have. Where they are not enough and the others are, they are merged first.

const (
	// Share is how many contracts of the DSO's one action takes.
	Share = 100
	// manyCoins is how many coins of an owner are looked at where more than a transfer's inputs matter.
	manyCoins = 10 * Share
)

// InsufficientFunds is the error id of transfers that lack coin.
const InsufficientFunds = "splice.lfdecentralizedtrust.org/insufficient-funds"

// MaxInputs is how many inputs a payment may have that refers to the round: the one that was newest when it was
// composed, whatever the rules have said since.
func MaxInputs(round coin.OpenMiningRound) int { return int(round.TransferConfigUSD.MaxNumInputs) }

// MaxTokenInputs is how many inputs a transfer by the token standard may have that refers to the state.
func MaxTokenInputs(state coin.ExternalPartyConfigState) int {
	return int(state.TransferConfig.MaxNumInputs)
}

// Coins are a party's holdings that are not locked, the largest first, at most a thousand.
func Coins(v View, owner ledger.Party) ([]Contract[coin.Amulet], error) {
	return Held[coin.Amulet](v, Owner, owner, First, manyCoins)
}

// Unlocked adds up a party's coin that is not locked, however many contracts it consists of.
func Unlocked(v View, owner ledger.Party) (decimal.Decimal, error) {
	return Balance[coin.Amulet](v, Owner, owner)
}

// holding is coin that can pay.
type holding struct {
	id     ledger.ContractID
	amount decimal.Decimal
}

// total adds holdings up.
func total(holdings []holding) (sum decimal.Decimal, err error) {
	for _, h := range holdings {
		if err == nil {
			sum, err = sum.Add(h.amount)
		}
	}
	return sum, err
}

// unlocked are the largest of a party's holdings that are not locked.
func unlocked(v View, owner ledger.Party, limit int) ([]holding, error) {
	coins, err := Held[coin.Amulet](v, Owner, owner, First, limit)
	holdings := make([]holding, len(coins))
	for i, c := range coins {
		holdings[i] = holding{c.ID, c.Payload.Amount.InitialAmount}
	}
	return holdings, err
}

// expired are a party's locked holdings whose locks are over, of the thousand that are largest.
func expired(v View, owner ledger.Party) ([]holding, error) {
	locked, err := Held[coin.LockedAmulet](v, Owner, owner, First, manyCoins)
	var holdings []holding
	for _, c := range locked {
		if c.Payload.Lock.ExpiresAt <= lf.TimestampOf(v.Now) {
			holdings = append(holdings, holding{c.ID, c.Payload.Amulet.Amount.InitialAmount})
		}
	}
	return holdings, err
}

// payable are the largest of a party's holdings that are not locked, as many as a payment may have now; none while no
// round is open.
func payable(v View, owner ledger.Party) ([]holding, error) {
	round, open, err := OpenRound(v)
	if err != nil || !open {
		return nil, err
	}
	return unlocked(v, owner, MaxInputs(round.Payload))
}

// Spendable adds up the coin that one payment of a party can take.
func Spendable(v View, owner ledger.Party) (decimal.Decimal, error) {
	holdings, err := payable(v, owner)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return total(holdings)
}

// Inputs are the largest of a party's holdings that are not locked, as many as a payment may have.
func Inputs(v View, owner ledger.Party) ([]coin.TransferInput, error) {
	holdings, err := payable(v, owner)
	inputs := make([]coin.TransferInput, len(holdings))
	for i, h := range holdings {
		inputs[i] = coin.InputAmulet(lf.CID[coin.Amulet](h.id))
	}
	return inputs, err
}

// TokenInputs are the holdings that a transfer by the token standard takes: the largest, also those whose lock is over,
// as many as it may have.
func TokenInputs(v View, owner ledger.Party, state coin.ExternalPartyConfigState) ([]lf.CID[token.Holding], error) {
	limit := MaxTokenInputs(state)
	holdings, err := unlocked(v, owner, limit)
	if err != nil {
		return nil, err
	}
	free, err := expired(v, owner)
	if err != nil {
		return nil, err
	}
	holdings = append(holdings, free...)
	slices.SortStableFunc(holdings, func(x, y holding) int {
		return cmp.Or(y.amount.Cmp(x.amount), cmp.Compare(x.id, y.id))
	})
	var inputs []lf.CID[token.Holding]
	for _, h := range holdings[:min(limit, len(holdings))] {
		inputs = append(inputs, lf.CID[token.Holding](h.id))
	}
	return inputs, nil
}

// MergeFirst makes one coin of the largest that a payment can take, after one was refused for want of coin, if the
// wallet has what is missing in further coins; nil if it has not. So the payment can be tried with more the next time,
// however much coin of little worth others have sent. A merge that was refused is made again.
func MergeFirst(v View, w Wallet, payment string, refused *Refused) (*Action, error) {
	commandID := "merge-for-" + payment + ":"
	if refused == nil {
		return nil, nil //nolint:nilnil // as the comment above says
	}
	if !strings.HasPrefix(refused.CommandID, commandID) {
		if refused.CommandID != payment {
			return nil, nil //nolint:nilnil // as the comment above says
		}
		if has, err := hasElsewhere(v, w, refused.Fault); err != nil || !has {
			return nil, err
		}
	}
	context, open, err := PaymentContext(v)
	if err != nil || !open {
		return nil, err
	}
	inputs, err := Inputs(v, w.User)
	if err != nil || len(inputs) < 2 {
		return nil, err
	}
	return WalletAction(v, w, commandID+Short(inputs[0].Amulet.ID()), "WalletAppInstall_ExecuteBatch",
		walletapp.InstallExecuteBatch{
			Context: context, Inputs: inputs, Operations: []walletapp.AmuletOperation{{MergeTransferInputs: &lf.Unit{}}},
		})
}

// hasElsewhere reports whether a payment was refused for want of coin that the wallet has beyond one payment's inputs.
func hasElsewhere(v View, w Wallet, refusal *fault.Fault) (bool, error) {
	if !fault.DamlFailure.Matches(refusal) || refusal.Context["error_id"] != InsufficientFunds {
		return false, nil
	}
	missing, err := decimal.Parse(refusal.Context["requiredAmount"])
	if err != nil {
		return false, nil //nolint:nilerr // it does not say how much: nothing can be told
	}
	all, err := Unlocked(v, w.User)
	if err != nil {
		return false, err
	}
	taken, err := Spendable(v, w.User)
	if err != nil {
		return false, err
	}
	rest, err := all.Sub(taken)
	return err == nil && rest.Cmp(missing) >= 0, err
}
