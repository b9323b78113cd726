package lifecycles_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
)

// command creates a transfer command for a delegate, valid for a day, and returns its workflow.
func (n *node) command(sender, receiver, delegate ledger.Party, amount string, nonce int64) string {
	n.t.Helper()
	n.submit([]ledger.Party{sender}, exercise[coin.ExternalPartyAmuletRules](n,
		active[coin.ExternalPartyAmuletRules](n)[0].ID, "ExternalPartyAmuletRules_CreateTransferCommand",
		coin.CreateTransferCommand{
			Sender: sender, Receiver: receiver, Delegate: delegate, Amount: decimal.MustParse(amount), Nonce: nonce,
			ExpiresAt: lf.TimestampOf(n.now().Add(day)), ExpectedDSO: &n.identity.DSO,
		}))
	return workflowid.Of("transfer-command", string(sender), strconv.FormatInt(nonce, 10)).String()
}

// counted is the next nonce of the only sender with a counter; false without a counter.
func (n *node) counted() (next int64, ok bool) {
	n.t.Helper()
	counters := active[coin.TransferCommandCounter](n)
	if len(counters) == 0 {
		return 0, false
	}
	require.Len(n.t, counters, 1)
	return counters[0].Payload.NextNonce, true
}

func TestTransferCommand_ExecutesInOrder(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	n.tap(n.operator(), "1000.0")
	n.preapprove(bob, n.operator())

	id := n.command(alice, bob, n.operator(), "20.0", 1)
	n.waits(id, "its delegate")
	next, ok := n.counted()
	require.True(t, ok, "the first command creates the counter")
	require.Zero(t, next)
	require.Equal(t, "0.0", n.balance(bob))

	n.ended(n.command(alice, bob, n.operator(), "10.0", 0))
	n.ended(id)
	require.Equal(t, "30.0", n.balance(bob))
	require.Equal(t, "70.0", n.balance(alice))
	next, _ = n.counted()
	require.EqualValues(t, 2, next)

	n.command(alice, bob, n.operator(), "5.0", 1) // its nonce is used
	n.ended(id)
	require.Equal(t, "30.0", n.balance(bob))
	next, _ = n.counted()
	require.EqualValues(t, 2, next)
}

func TestTransferCommand_FailsWithoutAPreapproval(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	n.ended(n.command(alice, bob, n.operator(), "10.0", 0))
	next, _ := n.counted()
	require.EqualValues(t, 1, next, "it uses its nonce")
	require.Equal(t, "100.0", n.balance(alice))
}

func TestTransferCommand_WaitsForCoin(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	n.tap(n.operator(), "1000.0")
	n.preapprove(bob, n.operator())
	id := n.command(alice, bob, n.operator(), "150.0", 0)
	require.Contains(t, n.waits(id, "the node refused it (tries: 1)").Refusal, "insufficient")
	n.tap(alice, "100.0")
	n.nudge(id)
	n.ended(id)
	require.Equal(t, "150.0", n.balance(bob))
	require.Equal(t, "50.0", n.balance(alice))
}

func TestTransferCommand_OfAForeignDelegateExpires(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob, delegate := n.party("alice"), n.party("bob"), n.party("delegate")
	n.tap(alice, "100.0")
	n.tap(n.operator(), "1000.0")
	n.preapprove(bob, n.operator())
	id := n.command(alice, bob, delegate, "10.0", 0)
	until := n.waits(id, "its delegate").Until
	require.WithinDuration(t, n.now().Add(day), until, time.Minute)
	n.advance(2 * day)
	n.ended(id)
	require.Empty(t, active[coin.TransferCommand](n))
	require.Equal(t, "100.0", n.balance(alice))
	next, ok := n.counted()
	require.True(t, ok)
	require.Zero(t, next, "an expired command uses no nonce")
}
