package lifecycle

import (
	"strings"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// mergeFirst makes one coin of the largest that a transfer can take, after a payment lacked coin, if the wallet has
// what is missing in further coins; nil if it has not. So the payment is tried with more the next time, however much
// coin of little worth others have sent.
func (r *Registry) mergeFirst(s Situation, w plan.Wallet, payment string) (*plan.Action, error) {
	commandID := "merge-for-" + payment + ":"
	if s.Refused == nil {
		return nil, nil //nolint:nilnil // as the comment above says
	}
	if !strings.HasPrefix(s.Refused.CommandID, commandID) { // or else the merge itself is tried again
		if s.Refused.CommandID != payment {
			return nil, nil //nolint:nilnil // as the comment above says
		}
		if has, err := r.hasElsewhere(s, w); err != nil || !has {
			return nil, err
		}
	}
	context, open, err := plan.PaymentContext(r.view(s))
	if err != nil || !open {
		return nil, err
	}
	inputs, err := plan.Inputs(r.view(s), w.User)
	if err != nil || len(inputs) < plan.MaxInputs {
		return nil, err
	}
	return plan.WalletAction(r.view(s), w, commandID+plan.Short(inputs[0].Amulet.ID()),
		"WalletAppInstall_ExecuteBatch", walletapp.InstallExecuteBatch{
			Context: context, Inputs: inputs, Operations: []walletapp.AmuletOperation{{MergeTransferInputs: &lf.Unit{}}},
		})
}

// hasElsewhere reports whether a payment was refused for want of coin that the wallet has beyond one transfer's inputs.
func (r *Registry) hasElsewhere(s Situation, w plan.Wallet) (bool, error) {
	if !fault.DamlFailure.Matches(s.Refused.Fault) || s.Refused.Fault.Context["error_id"] != insufficientFunds {
		return false, nil
	}
	missing, err := decimal.Parse(s.Refused.Fault.Context["requiredAmount"])
	if err != nil {
		return false, nil //nolint:nilerr // it does not say how much: nothing can be told
	}
	all, err := plan.Unlocked(r.view(s), w.User)
	if err != nil {
		return false, err
	}
	taken, err := plan.Spendable(r.view(s), w.User)
	if err != nil {
		return false, err
	}
	rest, err := all.Sub(taken)
	return err == nil && rest.Cmp(missing) >= 0, err
}
