package automation

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// PollingInterval is the interval at which the node checks its traffic. Intervals between purchases are multiples of
// it.
const PollingInterval = 30 * time.Second

// TopUpSetting configures the traffic that the node buys for itself.
type TopUpSetting struct {
	// TargetThroughput is in bytes per second; 0 buys nothing.
	TargetThroughput int64
	// MinTopupInterval is the least time between two purchases.
	MinTopupInterval time.Duration
	// Reserved are the bytes that the node keeps for purchases.
	Reserved int64
}

// Settings are the operator's settings for automations, and their inputs that are not contracts.
type Settings interface {
	// TopUp returns the top-up setting; false for none.
	TopUp() (TopUpSetting, bool, error)
	// Sweep returns the sweep setting of a wallet; false for none.
	Sweep(sender ledger.Party) (SweepConfig, bool, error)
	// AcceptsFrom lists the senders whose offers a wallet accepts by itself.
	AcceptsFrom(receiver ledger.Party) ([]ledger.Party, error)
	// Traffic returns the rest of the node's traffic.
	Traffic() (ledger.TrafficAccount, error)
	// LastUpdate returns the offset of the last transaction that a party sees; 0 without one.
	LastUpdate(party ledger.Party) (ledger.Offset, error)
}

// lowTraffic says why the node keeps its traffic for the purchase of more; "" if it has enough. Other actions wait then
// (upstream: reserved-traffic). A node whose traffic is only metered never waits.
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

// throughWallet turns an intent into an action of the operator through the wallet. It returns nil without an open
// round. After a refusal for lack of coin, it first merges the wallet's coin if that helps.
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

// ofWallet makes the subject of a new wallet due: settings may be older than the wallet.
func ofWallet(packages *ledger.Packages) (Follow, error) {
	return Following(packages, func(install plan.Contract[walletapp.WalletAppInstall], _ time.Time) []Due {
		return []Due{{Subject: string(install.Payload.EndUserParty)}}
	})
}
