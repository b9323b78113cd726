package lifecycles_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/settings"
)

// newSettingsNode makes a node with the automations that have settings. Its rounds never advance.
func newSettingsNode(t *testing.T) *node {
	t.Helper()
	return newNodeWith(t, 10*365*day, settingsKinds)
}

// settingsKinds are the kinds of automation with settings.
func settingsKinds(n *node) []automation.Automation {
	sweeps, err := automation.NewSweeps(n.packages)
	require.NoError(n.t, err)
	accepts, err := automation.NewAutoAccept(n.packages)
	require.NoError(n.t, err)
	return []automation.Automation{automation.NewTopUp(), sweeps, accepts}
}

// set changes a setting as the operator; nil switches it off.
func (n *node) set(kind settings.Kind, party ledger.Party, value any) {
	n.t.Helper()
	var encoded []byte
	if value != nil {
		var err error
		encoded, err = json.Marshal(value)
		require.NoError(n.t, err)
	}
	_, err := n.db.ChooseAutomation(n.t.Context(), string(kind), party, encoded)
	require.NoError(n.t, err)
}

// offerNamed makes an offer with a tracking id.
func (n *node) offerNamed(trackingID string, sender, receiver ledger.Party, amount string, lasts time.Duration) {
	n.t.Helper()
	n.submit([]ledger.Party{sender}, create(n, walletapp.TransferOffer{
		Sender: sender, Receiver: receiver, DSO: n.identity.DSO, TrackingID: trackingID, Description: "test",
		Amount:    payments.PaymentAmount{Amount: decimal.MustParse(amount), Unit: payments.AmuletUnit},
		ExpiresAt: lf.TimestampOf(n.now().Add(lasts)),
	}))
}

// sweepTo is a sweep that starts above 100 US dollars and leaves 10.
func sweepTo(receiver ledger.Party) settings.Sweep {
	return settings.Sweep{
		MaxBalanceUSD: decimal.FromInt(100), MinBalanceUSD: decimal.FromInt(10), Receiver: receiver,
	}
}

// drained waits until an automation has searched the whole record and has no due task.
func (n *node) drained(kind string) {
	n.t.Helper()
	n.eventually("nothing is due of "+kind, func() bool {
		behind, err := n.db.BehindAutomations(n.t.Context(), true)
		require.NoError(n.t, err)
		due, err := n.db.DueAutomations(n.t.Context(), n.now(), true)
		require.NoError(n.t, err)
		return !slices.Contains(due, kind) && !slices.Contains(behind, kind)
	})
}

func TestSweep_OffersToTheReceiver(t *testing.T) {
	t.Parallel()
	n := newSettingsNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(alice)
	n.wallet(bob)
	n.set(settings.KindSweep, alice, sweepTo(bob))
	n.tap(alice, "20000.0") // 100 US dollars: not above the maximum
	n.drained(automation.KindSweep)
	require.Empty(t, active[walletapp.TransferOffer](n))

	n.tap(alice, "80000.0")
	n.eventually("an offer", func() bool { return len(active[walletapp.TransferOffer](n)) == 1 })
	offer := active[walletapp.TransferOffer](n)[0].Payload
	require.Equal(t, "98000.0", offer.Amount.Amount.Show(), "490 US dollars at 0.005")
	require.Equal(t, bob, offer.Receiver)
	require.Equal(t, fmt.Sprintf("Sweeping wallet funds to receiver %s.", bob), offer.Description)
	require.WithinDuration(t, n.now().Add(10*time.Minute), offer.ExpiresAt.Time(), patience)

	t.Run("not twice while the offer is open, though coin arrives", func(t *testing.T) {
		n.tap(alice, "18000.0") // 10 + 90 US dollars beside the offer
		n.drained(automation.KindSweep)
		require.Len(t, active[walletapp.TransferOffer](n), 1)
	})
	t.Run("again when the offer has expired", func(t *testing.T) {
		n.advance(11 * time.Minute)
		n.eventually("another offer", func() bool {
			open := active[walletapp.TransferOffer](n)
			return len(open) == 1 && open[0].Payload.TrackingID != offer.TrackingID
		})
		require.Equal(t, "116000.0", active[walletapp.TransferOffer](n)[0].Payload.Amount.Amount.Show())
	})
	t.Run("the receiver accepts an offer from before", func(t *testing.T) {
		n.set(settings.KindAutoAccept, bob, settings.AutoAccept{FromParties: []ledger.Party{alice}})
		n.eventually("the coin has moved", func() bool { return n.balance(bob) == "116000.0" })
		require.Equal(t, "2000.0", n.balance(alice))
	})
	require.Empty(t, n.troubles(automation.KindSweep))
}

func TestSweep_FollowsTheCoinPrice(t *testing.T) {
	t.Parallel()
	n := newNodeWith(t, 2*tick, func(n *node) []automation.Automation {
		sweeps, err := automation.NewSweeps(n.packages)
		require.NoError(t, err)
		return []automation.Automation{automation.Rounds(), sweeps} // 0.005 at first, 0.01 later
	})
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	for _, sender := range []ledger.Party{alice, carol} {
		n.wallet(sender)
		n.set(settings.KindSweep, sender, sweepTo(bob))
	}
	n.tap(alice, "15000.0")
	n.tap(carol, "5000.0")
	n.drained(automation.KindSweep)
	require.Empty(t, active[walletapp.TransferOffer](n), "75 US dollars, and 25")
	for range 5 {
		n.advance(tick)
	}
	n.drained(automation.KindSweep)
	offers := active[walletapp.TransferOffer](n)
	require.Len(t, offers, 1, "150 US dollars, and 50")
	require.Equal(t, alice, offers[0].Payload.Sender)
	require.Equal(t, "14000.0", offers[0].Payload.Amount.Amount.Show())
}

// contract: auto-accept
func TestAutoAccept_TakesConfiguredSendersOnly(t *testing.T) {
	t.Parallel()
	n := newSettingsNode(t)
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	for _, party := range []ledger.Party{alice, bob, carol} {
		n.wallet(party)
		n.tap(party, "1000.0")
	}
	n.set(settings.KindAutoAccept, bob, settings.AutoAccept{FromParties: []ledger.Party{alice}})
	n.offer(carol, bob, day)
	for i := range 25 { // more than one submission accepts
		n.offerNamed(fmt.Sprint("alice-", i), alice, bob, "10.0", day)
	}
	n.eventually("the offers of alice are accepted", func() bool { return len(active[walletapp.TransferOffer](n)) == 1 })
	require.Equal(t, carol, active[walletapp.TransferOffer](n)[0].Payload.Sender)
	n.eventually("and paid", func() bool { return n.balance(bob) != "1000.0" })

	n.set(settings.KindAutoAccept, bob, nil)
	n.offerNamed("late", alice, bob, "10.0", day)
	n.drained(automation.KindAutoAccept)
	require.Len(t, active[walletapp.TransferOffer](n), 2, "switched off without a restart")
}

func TestSweep_NeedsThePreapproval(t *testing.T) {
	t.Parallel()
	n := newSettingsNode(t)
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	n.wallet(alice)
	n.wallet(carol)
	sweep := sweepTo(bob)
	sweep.UseTransferPreapproval = true
	n.set(settings.KindSweep, alice, sweep)
	n.set(settings.KindSweep, carol, sweepTo(bob))
	n.tap(alice, "100000.0")
	n.eventually("trouble", func() bool { return len(n.troubles(automation.KindSweep)) == 1 })
	trouble := n.troubles(automation.KindSweep)[0]
	require.Equal(t, string(alice), trouble.Subject)
	require.Equal(t, fmt.Sprintf("sweep of %s: the receiver %s has no transfer preapproval; have it create one, "+
		"or sweep by offers", alice, bob), trouble.Refusal)

	n.tap(carol, "100000.0")
	n.eventually("carol's sweep is not held up", func() bool { return len(active[walletapp.TransferOffer](n)) == 1 })

	n.tap(n.operator(), "1000.0")
	n.preapprove(bob, n.operator())
	nudged, err := n.db.NudgeTasks(t.Context(), string(settings.KindSweep), string(alice))
	require.NoError(t, err)
	require.Equal(t, int64(1), nudged)
	require.NoError(t, n.db.CallWorkflows(t.Context()))
	n.eventually("the coin has moved", func() bool { return n.balance(bob) == "98000.0" })
	require.Equal(t, "2000.0", n.balance(alice))
	n.drained(automation.KindSweep)
	require.Empty(t, n.troubles(automation.KindSweep))
}

func TestSweep_BacksOffAfterARefusal(t *testing.T) {
	t.Parallel()
	n := newSettingsNode(t)
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	n.wallet(alice)
	n.wallet(carol)
	// The description of an offer names the receiver, and must have fewer than 280 characters: this name is too long.
	n.set(settings.KindSweep, alice, sweepTo(n.party(strings.Repeat("r", 185))))
	n.set(settings.KindSweep, carol, sweepTo(bob))
	n.tap(alice, "100000.0")
	n.eventually("two refusals", func() bool {
		found := n.troubles(automation.KindSweep)
		return len(found) == 1 && found[0].Tries == 2 && !found[0].Pending
	})
	trouble := n.troubles(automation.KindSweep)[0]
	require.Equal(t, string(alice), trouble.Subject)
	require.Contains(t, trouble.Refusal, "TEMPLATE_PRECONDITION_VIOLATED")
	require.True(t, trouble.DueAt.After(n.now()), "it waits")
	n.tap(carol, "100000.0")
	n.eventually("carol's coin is offered", func() bool { return len(active[walletapp.TransferOffer](n)) == 1 })
	n.jump(time.Minute)
	n.eventually("a third refusal", func() bool { return n.troubles(automation.KindSweep)[0].Tries == 3 })
	require.Greater(t, n.troubles(automation.KindSweep)[0].DueAt.Sub(n.now()), 20*time.Second, "longer each time")

	n.set(settings.KindSweep, alice, sweepTo(bob)) // it tries at once, because the trouble is over
	n.eventually("alice's coin is offered", func() bool { return len(active[walletapp.TransferOffer](n)) == 2 })
	n.drained(automation.KindSweep)
	require.Empty(t, n.troubles(automation.KindSweep))
}

func TestSweep_RunsOnceOnTwoNodes(t *testing.T) {
	t.Parallel()
	n := newSettingsNode(t)
	bob := n.party("bob")
	const wallets = 20
	for i := range wallets {
		sender := n.party(fmt.Sprint("sender-", i))
		n.wallet(sender)
		n.tap(sender, "100000.0")
		n.set(settings.KindSweep, sender, sweepTo(bob))
	}
	var nodes errgroup.Group
	for i := range 2 { // beside the node that runs
		acts := n.activities(n.watch())
		nodes.Go(func() error {
			for range 10 {
				plan, err := acts.PlanAutomation(t.Context(), activities.PlanAutomationInput{
					Kind: automation.KindSweep, RunID: fmt.Sprint("run-", i), WorkflowID: "automation",
				})
				if err != nil {
					return err
				}
				if len(plan.Submissions) > 0 {
					input := activities.CommitSubmissionsInput{Submissions: plan.Submissions}
					if _, err := acts.CommitSubmissions(t.Context(), input); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	require.NoError(t, nodes.Wait())
	n.eventually("all are swept", func() bool { return len(active[walletapp.TransferOffer](n)) == wallets })
	n.drained(automation.KindSweep)
	senders := map[ledger.Party]bool{}
	for _, offer := range active[walletapp.TransferOffer](n) {
		require.Equal(t, "98000.0", offer.Payload.Amount.Amount.Show())
		senders[offer.Payload.Sender] = true
	}
	require.Len(t, senders, wallets, "one offer of each")
}

// contract: auto-top-up
func TestTopUp_BuysTraffic(t *testing.T) {
	t.Parallel()
	n := newSettingsNode(t)
	n.set(settings.KindTopUp, "", settings.TopUp{
		TargetThroughput: 20_000, MinTopupInterval: settings.Duration(time.Minute), ReservedTraffic: 200_000,
	})
	n.drained(automation.KindTopUp)
	require.Empty(t, active[walletapp.ValidatorTopUpState](n), "the operator has no wallet yet")
	n.wallet(n.operator())
	n.jump(30 * time.Second)
	n.eventually("a purchase", func() bool { return len(active[coin.MemberTraffic](n)) == 1 })
	bought := active[coin.MemberTraffic](n)[0].Payload
	require.Equal(t, int64(1_200_000), bought.TotalPurchased)
	require.Equal(t, coin.MemberOf(n.identity.ParticipantID), bought.MemberID)
	require.Equal(t, "4000.8", bought.AmuletSpent.Show())
	require.Equal(t, "20.004", bought.USDSpent.Show())
	state := active[walletapp.ValidatorTopUpState](n)
	require.Len(t, state, 1)

	n.jump(30 * time.Second) // the interval is not over
	n.drained(automation.KindTopUp)
	require.Len(t, active[coin.MemberTraffic](n), 1)
	n.jump(30 * time.Second) // the purchase is not the node's own, so it buys again
	n.eventually("another purchase", func() bool { return len(active[coin.MemberTraffic](n)) == 2 })
	again := active[walletapp.ValidatorTopUpState](n)
	require.Len(t, again, 1)
	require.GreaterOrEqual(t, again[0].Payload.LastPurchasedAt.Time().Sub(state[0].Payload.LastPurchasedAt.Time()),
		time.Minute)

	n.set(settings.KindTopUp, "", nil)
	n.jump(time.Hour)
	n.drained(automation.KindTopUp)
	require.Len(t, active[coin.MemberTraffic](n), 2, "switched off")
	require.Empty(t, n.troubles(automation.KindTopUp))
}

func TestTopUp_ReservesTraffic(t *testing.T) {
	t.Parallel()
	n := newNodeOf(t, nodeOptions{roundZero: 10 * 365 * day, tick: tick, enforcesTraffic: true, kinds: settingsKinds})
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(alice)
	n.set(settings.KindTopUp, "", settings.TopUp{ // it buys nothing, because the operator has no wallet
		TargetThroughput: 20_000, MinTopupInterval: settings.Duration(time.Minute), ReservedTraffic: 200_000,
	})
	n.set(settings.KindSweep, alice, sweepTo(bob))
	n.tap(alice, "100000.0")
	n.drained(automation.KindSweep)
	require.Empty(t, active[walletapp.TransferOffer](n))
	n.set(settings.KindTopUp, "", nil)
	n.jump(30 * time.Second)
	n.eventually("an offer", func() bool { return len(active[walletapp.TransferOffer](n)) == 1 })
}
