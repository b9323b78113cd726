package activities

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/settings"
)

// setting reads the setting of a kind and a party; false without one.
func setting[T any](t *automationTurn, kind settings.Kind, party ledger.Party) (value T, ok bool, err error) {
	stored, err := t.tx.AutomationSetting(t.ctx, string(kind), party)
	if err != nil || stored.Value() == nil {
		return value, false, t.note(err)
	}
	if err := json.Unmarshal(stored.Value(), &value); err != nil {
		return value, false, fmt.Errorf("read the setting %s of %q: %w", kind, party, err)
	}
	return value, true, nil
}

// TopUp implements [automation.Settings]. It is the same for all subjects of a turn.
func (t *automationTurn) TopUp() (automation.TopUpSetting, bool, error) {
	if t.topUp == nil {
		topUp, ok, err := setting[settings.TopUp](t, settings.KindTopUp, "")
		if err != nil {
			return automation.TopUpSetting{}, false, err
		}
		t.topUp = &topUpOrNone{ok: ok, TopUpSetting: automation.TopUpSetting{
			TargetThroughput: topUp.TargetThroughput, MinTopupInterval: time.Duration(topUp.MinTopupInterval),
			Reserved: topUp.ReservedTraffic,
		}}
	}
	return t.topUp.TopUpSetting, t.topUp.ok, nil
}

type topUpOrNone struct {
	automation.TopUpSetting

	ok bool
}

// Sweep implements [automation.Settings].
func (t *automationTurn) Sweep(sender ledger.Party) (automation.SweepConfig, bool, error) {
	sweep, ok, err := setting[settings.Sweep](t, settings.KindSweep, sender)
	return sweep.Config(), ok, err
}

// AcceptsFrom implements [automation.Settings].
func (t *automationTurn) AcceptsFrom(receiver ledger.Party) ([]ledger.Party, error) {
	accept, _, err := setting[settings.AutoAccept](t, settings.KindAutoAccept, receiver)
	return accept.FromParties, err
}

// Traffic implements [automation.Settings].
func (t *automationTurn) Traffic() (ledger.TrafficAccount, error) {
	head, err := t.tx.Head(t.ctx)
	return head.Traffic, t.note(err)
}

// LastUpdate implements [automation.Settings].
func (t *automationTurn) LastUpdate(party ledger.Party) (ledger.Offset, error) {
	last, err := t.tx.LastUpdateOf(t.ctx, party)
	return last, t.note(err)
}
