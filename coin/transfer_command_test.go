package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func (n network) command(
	t *testing.T, nonce int64, change func(*coin.CreateTransferCommand),
) (lf.CID[coin.TransferCommand], error) {
	t.Helper()
	argument := coin.CreateTransferCommand{
		Sender: alice, Receiver: bob, Delegate: charlie, Amount: amount("25"), ExpiresAt: n.at(time.Hour), Nonce: nonce,
		Description: new("rent"), ExpectedDSO: new(dso),
	}
	if change != nil {
		change(&argument)
	}
	created, err := ledgertest.Exercise[coin.CreateTransferCommandResult](n.Ledger, n.public(alice),
		lf.CID[coin.ExternalPartyAmuletRules](n.factory(t)), argument)
	return created.TransferCommandCid, err
}

func TestTransferCommand_NeedsItsSender(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	id, err := n.command(t, 0, nil)
	require.NoError(t, err)
	require.Equal(t, []ledger.Party{dso, alice}, n.Active[id.ID()].Signatories)
	require.Equal(t, []ledger.Party{charlie}, n.Active[id.ID()].Observers)
	_, err = n.command(t, 0, func(c *coin.CreateTransferCommand) { c.ExpectedDSO = nil })
	requireRefused(t, err, general, "Expected DSO party not set")
	_, err = n.command(t, 0, func(c *coin.CreateTransferCommand) { c.ExpiresAt = n.at(0) })
	requireRefused(t, err, tooLate, "TransferCommand.expiresAt")
	_, err = n.command(t, 0, func(c *coin.CreateTransferCommand) { c.Sender = bob })
	requireRefused(t, err, noAuth, "ExternalPartyAmuletRules_CreateTransferCommand")
}

// TestTransferCommand_DelegateSendsInNonceOrder tries every relation of the command's nonce to the counter.
func TestTransferCommand_DelegateSendsInNonceOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		nonce      int64 // of the command; the counter is at 3
		approved   bool
		coins      string
		after      time.Duration
		next       int64 // of the counter afterwards
		failure    string
		code, text string
	}{
		"in its turn": {3, true, "100", 0, 4, "", "", ""},
		"of a nonce that is used": {
			2, true, "100", 0, 3, "Expected nonce 2 is smaller than the next nonce 3 of the counter", "", "",
		},
		"before its turn": {4, true, "100", 0, 3, "", general, "Nonce 4 of the command is ahead of the next nonce 3"},
		"to a receiver without a preapproval": {
			3, false, "100", 0, 4, "No TransferPreapproval for receiver 'bob::1220b0'", "", "",
		},
		"too late":          {3, true, "100", time.Hour, 3, "", tooLate, "TransferCommand.expiresAt"},
		"for lack of funds": {3, true, "1", 0, 3, "", "splice.lfdecentralizedtrust.org/insufficient-funds", "24.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			id, err := n.command(t, c.nonce, nil)
			require.NoError(t, err)
			counter := create(t, n, coin.TransferCommandCounter{DSO: dso, Sender: alice, NextNonce: 3}, dso)
			preapproval := n.preapproved(t)
			input := n.tap(t, alice, c.coins)
			send := coin.TransferCommandSend{
				Context: n.payment(), Inputs: amulets([]lf.CID[coin.Amulet]{input}), TransferCounterCid: counter,
			}
			if c.approved {
				send.TransferPreapprovalCidO = &preapproval
			}
			n.Now = n.Now.Add(c.after)
			by := n.seeing(preapproval, charlie).Disclose(n.Active[input.ID()], n.Active[counter.ID()])
			result, err := ledgertest.Exercise[coin.TransferCommandSendResult](n.Ledger, by, id, send)
			for _, counter := range all[coin.TransferCommandCounter](t, n) {
				require.Equal(t, c.next, counter.NextNonce)
			}
			if c.code != "" {
				requireRefused(t, err, c.code, c.text)
				require.Contains(t, n.Active, id.ID(), "it can be tried again")
				return
			}
			require.NoError(t, err)
			require.NotContains(t, n.Active, id.ID())
			require.Equal(t, c.nonce, result.Nonce)
			if c.failure != "" {
				require.Equal(t, c.failure, result.Result.Failure.Reason.Other.Description)
				n.requireBalances(t, "100.0", "0.0", "0.0")
				return
			}
			require.Equal(t, "75.0", result.Result.Success.Result.Summary.SenderChangeAmount.Show())
			n.requireBalances(t, "75.0", "0.0", "25.0")
		})
	}
}

func TestTransferCommand_EndsUnsent(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	id, err := n.command(t, 5, nil)
	require.NoError(t, err)
	_, err = ledgertest.Exercise[coin.TransferCommandWithdrawResult](n.Ledger, ledgertest.As(charlie), id,
		coin.TransferCommandWithdraw{})
	requireRefused(t, err, noAuth, "TransferCommand_Withdraw")
	withdrawn, err := ledgertest.Exercise[coin.TransferCommandWithdrawResult](n.Ledger, ledgertest.As(alice), id,
		coin.TransferCommandWithdraw{})
	require.NoError(t, err)
	require.Equal(t, int64(5), withdrawn.Nonce)

	id, err = n.command(t, 6, nil)
	require.NoError(t, err)
	expire := func(by ledger.Party) error {
		_, err := ledgertest.Exercise[coin.TransferCommandExpireResult](n.Ledger,
			ledgertest.As(by).Disclose(n.Active[id.ID()]), id, coin.TransferCommandExpire{P: by})
		return err
	}
	requireRefused(t, expire(charlie), tooEarly, "TransferCommand.expiresAt")
	n.Now = n.Now.Add(time.Hour)
	requireRefused(t, expire(stranger), assertion, "Actor 'stranger::122057' is a stakeholder")
	require.NoError(t, expire(charlie))
}

func TestTransferCommand_RefusesACounterOfAnotherSender(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	id, err := n.command(t, 0, nil)
	require.NoError(t, err)
	counter := create(t, n, coin.TransferCommandCounter{DSO: dso, Sender: bob}, dso)
	_, err = ledgertest.Exercise[coin.TransferCommandSendResult](n.Ledger,
		n.public(charlie).Disclose(n.Active[counter.ID()]), id,
		coin.TransferCommandSend{Context: n.payment(), TransferCounterCid: counter})
	requireRefused(t, err, general, "owner 'alice::1220a1', got dso 'DSO::1220d5', owner 'bob::1220b0'")
}
