package validator

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/settings"
)

// checkReserve refuses changes while the extra traffic is below the operator's reserve for buying more, if the node
// buys traffic automatically (upstream, reserved-traffic). It never refuses a purchase of traffic. It does nothing if
// the synchronizer only meters traffic, because then nobody needs to buy any.
func (b *Base) checkReserve(ctx context.Context, c Change) error {
	if c.Urgent {
		return nil
	}
	ledgerSettings, err := b.settings.Ask(ctx)
	if err != nil || !ledgerSettings.EnforceTraffic {
		return err
	}
	setting, err := b.record.AutomationSetting(ctx, string(settings.KindTopUp), "")
	if err != nil || setting.Value() == nil {
		return err
	}
	var topUp settings.TopUp
	if err := json.Unmarshal(setting.Value(), &topUp); err != nil {
		return fault.Internal(err)
	}
	if topUp.TargetThroughput <= 0 {
		return nil
	}
	head, err := b.record.Head(ctx)
	if err != nil {
		return err
	}
	if left := head.Traffic.Extra(); left <= topUp.ReservedTraffic {
		return v0.Refuse(http.StatusTooManyRequests, "Traffic balance below reserved traffic amount (%d < %d)",
			left, topUp.ReservedTraffic)
	}
	return nil
}
