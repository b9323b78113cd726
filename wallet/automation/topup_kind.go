package automation

import (
	"fmt"
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// KindTopUp is the automation that buys traffic.
const KindTopUp = "top-up"

// NewTopUp buys traffic for the node when little is left, with the operator's coin (upstream: traffic top-up).
func NewTopUp() Automation {
	return Automation{
		Kind: KindTopUp, Summary: "Buys traffic for the node when little is left, with the operator's coin.",
		Standing: []string{network}, Plan: planTopUp,
	}
}

func planTopUp(s Situation) (plan.Step, error) {
	setting, ok, err := s.Settings.TopUp()
	if err != nil || !ok || setting.TargetThroughput == 0 {
		return plan.Step{}, err // a change of the setting makes it due again
	}
	wait := func(what string) (plan.Step, error) {
		return plan.Step{Until: s.Now.Add(PollingInterval), WaitsFor: what}, nil
	}
	n, open, err := plan.NetworkOf(s.View)
	if err != nil {
		return plan.Step{}, err
	}
	wallet, installed, err := plan.WalletOf(s.View, s.Node.Operator)
	switch {
	case err != nil:
		return plan.Step{}, err
	case !open:
		return wait("an open round of the coin")
	case !installed:
		return wait("a wallet of the operator, which pays for traffic")
	}
	purchase, err := TopUpConfig{
		TargetThroughput: setting.TargetThroughput, MinTopupInterval: setting.MinTopupInterval,
		PollingInterval: PollingInterval, MinTopupAmount: minTopupAmount(n.Rules.Payload),
	}.Purchase()
	if err != nil {
		return s.trouble(err.Error())
	}
	state, found, err := topUpState(s.View)
	if err != nil || !found {
		action, err := createTopUpState(s.View)
		return plan.Step{Action: action, Until: s.Now.Add(PollingInterval), WaitsFor: "the state of purchases"}, err
	}
	price, err := n.Rules.Payload.TrafficCost(n.Latest.Payload, purchase.Bytes)
	if err != nil {
		return s.trouble(err.Error())
	}
	return s.topUp(wallet, TrafficState{
		Operator: s.Node.Operator, StateID: state.ID, State: state.Payload, Price: price,
		IsDevNet: n.Rules.Payload.IsDevNet, Now: s.Now,
	}, purchase)
}

// topUp buys traffic, or waits until a purchase may be due.
func (s Situation) topUp(wallet plan.Wallet, state TrafficState, purchase TopUp) (plan.Step, error) {
	account, err := s.Settings.Traffic()
	if err != nil {
		return plan.Step{}, err
	}
	state.Remaining = account.Extra()
	if state.Balance, err = plan.UnlockedBalance(s.View, s.Node.Operator); err != nil {
		return plan.Step{}, err
	}
	intent, due, short := state.TopUp(purchase)
	if short {
		return s.trouble(fmt.Sprintf("%d bytes of traffic cost %s CC, but the operator %s has only %s CC: "+
			"send it coin", purchase.Bytes, state.Price.Show(), s.Node.Operator, state.Balance.Show()))
	}
	next := state.State.LastPurchasedAt.Time().Add(purchase.Interval)
	step := plan.Step{
		Until:    s.Now.Add(PollingInterval),
		WaitsFor: fmt.Sprintf("extra traffic below %d bytes", purchase.Bytes),
	}
	if !due {
		if next.After(step.Until) {
			step.Until = next
		}
		return step, nil
	}
	step.Action, err = s.throughWallet(wallet, intent)
	return step, err
}

// minTopupAmount is the network's least purchase, in bytes.
func minTopupAmount(rules coin.AmuletRules) int64 {
	return rules.ConfigSchedule.InitialValue.DecentralizedSynchronizer.Fees.MinTopupAmount
}

// topUpState finds the contract that records the node's last purchase.
func topUpState(v plan.View) (found plan.Contract[walletapp.ValidatorTopUpState], ok bool, err error) {
	const limit = 100
	states, err := plan.Held[walletapp.ValidatorTopUpState](v, plan.Validator, v.Node.Operator, plan.First, limit)
	own := newTopUpState(v.Node)
	i := slices.IndexFunc(states, func(c plan.Contract[walletapp.ValidatorTopUpState]) bool {
		state := c.Payload
		state.LastPurchasedAt = own.LastPurchasedAt
		return state == own
	})
	if i < 0 {
		return found, false, err
	}
	return states[i], true, err
}

func newTopUpState(node ledger.Node) walletapp.ValidatorTopUpState {
	return walletapp.NewTopUpState(node.DSO, node.Operator, coin.MemberOf(node.ParticipantID), node.SynchronizerID)
}

// createTopUpState creates the contract before the first purchase.
func createTopUpState(v plan.View) (*plan.Action, error) {
	state := newTopUpState(v.Node)
	name, err := ledger.TemplateName[walletapp.ValidatorTopUpState](v.Packages)
	if err != nil {
		return nil, err
	}
	payload, err := ledger.Encode(v.Packages, state)
	return &plan.Action{
		CommandID: commandID("create-top-up-state", state.MemberID, state.SynchronizerID, state.MigrationID),
		ActAs:     []ledger.Party{v.Node.Operator},
		Commands:  []ledger.Command{{Create: &ledger.CreateCommand{Template: name, Argument: payload}}},
	}, err
}

// trouble shows the operator a problem that no submission solves, and looks again later.
func (s Situation) trouble(what string) (plan.Step, error) {
	return plan.Step{Until: s.Now.Add(PollingInterval), WaitsFor: what, Trouble: what}, nil
}
