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

// Purse is what a payment takes of a wallet.
type Purse int

const (
	// Coin is coin that is not locked.
	Coin Purse = iota
	// Holdings are those of the token standard: also coin whose lock is over.
	Holdings
)

// mergesFor is how the command ids of merges begin.
const mergesFor = "merge-for-"

// IsMergeFirst reports whether a command is one of [MergeFirst].
func IsMergeFirst(commandID string) bool { return strings.HasPrefix(commandID, mergesFor) }

// MergeFirst makes one coin of the largest that a payment can take, after one was refused for want of coin, if the
// wallet has what is missing in further coins; nil if it has not. So the payment can be tried with more the next time,
// however much coin of little worth others have sent. A merge that was refused is made again, unless another one was
// first: that may have made what the payment needs.
func MergeFirst(v View, w Wallet, purse Purse, payment string, refused *Refused) (*Action, error) {
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
	if err != nil || len(found.taken) < 2 || !again && !found.hasElsewhere(refused.Fault) {
		return nil, err
	}
	context, open, err := PaymentContext(v)
	if err != nil || !open {
		return nil, err
	}
	return WalletAction(v, w, commandID+Short(found.taken[0].ID), "WalletAppInstall_ExecuteBatch",
		walletapp.InstallExecuteBatch{
			Context: context, Inputs: TransferInputs(found.taken),
			Operations: []walletapp.AmuletOperation{{MergeTransferInputs: &lf.Unit{}}},
		})
}

// mergeHoldings merges by the token standard, which unlocks coin whose lock is over.
func mergeHoldings(v View, w Wallet, commandID string, again bool, refused *Refused) (*Action, error) {
	network, err := TokenNetworkOf(v)
	if err != nil {
		return nil, unlessMissing(err)
	}
	found, err := tokenFunds(v, w.User, network.maxInputs)
	if err != nil || len(found.taken) < 2 || !again && !found.hasElsewhere(refused.Fault) {
		return nil, err
	}
	call, err := network.merge(v, w.User, found.taken)
	if err != nil {
		return nil, err
	}
	return WalletAction(v, w, commandID+Short(found.taken[0].ID), "WalletAppInstall_TransferFactory_Transfer",
		walletapp.InstallTransferFactoryTransfer{TransferFactoryCid: call.FactoryCid, TransferArg: call.ChoiceArg})
}

// MergeSmallest makes one holding of the smallest that an owner has, as many as a transfer by the token standard may
// take: those are what fills a wallet. It is nil between rounds.
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

// unlessMissing leaves out that a contract is missing that transfers refer to: planners wait for it.
func unlessMissing(err error) error {
	if _, missing := errors.AsType[*registry.NotFoundError](err); missing {
		return nil
	}
	return err
}

// LostRace reports whether a contract that the command needs was consumed after the command was decided on, or the
// command was decided on too long ago.
func (r *Refused) LostRace() bool {
	return fault.NotSequencedTimeout.Matches(r.Fault) || fault.ContractNotFound.Matches(r.Fault) ||
		fault.LocalVerdictInactiveContracts.Matches(r.Fault)
}

// hasElsewhere reports whether a payment was refused for want of coin that the wallet has beyond one payment's inputs.
func (f funds) hasElsewhere(refusal *fault.Fault) bool {
	if !fault.DamlFailure.Matches(refusal) || refusal.Context["error_id"] != InsufficientFunds {
		return false
	}
	missing, err := decimal.Parse(refusal.Context["requiredAmount"])
	if err != nil {
		return false // it does not say how much: nothing can be told
	}
	taken, err := total(f.taken)
	if err != nil {
		return false
	}
	rest, err := f.all.Sub(taken)
	return err == nil && rest.Cmp(missing) >= 0
}

// TokenNetwork are the contracts that transfers by the token standard refer to.
type TokenNetwork struct {
	registry.Network

	// maxInputs is how many inputs a transfer may have that refers to the configuration state.
	maxInputs int
}

// TokenNetworkOf finds them. A [registry.NotFoundError] names the one that is missing, such as an open round.
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

// Inputs are the holdings that a transfer by the token standard takes: the largest, also those whose lock is over, as
// many as it may have.
func (n TokenNetwork) Inputs(v View, owner ledger.Party) ([]lf.CID[token.Holding], error) {
	found, err := tokenFunds(v, owner, n.maxInputs)
	return tokenInputs(found.taken), err
}

// RequestMargin is how far in the past requests by the token standard are dated: they must not be of the future, which
// the ledger's clock decides.
const RequestMargin = time.Minute

// merge is the transfer of all that some holdings are worth from their owner to itself.
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
