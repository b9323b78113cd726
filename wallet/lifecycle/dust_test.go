package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/plan"
)

// accepted creates an accepted offer from alice, who has a wallet, to bob.
func (w *world) accepted(amount string) ledger.ContractID {
	w.t.Helper()
	cointest.Create(w.Network, walletapp.WalletAppInstall{
		DSOParty: cointest.DSO, ValidatorParty: cointest.Operator, EndUserName: "alice", EndUserParty: cointest.Alice,
	}, cointest.Alice, cointest.Operator)
	return ledger.ContractID(cointest.Create(w.Network, walletapp.AcceptedTransferOffer{
		Sender: cointest.Alice, Receiver: cointest.Bob, DSO: cointest.DSO, TrackingID: "1",
		Amount:    payments.PaymentAmount{Amount: decimal.MustParse(amount), Unit: payments.AmuletUnit},
		ExpiresAt: lf.TimestampOf(w.Now.Add(time.Hour)),
	}, cointest.Alice, cointest.Bob))
}

// settle submits the planned actions for an offer until there are none, and returns the commands.
func (w *world) settle(offer ledger.ContractID) (done []string) {
	w.t.Helper()
	var refused *plan.Refusal
	for range 1000 {
		if _, open := w.Active[offer]; !open {
			return done
		}
		step := w.planAfter(lifecycle.TwoStepTransfer, refused, offer)
		require.NotNil(w.t, step.Action, "nothing is due: %s", step.WaitsFor)
		commands, refusal := w.Packages.PrepareCommands(step.Action.Commands, nil)
		require.Nil(w.t, refusal)
		_, err := w.SubmitCommands(ledgertest.Parties{ActAs: step.Action.ActAs, ReadAs: step.Action.ReadAs}, commands...)
		refused, done = nil, append(done, step.Action.CommandID)
		if err != nil {
			refused = &plan.Refusal{CommandID: step.Action.CommandID, Fault: fault.From(err)}
		}
	}
	require.FailNow(w.t, "the offer is not settled", "%v", done)
	return nil
}

// One transfer cannot take all of the many small coins, so the plan merges them first.
func TestOffer_MergesCoinBeforeItPays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 130 {
		w.Tap(cointest.Alice, "1")
	}
	done := w.settle(w.accepted("120"))
	require.Len(t, done, 3, "refused, merged, completed: %v", done)
	require.Contains(t, done[1], "merge-for-complete-offer:")
	require.Contains(t, done[2], "complete-offer:")
	received, _ := w.Balance(cointest.Bob)
	require.Equal(t, "120.0", received)
}

func TestOffer_GivesUpWithoutEnoughCoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 101 {
		w.Tap(cointest.Alice, "1")
	}
	done := w.settle(w.accepted("500"))
	require.Len(t, done, 2, "%v", done)
	require.Contains(t, done[1], "abort-offer:")
}

func TestOffer_GivesUpAmountsThatAreNotPositive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Tap(cointest.Alice, "1")
	for _, amount := range []string{"-1", "0"} {
		done := w.settle(w.accepted(amount))
		require.Len(t, done, 1)
		require.Contains(t, done[0], "abort-offer:")
	}
}
