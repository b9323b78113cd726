package automation

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// PollingInterval is how often the node looks whether traffic is to be bought: intervals between purchases are
// multiples of it.
const PollingInterval = 30 * time.Second

// TopUpSetting says how much traffic the node buys for itself.
type TopUpSetting struct {
	// TargetThroughput is in bytes per second; 0 buys nothing.
	TargetThroughput int64
	// MinTopupInterval is the least time between two purchases.
	MinTopupInterval time.Duration
	// Reserved is kept for purchases, in bytes.
	Reserved int64
}

// Settings show what the operator wants of the automations whose work is anybody's choice, and what they depend on
// beside contracts.
type Settings interface {
	// TopUp is how much traffic to buy; false for none.
	TopUp() (TopUpSetting, bool, error)
	// Sweep is how to sweep a wallet; false for not at all.
	Sweep(sender ledger.Party) (SweepConfig, bool, error)
	// AcceptsFrom lists the senders whose offers a wallet accepts without asking.
	AcceptsFrom(receiver ledger.Party) ([]ledger.Party, error)
	// Traffic is what the node may still send.
	Traffic() (ledger.TrafficAccount, error)
	// LastUpdate is the offset of the last transaction that a party sees; 0 without one.
	LastUpdate(party ledger.Party) (ledger.Offset, error)
}

// lowTraffic says that the node has to keep its traffic for buying more of it; "" if it has not. Actions that buy no
// traffic wait then (upstream: reserved-traffic). Where traffic is only metered nothing does.
func (s Situation) lowTraffic() (string, error) {
	if !s.LedgerSettings.EnforceTraffic {
		return "", nil
	}
	setting, ok, err := s.Settings.TopUp()
	if err != nil || !ok || setting.TargetThroughput == 0 {
		return "", err
	}
	account, err := s.Settings.Traffic()
	if err != nil || account.Extra() > setting.Reserved {
		return "", err
	}
	return fmt.Sprintf("traffic: balance below reserved traffic amount (%d < %d)", account.Extra(), setting.Reserved), nil
}

// throughWallet makes an intent an action of the operator's, through the wallet that acts. Nil while no round is open
// that its coin could be spent in. Where it was refused for want of coin, the wallet's coin is merged first if that
// helps.
func (s Situation) throughWallet(w plan.Wallet, intent Intent) (*plan.Action, error) {
	switch {
	case intent.Offer != nil:
		return plan.WalletAction(s.View, w, intent.CommandID, "WalletAppInstall_CreateTransferOffer", *intent.Offer)
	case intent.Accept != nil:
		return plan.WalletAction(s.View, w, intent.CommandID, "WalletAppInstall_TransferOffer_Accept", *intent.Accept)
	}
	merge, err := plan.MergeFirst(s.View, w, plan.Coin, intent.CommandID, s.Refused)
	if err != nil || merge != nil {
		return merge, err
	}
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open {
		return nil, err
	}
	inputs, err := plan.Inputs(s.View, intent.Wallet)
	if err != nil {
		return nil, err
	}
	return plan.WalletAction(s.View, w, intent.CommandID, "WalletAppInstall_ExecuteBatch",
		walletapp.InstallExecuteBatch{
			Context: context, Inputs: inputs, Operations: []walletapp.AmuletOperation{*intent.Operation},
		})
}

// ofWallet makes a wallet's subject due when the wallet is opened: what was set before it counts from then on.
func ofWallet(packages *ledger.Packages) (Follow, error) {
	return Following(packages, func(install plan.Contract[walletapp.WalletAppInstall], _ time.Time) []Due {
		return []Due{{Subject: string(install.Payload.EndUserParty)}}
	})
}
