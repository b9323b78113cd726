package lifecycle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/plan"
)

const (
	day      = 24 * time.Hour
	patience = plan.ExpiryPatience
)

// decision is the expected step.
type decision struct {
	// does is the prefix of the command id, before the colon; "" for no action.
	does string
	// after is the time until the next look; 0 if only a change of the contracts leads to one.
	after    time.Duration
	waitsFor string
}

// require compares a step. The ledger must accept its action, which must end or change the contract.
func (d decision) require(w *world, step plan.Step, changed ledger.ContractID) {
	w.t.Helper()
	require.Equal(w.t, d.waitsFor, step.WaitsFor)
	if d.after != 0 {
		require.Equal(w.t, d.after, step.Until.Sub(w.Now))
	} else {
		require.Zero(w.t, step.Until)
	}
	if d.does == "" {
		require.Nil(w.t, step.Action)
		return
	}
	require.NotNil(w.t, step.Action)
	kind, _, _ := strings.Cut(step.Action.CommandID, ":")
	require.Equal(w.t, d.does, kind)
	w.act(step)
	require.NotContains(w.t, w.Active, changed)
}

// betweenRounds leaves the world without an open round.
func (w *world) betweenRounds() {
	for _, round := range w.Rounds {
		delete(w.Active, ledger.ContractID(round))
	}
}

func (w *world) install(user ledger.Party) {
	cointest.Create(w.Network, walletapp.WalletAppInstall{
		DSOParty: cointest.DSO, ValidatorParty: cointest.Operator, EndUserName: string(user), EndUserParty: user,
	}, user, cointest.Operator)
}

func TestPreapproval_PlansItsSteps(t *testing.T) {
	t.Parallel()
	type preapproval struct {
		provider ledger.Party
		lasts    time.Duration
	}
	for name, c := range map[string]struct {
		preapprovals  []preapproval
		betweenRounds bool
		want          decision
	}{
		"the operator renews a microsecond into the window": {
			preapprovals: []preapproval{{cointest.Operator, 90 * day}},
			want:         decision{after: 60*day + time.Microsecond, waitsFor: "renewal"},
		},
		"the window has not begun while thirty days are left": {
			preapprovals: []preapproval{{cointest.Operator, 30 * day}},
			want:         decision{after: time.Microsecond, waitsFor: "renewal"},
		},
		"the operator renews within the window": {
			preapprovals: []preapproval{{cointest.Operator, 30*day - time.Microsecond}},
			want:         decision{does: "renew-preapproval", after: 30*day - time.Microsecond + patience, waitsFor: "expiry"},
		},
		"without a round it looks again soon": {
			preapprovals: []preapproval{{cointest.Operator, 10 * day}}, betweenRounds: true,
			want: decision{after: time.Minute, waitsFor: "an open round"},
		},
		"without a round expiry comes first": {
			preapprovals: []preapproval{{cointest.Operator, time.Second}}, betweenRounds: true,
			want: decision{after: time.Second + patience, waitsFor: "an open round"},
		},
		"other providers renew their own": {
			preapprovals: []preapproval{{cointest.Bob, 10 * day}},
			want:         decision{after: 10*day + patience, waitsFor: "expiry"},
		},
		"the node archives an expired one of any provider": {
			preapprovals: []preapproval{{cointest.Bob, -patience}, {cointest.Operator, 90 * day}},
			want:         decision{does: "expire-preapproval", waitsFor: "archival after expiry"},
		},
		"an expired one waits for a while, without renewal": {
			preapprovals: []preapproval{{cointest.Operator, 0}}, want: decision{after: patience, waitsFor: "expiry"},
		},
		"the operator renews the longest of several": {
			preapprovals: []preapproval{{cointest.Operator, 29 * day}, {cointest.Operator, 20 * day}},
			want:         decision{does: "renew-preapproval", after: 20*day + patience, waitsFor: "expiry"},
		},
		"the shorter ones of several end": {
			preapprovals: []preapproval{{cointest.Operator, 5 * day}, {cointest.Operator, 90 * day}},
			want:         decision{after: 5*day + patience, waitsFor: "expiry"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Tap(cointest.Operator, "1000")
			var ids []ledger.ContractID
			for _, p := range c.preapprovals {
				ids = append(ids, ledger.ContractID(cointest.Create(w.Network, coin.TransferPreapproval{
					DSO: cointest.DSO, Receiver: cointest.Alice, Provider: p.provider,
					ValidFrom: w.At(-day), LastRenewedAt: w.At(-day),
					ExpiresAt: lf.TimestampOf(w.Now.Add(p.lasts)),
				}, cointest.DSO, cointest.Alice, p.provider)))
			}
			if c.betweenRounds {
				w.betweenRounds()
			}
			c.want.require(w, w.plan(lifecycle.KeepPreapproval, ids...), ids[0])
			if c.want.does == "renew-preapproval" {
				longest := c.preapprovals[0].lasts + plan.PreapprovalLifetime
				var ends []time.Duration
				for _, renewed := range cointest.All[coin.TransferPreapproval](w.Network) {
					ends = append(ends, renewed.ExpiresAt.Time().Sub(w.Now))
				}
				require.Contains(t, ends, longest)
			}
		})
	}
}

func TestOffer_PlansItsSteps(t *testing.T) {
	t.Parallel()
	const open, archival = "the receiver to accept or reject, or expiry", "archival after expiry"
	const nobody, completion = "a wallet of the sender or the receiver to archive it",
		"completion by the sender's wallet, or expiry"
	for name, c := range map[string]struct {
		accepted      bool
		lasts         time.Duration
		wallets       []ledger.Party
		betweenRounds bool
		want          decision
	}{
		"an offer waits":                     {lasts: time.Hour, want: decision{after: time.Hour + patience, waitsFor: open}},
		"an expired offer waits for a while": {want: decision{after: patience, waitsFor: open}},
		"an offer waits to its last microsecond": {
			lasts: time.Microsecond, want: decision{after: time.Microsecond + patience, waitsFor: open},
		},
		"parties of other nodes end their own offers": {lasts: -patience, want: decision{after: day, waitsFor: nobody}},
		"the sender's wallet ends it": {
			lasts: -patience, wallets: []ledger.Party{cointest.Alice}, want: decision{does: "expire-offer", waitsFor: archival},
		},
		"the receiver's wallet ends it": {
			lasts: -patience, wallets: []ledger.Party{cointest.Bob}, want: decision{does: "expire-offer", waitsFor: archival},
		},
		"once accepted the sender pays": {
			accepted: true, lasts: time.Hour, wallets: []ledger.Party{cointest.Alice},
			want: decision{does: "complete-offer", after: time.Hour, waitsFor: completion},
		},
		"without a wallet nobody pays": {
			accepted: true, lasts: time.Hour, wallets: []ledger.Party{cointest.Bob},
			want: decision{after: time.Hour, waitsFor: completion},
		},
		"without a round nobody pays yet": {
			accepted: true, lasts: time.Hour, wallets: []ledger.Party{cointest.Alice}, betweenRounds: true,
			want: decision{after: time.Minute, waitsFor: "an open round"},
		},
		"an expired accepted offer waits for a while": {
			accepted: true, wallets: []ledger.Party{cointest.Alice}, want: decision{after: patience, waitsFor: archival},
		},
		"an expired accepted offer ends": {
			accepted: true, lasts: -patience, wallets: []ledger.Party{cointest.Bob},
			want: decision{does: "expire-offer", waitsFor: archival},
		},
		"an expired accepted offer waits for a wallet": {
			accepted: true, lasts: -patience, want: decision{after: day, waitsFor: nobody},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Tap(cointest.Alice, "100")
			for _, user := range c.wallets {
				w.install(user)
			}
			id := w.offer(c.accepted, c.lasts)
			if c.betweenRounds {
				w.betweenRounds()
			}
			c.want.require(w, w.plan(lifecycle.TwoStepTransfer, id), id)
		})
	}
}

// offer creates an offer of ten coins from alice to bob, accepted or not, with a lifetime.
func (w *world) offer(accepted bool, lasts time.Duration) ledger.ContractID {
	ten := payments.PaymentAmount{Amount: decimal.MustParse("10"), Unit: payments.AmuletUnit}
	expires := lf.TimestampOf(w.Now.Add(lasts))
	if accepted {
		return ledger.ContractID(cointest.Create(w.Network, walletapp.AcceptedTransferOffer{
			Sender: cointest.Alice, Receiver: cointest.Bob, DSO: cointest.DSO, TrackingID: "1", Amount: ten, ExpiresAt: expires,
		}, cointest.Alice, cointest.Bob))
	}
	return ledger.ContractID(cointest.Create(w.Network, walletapp.TransferOffer{
		Sender: cointest.Alice, Receiver: cointest.Bob, DSO: cointest.DSO, TrackingID: "1", Amount: ten, ExpiresAt: expires,
	}, cointest.Alice))
}

func TestOffer_SharesAWorkflowByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	late, early := w.offer(false, 2*time.Hour), w.offer(false, time.Hour)
	step := w.plan(lifecycle.TwoStepTransfer, late, early)
	require.Nil(t, step.Action)
	require.Equal(t, w.Now.Add(time.Hour+patience), step.Until)
	w.install(cointest.Alice)
	w.Advance(time.Hour + patience)
	w.act(w.plan(lifecycle.TwoStepTransfer, late, early))
	require.NotContains(t, w.Active, early)
	require.Contains(t, w.Active, late)
}

func TestInstruction_PlansItsSteps(t *testing.T) {
	t.Parallel()
	for name, spent := range map[string]bool{"with its lock": false, "whose lock was spent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ends := lf.TimestampOf(w.Now.Add(time.Hour))
			locked := cointest.Create(w.Network, coin.LockedAmulet{
				Amulet: coin.Amulet{
					DSO: cointest.DSO, Owner: cointest.Alice, Amount: expiring(decimal.MustParse("10"), "0.0001"),
				},
				Lock: coin.TimeLock{Holders: []ledger.Party{cointest.DSO}, ExpiresAt: ends},
			}, cointest.DSO, cointest.Alice)
			id := ledger.ContractID(cointest.Create(w.Network, coin.AmuletTransferInstruction{
				LockedAmulet: locked,
				Transfer: token.Transfer{
					Sender: cointest.Alice, Receiver: cointest.Bob, Amount: decimal.MustParse("10"),
					InstrumentID: token.InstrumentID{Admin: cointest.DSO, ID: coin.InstrumentName},
					RequestedAt:  lf.TimestampOf(w.Now), ExecuteBefore: ends, InputHoldingCids: []lf.CID[token.Holding]{
						lf.CID[token.Holding](locked),
					},
				},
			}, cointest.DSO, cointest.Alice))
			decision{after: time.Hour + patience, waitsFor: "the receiver to accept or reject, or expiry"}.require(
				w, w.plan(lifecycle.TwoStepTransfer, id), id)
			w.Advance(time.Hour + patience)
			if spent {
				delete(w.Active, ledger.ContractID(locked))
			}
			decision{does: "expire-transfer", waitsFor: "archival after expiry"}.require(
				w, w.plan(lifecycle.TwoStepTransfer, id), id)
			require.Empty(t, cointest.All[coin.LockedAmulet](w.Network))
		})
	}
}

func TestTrafficRequest_PlansItsSteps(t *testing.T) {
	t.Parallel()
	const purchase = "the purchase, or expiry"
	failure := func(id string, facts ...string) *fault.Fault {
		context := map[string]string{}
		for i := 0; i < len(facts); i += 2 {
			context[facts[i]] = facts[i+1]
		}
		return fault.UserFailure(fault.InvalidGivenCurrentSystemStateOther, id, "refused", context)
	}
	for name, c := range map[string]struct {
		lasts                   time.Duration
		noWallet, betweenRounds bool
		refused                 *fault.Fault
		want                    decision
	}{
		"the wallet buys": {
			lasts: time.Hour, want: decision{does: "complete-traffic-request", after: time.Hour, waitsFor: purchase},
		},
		"without a wallet nobody buys": {
			lasts: time.Hour, noWallet: true,
			want: decision{after: day, waitsFor: "a wallet of the user to buy with, or to archive it"},
		},
		"without a round nobody buys yet": {
			lasts: time.Hour, betweenRounds: true, want: decision{after: time.Minute, waitsFor: "an open round"},
		},
		"an expired one waits for a while": {
			want: decision{after: patience, waitsFor: "archival after expiry"},
		},
		"an expired one ends": {
			lasts: -patience, want: decision{does: "expire-traffic-request", waitsFor: "archival after expiry"},
		},
		"without enough coin the node gives it up": {
			lasts: time.Hour, refused: failure(cointest.NoFunds, "requiredAmount", "1000000.0"),
			want: decision{does: "cancel-traffic-request", after: time.Hour, waitsFor: purchase},
		},
		"the node gives up too small a purchase": {
			lasts: time.Hour, refused: failure("splice.lfdecentralizedtrust.org/insufficient-topup-amount"),
			want: decision{does: "cancel-traffic-request", after: time.Hour, waitsFor: purchase},
		},
		"the node gives up a purchase for another synchronizer": {
			lasts: time.Hour, refused: failure("splice.lfdecentralizedtrust.org/unknown-synchronizer"),
			want: decision{does: "cancel-traffic-request", after: time.Hour, waitsFor: purchase},
		},
		"after other refusals the node tries again": {
			lasts: time.Hour, refused: failure(cointest.TooEarly),
			want: decision{does: "complete-traffic-request", after: time.Hour, waitsFor: purchase},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Tap(cointest.Alice, "100000")
			if !c.noWallet {
				w.install(cointest.Alice)
			}
			id := ledger.ContractID(cointest.Create(w.Network, walletapp.BuyTrafficRequest{
				DSO: cointest.DSO, EndUserParty: cointest.Alice, ExpiresAt: lf.TimestampOf(w.Now.Add(c.lasts)), TrackingID: "1",
				TrafficAmount: 1_000_000, MemberID: "PAR::participant::1220", SynchronizerID: cointest.Synchronizer,
			}, cointest.Alice))
			if c.betweenRounds {
				w.betweenRounds()
			}
			var refused *plan.Refusal
			if c.refused != nil {
				refused = &plan.Refusal{CommandID: "complete-traffic-request:" + plan.Short(id), Fault: c.refused}
			}
			c.want.require(w, w.planAfter(lifecycle.BuyTraffic, refused, id), id)
		})
	}
}

func TestTransferCommand_PlansItsSteps(t *testing.T) {
	t.Parallel()
	const none = -1
	for name, c := range map[string]struct {
		delegate      ledger.Party
		counter       int64
		nonce         int64
		lasts         time.Duration
		betweenRounds bool
		want          decision
	}{
		"the first one starts the counter": {
			cointest.Operator, none, 0, time.Hour, false,
			decision{does: "count-transfer-commands", after: time.Hour, waitsFor: "its delegate, or expiry"},
		},
		"the node sends the next one": {
			cointest.Operator, 3, 3, time.Hour, false,
			decision{does: "send-transfer-command", after: time.Hour, waitsFor: "its execution, or expiry"},
		},
		"the node sends one with a used nonce, which fails": {
			cointest.Operator, 3, 2, time.Hour, false,
			decision{does: "send-transfer-command", after: time.Hour, waitsFor: "its execution, or expiry"},
		},
		"a later one waits for those before": {
			cointest.Operator, 3, 8, time.Hour, false, decision{after: time.Hour, waitsFor: "its delegate, or expiry"},
		},
		"other delegates send their own": {
			cointest.Bob, 3, 3, time.Hour, false, decision{after: time.Hour, waitsFor: "its delegate, or expiry"},
		},
		"without a round it waits": {
			cointest.Operator, 3, 3, time.Hour, true, decision{after: time.Minute, waitsFor: "an open round"},
		},
		"an expired one waits for a while": {
			cointest.Operator, 3, 3, 0, false, decision{after: patience, waitsFor: "archival after expiry"},
		},
		"an expired one of any delegate ends": {
			cointest.Bob, 3, 3, -patience, false,
			decision{does: "expire-transfer-command", waitsFor: "archival after expiry"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Tap(cointest.Alice, "100")
			id := ledger.ContractID(cointest.Create(w.Network, coin.TransferCommand{
				DSO: cointest.DSO, Sender: cointest.Alice, Receiver: cointest.Bob, Delegate: c.delegate,
				Amount: decimal.MustParse("10"), ExpiresAt: lf.TimestampOf(w.Now.Add(c.lasts)), Nonce: c.nonce,
			}, cointest.DSO, cointest.Alice))
			changed := id
			if c.counter != none {
				cointest.Create(w.Network, coin.TransferCommandCounter{
					DSO: cointest.DSO, Sender: cointest.Alice, NextNonce: c.counter,
				}, cointest.DSO)
			} else {
				changed = "" // the command stays, and the counter comes
			}
			if c.betweenRounds {
				w.betweenRounds()
			}
			c.want.require(w, w.plan(lifecycle.RunTransferCommands, id), changed)
			if c.counter == none {
				require.Len(t, cointest.All[coin.TransferCommandCounter](w.Network), 1)
			}
		})
	}
}

func TestTransferCommand_ExpiredOnesEndTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var expired []ledger.ContractID
	for range 3 {
		expired = append(expired, w.command(-patience))
	}
	justNow := w.command(-time.Second)
	step := w.plan(lifecycle.RunTransferCommands, append(slices.Clone(expired), justNow)...)
	require.NotNil(t, step.Action)
	require.Contains(t, step.Action.CommandID, "expire-transfer-command:")
	var ended []ledger.ContractID
	for _, command := range step.Action.Commands {
		ended = append(ended, command.Exercise.Contract)
	}
	require.ElementsMatch(t, expired, ended)
}

// Expired commands do not block others of their nonce, and refused commands do not block the end of expired ones.
func TestTransferCommand_ExpiredOneBlocksNoOther(t *testing.T) {
	t.Parallel()
	for name, ago := range map[string]time.Duration{"a moment ago": 0, "some time ago": patience} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Tap(cointest.Alice, "100")
			expired, open := w.command(-ago), w.command(time.Second)
			cointest.Create(w.Network, coin.TransferCommandCounter{DSO: cointest.DSO, Sender: cointest.Alice}, cointest.DSO)
			step := w.plan(lifecycle.RunTransferCommands, expired, open)
			require.NotNil(t, step.Action)
			require.Contains(t, step.Action.CommandID, "send-transfer-command:")

			refused := &plan.Refusal{CommandID: step.Action.CommandID, Fault: fault.ContractNotFound.New("refused")}
			after := w.planAfter(lifecycle.RunTransferCommands, refused, expired, open)
			if ago == 0 {
				require.Equal(t, step.Action.CommandID, after.Action.CommandID)
				require.Equal(t, w.Now.Add(time.Second), after.Until)
				return
			}
			require.Contains(t, after.Action.CommandID, "expire-transfer-command:")

			w.act(step)
			require.NotContains(t, w.Active, open)
			decision{does: "expire-transfer-command", waitsFor: "archival after expiry"}.
				require(w, w.plan(lifecycle.RunTransferCommands, expired), expired)
		})
	}
}

// command creates a transfer command from alice to bob for the operator.
func (w *world) command(lasts time.Duration) ledger.ContractID {
	return ledger.ContractID(cointest.Create(w.Network, coin.TransferCommand{
		DSO: cointest.DSO, Sender: cointest.Alice, Receiver: cointest.Bob, Delegate: cointest.Operator,
		Amount: decimal.MustParse("10"), ExpiresAt: lf.TimestampOf(w.Now.Add(lasts)),
	}, cointest.DSO, cointest.Alice))
}
