package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// act is a choice on a transfer instruction.
type act func(t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID, extra token.ExtraArgs) (
	transferResult, error)

func accept(
	t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID, extra token.ExtraArgs,
) (transferResult, error) {
	t.Helper()
	return through[transferResult](t, n, by, transferInstruction, id, token.TransferInstructionAccept{ExtraArgs: extra})
}

func reject(
	t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID, extra token.ExtraArgs,
) (transferResult, error) {
	t.Helper()
	return through[transferResult](t, n, by, transferInstruction, id, token.TransferInstructionReject{ExtraArgs: extra})
}

func withdraw(
	t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID, extra token.ExtraArgs,
) (transferResult, error) {
	t.Helper()
	return through[transferResult](t, n, by, transferInstruction, id, token.TransferInstructionWithdraw{ExtraArgs: extra})
}

func expire(
	t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID, extra token.ExtraArgs,
) (transferResult, error) {
	t.Helper()
	return through[transferResult](t, n, by, transferInstruction, id, token.TransferInstructionUpdate{ExtraArgs: extra})
}

func TestTransferInstruction_LocksTheCoin(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	input := n.tapHolding(t, alice, "100")
	result, err := n.submitOrder(t, n.order(bob, "25", input))
	require.NoError(t, err)
	require.Len(t, result.SenderChangeCids, 1)
	require.Equal(t, map[string]string{metaKind: "transfer", metaSender: string(alice)}, result.Meta.Values)
	n.requireBalances(t, "75.0", "25.0", "0.0")

	id := lf.Coerce[coin.AmuletTransferInstruction](result.Output.Pending.TransferInstructionCid)
	instruction := payload(t, n, id)
	lock := payload(t, n, instruction.LockedAmulet).Lock
	require.Equal(t, coin.TimeLock{
		Holders: []ledger.Party{dso}, ExpiresAt: n.at(24 * time.Hour), OptContext: new("transfer to 'bob::1220b0'"),
	}, lock)
	require.Equal(t, []ledger.Party{dso, alice}, n.Active[id.ID()].Signatories)
	require.Equal(t, []ledger.Party{bob}, n.Active[id.ID()].Observers)
	view, err := n.View(t.Context(), id.ID(), transferInstruction)
	require.NoError(t, err)
	require.JSONEq(t, `{"originalInstructionCid":null,"transfer":{"sender":"alice::1220a1","receiver":"bob::1220b0",
		"amount":"25.0000000000","instrumentId":{"admin":"DSO::1220d5","id":"Amulet"},
		"requestedAt":"2026-03-01T09:59:00Z","executeBefore":"2026-03-02T10:00:00Z",
		"inputHoldingCids":["`+string(instruction.LockedAmulet)+`"],
		"meta":{"values":{"splice.lfdecentralizedtrust.org/reason":"lunch"}}},
		"status":{"tag":"TransferPendingReceiverAcceptance","value":{}},"meta":{"values":{}}}`, string(view))
}

// TestTransferInstruction_GoesThroughItsStates tests each row of the table of states. Each begins with an offer of 25
// out of 100 coins that ends after a day.
//
// contract: instruction-locks, instruction-accept, instruction-reject, instruction-withdraw
func TestTransferInstruction_GoesThroughItsStates(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		after time.Duration
		by    ledger.Party
		do    act
		// the balances afterwards: alice's free and locked coin, bob's free coin
		free, locked, received string
		code, text             string // empty when the transition happens
	}{
		"offered, until somebody acts":        {0, alice, nil, "75.0", "25.0", "0.0", "", ""},
		"accepted":                            {0, bob, accept, "75.0", "0.0", "25.0", "", ""},
		"accepted at the last moment":         {day - time.Microsecond, bob, accept, "75.0", "0.0", "25.0", "", ""},
		"rejected":                            {0, bob, reject, "100.0", "0.0", "0.0", "", ""},
		"rejected after it expired":           {day, bob, reject, "100.0", "0.0", "0.0", "", ""},
		"withdrawn":                           {0, alice, withdraw, "100.0", "0.0", "0.0", "", ""},
		"withdrawn after it expired":          {day, alice, withdraw, "100.0", "0.0", "0.0", "", ""},
		"expired":                             {day, dso, expire, "100.0", "0.0", "0.0", "", ""},
		"not accepted after it expired":       {day, bob, accept, "75.0", "25.0", "0.0", tooLate, "Transfer.executeBefore"},
		"not expired before its time":         {day - 1, dso, expire, "75.0", "25.0", "0.0", tooEarly, "executeBefore"},
		"not accepted by the sender":          {0, alice, accept, "75.0", "25.0", "0.0", noAuth, "_Accept"},
		"not rejected by the sender":          {0, alice, reject, "75.0", "25.0", "0.0", noAuth, "_Reject"},
		"not withdrawn by the receiver":       {0, bob, withdraw, "75.0", "25.0", "0.0", noAuth, "_Withdraw"},
		"not expired by the receiver":         {day, bob, expire, "75.0", "25.0", "0.0", noAuth, "_Update"},
		"not accepted by the DSO":             {0, dso, accept, "75.0", "25.0", "0.0", noAuth, "_Accept"},
		"not accepted by somebody uninvolved": {0, charlie, accept, "75.0", "25.0", "0.0", noAuth, "_Accept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			id, locked := n.offer(t)
			n.Now = n.Now.Add(c.after)
			if c.do != nil {
				by := n.withLocked(locked, c.by).Disclose(n.Active[id])
				result, err := c.do(t, n, by, id, n.standard(coin.ContextExpireLock, true))
				if c.code != "" {
					requireRefused(t, err, c.code, c.text)
				} else {
					require.NoError(t, err)
					require.Equal(t, c.received != "0.0", result.Output.Completed != nil)
					require.NotContains(t, n.Active, id)
				}
			}
			n.requireBalances(t, c.free, c.locked, c.received)
		})
	}
}

func TestTransferInstruction_ResultSaysHowItEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by   ledger.Party
		do   act
		at   time.Duration
		back int
		meta map[string]string
	}{
		"accepted":  {bob, accept, 0, 0, map[string]string{metaKind: "transfer", metaSender: string(alice)}},
		"rejected":  {bob, reject, 0, 1, map[string]string{}},
		"withdrawn": {alice, withdraw, 0, 1, map[string]string{}},
		"expired":   {dso, expire, 24 * time.Hour, 1, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			id, locked := n.offer(t)
			n.Now = n.Now.Add(c.at)
			result, err := c.do(t, n, n.withLocked(locked, c.by), id, n.standard())
			require.NoError(t, err)
			require.Len(t, result.SenderChangeCids, c.back)
			require.Equal(t, c.meta, result.Meta.Values)
			require.Equal(t, c.back == 0, result.Output.Completed != nil)
			require.Equal(t, c.back != 0, result.Output.Failed != nil)
			if result.Output.Completed != nil {
				received := lf.Coerce[coin.Amulet](result.Output.Completed.ReceiverHoldingCids[0])
				require.Equal(t, "25.0", payload(t, n, received).Amount.InitialAmount.Show())
			}
			_, err = c.do(t, n, n.withLocked(locked, c.by), id, n.standard())
			requireRefused(t, err, "CONTRACT_NOT_FOUND", "")
		})
	}
}

// The sender has already taken the coin of the instruction back.
func TestTransferInstruction_SenderMayRemoveAnExpiredLock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by   ledger.Party
		do   act
		flag any // expire-lock, nil when left out
		code string
		text string
	}{
		"then it is not accepted":            {bob, accept, true, tooLate, "Transfer.executeBefore"},
		"then it is rejected":                {bob, reject, false, "", ""},
		"then it is withdrawn":               {alice, withdraw, false, "", ""},
		"then it expires":                    {dso, expire, false, "", ""},
		"then there is nothing to release":   {alice, withdraw, true, "CONTRACT_NOT_FOUND", ""},
		"then the flag cannot be left out":   {alice, withdraw, nil, "CONTRACT_NOT_FOUND", ""},
		"then the flag must be a flag":       {bob, reject, ledger.ContractID("00"), general, "not of type AV_Bool"},
		"then an update has no extra actors": {dso, expireWithBob, false, assertion, "No extra actors are given"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			id, locked := n.offer(t)
			n.Now = n.Now.Add(24 * time.Hour)
			_, err := ledgertest.Exercise[coin.LockedAmuletOwnerExpireLockV2Result](n.Ledger, ledgertest.As(alice), locked,
				coin.LockedAmuletOwnerExpireLockV2{})
			require.NoError(t, err)
			extra := n.standard()
			if c.flag != nil {
				extra = n.standard(coin.ContextExpireLock, c.flag)
			}
			by := n.public(c.by)
			if c.code == assertion {
				by = n.public(c.by, bob)
			}
			result, err := c.do(t, n, by, id, extra)
			if c.code != "" {
				requireRefused(t, err, c.code, c.text)
				return
			}
			require.NoError(t, err)
			require.NotNil(t, result.Output.Failed)
			require.Empty(t, result.SenderChangeCids)
			n.requireBalances(t, "100.0", "0.0", "0.0")
		})
	}
}

func expireWithBob(
	t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID, extra token.ExtraArgs,
) (transferResult, error) {
	t.Helper()
	return through[transferResult](t, n, by, transferInstruction, id,
		token.TransferInstructionUpdate{ExtraActors: []ledger.Party{bob}, ExtraArgs: extra})
}

func TestTransferInstruction_KeepsCoinWhileLocked(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	id, locked := n.offer(t)
	_, err := withdraw(t, n, n.public(alice), id, n.standard(coin.ContextExpireLock, false))
	requireRefused(t, err, tooEarly, "Transfer.executeBefore")
	_, err = accept(t, n, n.withLocked(locked, bob), id, token.ExtraArgs{})
	requireRefused(t, err, general, "Missing context entry for: external-party-config-state")
	_, err = accept(t, n, n.public(bob), id, n.standard())
	requireRefused(t, err, "CONTRACT_NOT_FOUND", "") // the receiver is no stakeholder of the locked coin
	_, err = ledgertest.Exercise[coin.LockedAmuletUnlockV2Result](n.Ledger, ledgertest.As(alice), locked,
		coin.LockedAmuletUnlockV2{})
	requireRefused(t, err, noAuth, "LockedAmulet_UnlockV2")
	n.requireBalances(t, "75.0", "25.0", "0.0")
}

func TestTransferInstruction_NeedsAllSignatories(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	id, _ := n.offer(t)
	forged := payload(t, n, lf.CID[coin.AmuletTransferInstruction](id))
	_, err := ledgertest.Create(n.Ledger, ledgertest.As(alice), forged)
	requireRefused(t, err, noAuth, "DSO::1220d5")
}
