package plan

import (
	"errors"
	"strings"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/registry"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Purse is the coin that a payment can take from a wallet.
type Purse int

const (
	// Coin is unlocked coin.
	Coin Purse = iota
	// Holdings are token standard holdings: also coin with an expired lock.
	Holdings
)

// mergesFor is the prefix of the command ids of merges.
const mergesFor = "merge-for-"

// IsMergeFirst reports whether a command is one of [MergeFirst].
func IsMergeFirst(commandID string) bool { return strings.HasPrefix(commandID, mergesFor) }

// MergeFirst merges the largest coins of a wallet after a payment was refused for lack of coin, if the rest of the
// wallet has the missing amount; else nil. So the next try of the payment has more, even if others have sent many small
// coins. A refused merge is repeated, unless it lost a race: then the winner may have merged the coins already.
func MergeFirst(v View, w Wallet, purse Purse, payment string, refused *Refusal) (*Action, error) {
	commandID := mergesFor + payment + ":"
	if refused == nil {
		return nil, nil
	}
	again := strings.HasPrefix(refused.CommandID, commandID)
	if !again && refused.CommandID != payment || again && refused.LostRace() {
		return nil, nil
	}
	if purse == Holdings {
		return mergeHoldings(v, w, commandID, again, refused)
	}
	found, err := coinFunds(v, w.User)
	if err != nil || len(found.inputs) < 2 || !again && !found.hasElsewhere(refused.Fault) {
		return nil, err
	}
	context, open, err := PaymentContext(v)
	if err != nil || !open {
		return nil, err
	}
	return WalletAction(v, w, commandID+Short(found.inputs[0].ID), "WalletAppInstall_ExecuteBatch",
		walletapp.InstallExecuteBatch{
			Context: context, Inputs: TransferInputs(found.inputs),
			Operations: []walletapp.AmuletOperation{{MergeTransferInputs: &lf.Unit{}}},
		})
}

// mergeHoldings merges by the token standard, which also takes coin with an expired lock.
func mergeHoldings(v View, w Wallet, commandID string, again bool, refused *Refusal) (*Action, error) {
	network, err := TokenNetworkOf(v)
	if err != nil {
		return nil, unlessMissing(err)
	}
	found, err := tokenFunds(v, w.User, network.maxInputs)
	if err != nil || len(found.inputs) < 2 || !again && !found.hasElsewhere(refused.Fault) {
		return nil, err
	}
	call, err := network.merge(v, w.User, found.inputs)
	if err != nil {
		return nil, err
	}
	return WalletAction(v, w, commandID+Short(found.inputs[0].ID), "WalletAppInstall_TransferFactory_Transfer",
		walletapp.InstallTransferFactoryTransfer{TransferFactoryCid: call.FactoryCid, TransferArg: call.ChoiceArg})
}

// MergeSmallest merges an owner's smallest holdings, as many as a token standard transfer may take, because small
// holdings fill a wallet. It returns nil between rounds.
func MergeSmallest(v View, owner ledger.Party) (*tokenwallet.TransferCall, error) {
	network, err := TokenNetworkOf(v)
	if err != nil {
		return nil, unlessMissing(err)
	}
	smallest, err := unlocked(v, owner, Least, network.maxInputs)
	if err != nil {
		return nil, err
	}
	call, err := network.merge(v, owner, smallest)
	return &call, err
}

// unlessMissing drops the error of a missing network contract: planners wait for it.
func unlessMissing(err error) error {
	if _, missing := errors.AsType[*registry.NotFoundError](err); missing {
		return nil
	}
	return err
}

// LostRace reports whether another transaction consumed a contract of the command after the decision, or the decision
// is too old.
func (r *Refusal) LostRace() bool {
	return fault.NotSequencedTimeout.Matches(r.Fault) || fault.ContractNotFound.Matches(r.Fault) ||
		fault.LocalVerdictInactiveContracts.Matches(r.Fault)
}

// hasElsewhere reports whether a payment was refused for lack of coin that the wallet has beyond the inputs of one
// payment.
func (f funds) hasElsewhere(refusal *fault.Fault) bool {
	if !fault.DamlFailure.Matches(refusal) || refusal.Context["error_id"] != InsufficientFunds {
		return false
	}
	missing, err := decimal.Parse(refusal.Context["requiredAmount"])
	if err != nil {
		return false // the refusal has no amount
	}
	input, err := total(f.inputs)
	if err != nil {
		return false
	}
	rest, err := f.all.Sub(input)
	return err == nil && rest.Cmp(missing) >= 0
}

// TokenNetwork are the contracts that a token standard transfer refers to.
type TokenNetwork struct {
	registry.Network

	// maxInputs limits the inputs of a transfer that refers to the configuration state.
	maxInputs int
}

// TokenNetworkOf reads them. A [registry.NotFoundError] names a missing one, such as an open round.
func TokenNetworkOf(v View) (n TokenNetwork, err error) {
	var all []ledger.Contract
	for _, nameOf := range []func(*ledger.Packages) (lf.TypeName, error){
		ledger.TemplateName[coin.AmuletRules], ledger.TemplateName[coin.ExternalPartyAmuletRules],
		ledger.TemplateName[coin.OpenMiningRound], ledger.TemplateName[coin.ExternalPartyConfigState],
	} {
		name, err := nameOf(v.Packages)
		if err != nil {
			return n, err
		}
		found, err := SharedOf(v, name, MaxRounds)
		if err != nil {
			return n, err
		}
		all = append(all, found...)
	}
	if n.Network, err = registry.NetworkOf(v.Packages, all, v.Now); err != nil {
		return n, err
	}
	state, err := ledger.DecodePayload[coin.ExternalPartyConfigState](v.Packages, n.ConfigState)
	n.maxInputs = int(state.TransferConfig.MaxNumInputs)
	return n, err
}

// Inputs returns the inputs of a token standard transfer: the largest holdings, also those with expired locks, up to
// the limit.
func (n TokenNetwork) Inputs(v View, owner ledger.Party) ([]lf.CID[token.Holding], error) {
	found, err := tokenFunds(v, owner, n.maxInputs)
	return tokenInputs(found.inputs), err
}

// RequestMargin dates token standard requests back: the ledger's clock must not find them in the future.
const RequestMargin = time.Minute

// merge returns the transfer of all of the holdings' coin from their owner to itself.
func (n TokenNetwork) merge(v View, owner ledger.Party, holdings []Holding) (tokenwallet.TransferCall, error) {
	amount, err := total(holdings)
	state := lf.CID[token.AnyContract](n.ConfigState.ID)
	return tokenwallet.TransferCall{
		FactoryCid: lf.CID[token.TransferFactory](n.Factory.ID),
		ChoiceArg: token.TransferFactoryTransfer{
			ExpectedAdmin: v.Node.DSO,
			Transfer: token.Transfer{
				Sender: owner, Receiver: owner, Amount: amount,
				InstrumentID: token.InstrumentID{Admin: v.Node.DSO, ID: coin.InstrumentName},
				RequestedAt:  lf.TimestampOf(v.Now.Add(-RequestMargin)), ExecuteBefore: lf.TimestampOf(v.Now.Add(time.Hour)),
				InputHoldingCids: tokenInputs(holdings),
			},
			ExtraArgs: token.ExtraArgs{Context: token.ChoiceContext{
				Values: map[string]token.AnyValue{coin.ContextConfigState: {ContractID: &state}},
			}},
		},
	}, err
}
