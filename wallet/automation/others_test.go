package automation_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

const mallory = ledger.Party("mallory::1220ee")

// many is above every limit of a plan.
const many = 1001

func (w *world) spam(receiver ledger.Party) {
	for range many {
		put(w, w.offered(mallory, receiver, "1.0", 24*time.Hour))
	}
}

// Offers of others do not reduce a sweep. The wallet's own open offers do.
func TestSweep_IgnoresOffersOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: sweepConfig("10")}
	w.spam(alice)
	w.hold(alice, "100000.0")
	step, _ := w.decide(w.sweeping(), alice)
	require.NotNil(t, step.Action)
	put(w, w.offered(alice, charlie, "98000.0", 10*time.Minute))
	w.spam(charlie)
	w.latest++
	step, _ = w.decide(w.sweeping(), alice)
	require.Nil(t, step.Action, "an open offer has all of it")
}

// A negative offer does not increase a sweep above the balance.
func TestSweep_IgnoresNegativeOffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: sweepConfig("10")}
	w.hold(alice, "1000.0")
	put(w, w.offered(alice, charlie, "-1000000.0", 10*time.Minute))
	step, _ := w.decide(w.sweeping(), alice)
	require.Nil(t, step.Action)
}

// Many small coins from others do not hide a large coin.
func TestSweep_CountsAllCoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: sweepConfig("10")}
	for range many {
		w.hold(alice, "0.0000000001")
	}
	w.hold(alice, "100000.0")
	_, commands := w.decide(w.sweeping(), alice)
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], `"amount":"98000.0000001000"`)
}

func TestAccept_FindsOffersAmongManyOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.accepts = map[ledger.Party][]ledger.Party{alice: {charlie, bob}}
	w.spam(alice)
	for range many { // nor offers with a negative amount, nor expired ones
		put(w, w.offered(bob, alice, "-1.0", time.Hour))
		put(w, w.offered(charlie, alice, "1.0", 0))
	}
	wanted := put(w, w.offered(bob, alice, "5.0", time.Hour))
	_, commands := w.decide(w.accepting(), alice)
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], string(wanted))
}

// Preapprovals that the receiver provides for others do not count.
func TestSweep_FindsThePreapprovalOfALargeProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	config := sweepConfig("10")
	config.UsePreapproval = true
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: config}
	for i := range many {
		put(w, coin.TransferPreapproval{
			DSO: dso, Receiver: ledger.Party("r" + strconv.Itoa(i)), Provider: charlie, ExpiresAt: at(time.Hour),
		})
		put(w, coin.FeaturedAppRight{DSO: dso, Provider: ledger.Party("p" + strconv.Itoa(i))})
		put(w, walletapp.WalletAppInstall{
			DSOParty: dso, ValidatorParty: alice, EndUserName: "user", EndUserParty: ledger.Party("u" + strconv.Itoa(i)),
		})
	}
	own := put(w, coin.TransferPreapproval{DSO: dso, Receiver: charlie, Provider: bob, ExpiresAt: at(time.Hour)})
	right := put(w, coin.FeaturedAppRight{DSO: dso, Provider: bob})
	w.hold(alice, "100000.0")
	_, commands := w.decide(w.sweeping(), alice)
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], string(own))
	require.Contains(t, commands[0], string(right))
}

// One transfer takes a hundred coins, so a sweep takes their sum.
func TestSweep_TakesTheInputsOfOneTransferThroughAPreapproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "1.0", false)
	config := sweepConfig("10")
	config.UsePreapproval = true
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: config}
	put(w, coin.TransferPreapproval{DSO: dso, Receiver: charlie, Provider: bob, ExpiresAt: at(time.Hour)})
	for range 300 {
		w.hold(alice, "2.0")
	}
	_, commands := w.decide(w.sweeping(), alice)
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], `"190.0000000000"`)
	require.Equal(t, 100, strings.Count(commands[0], `"InputAmulet"`))
}
