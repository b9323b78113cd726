package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// External parties need this to sign a transfer elsewhere: between the request and the deadline, the transfer does not
// depend on the execution time.
func TestTokenTransfer_IsValidUntilItsDeadline(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	command, err := ledgertest.ExerciseThrough(n.Ledger, transferFactory, n.factory(t),
		n.order(bob, "25", n.tapHolding(t, alice, "100")))
	require.NoError(t, err)
	transaction, err := n.SubmitCommands(n.public(alice), command)
	require.NoError(t, err)
	require.Equal(t, ledgertest.Start.Add(-time.Minute), transaction.Earliest.UTC())
	require.Equal(t, ledgertest.Start.Add(24*time.Hour-time.Microsecond), transaction.Latest.UTC())
}

// Wallets build histories from this: the sender is no stakeholder of the receiver's new coin, but a witness.
func TestTokenTransfer_SenderSeesTheNewCoin(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	preapproval := n.preapproveFor(t, bob)
	order := n.order(bob, "25", n.tapHolding(t, alice, "100"))
	order.ExtraArgs = n.standard(coin.ContextPreapproval, preapproval.ID())
	command, err := ledgertest.ExerciseThrough(n.Ledger, transferFactory, n.factory(t), order)
	require.NoError(t, err)
	transaction, err := n.SubmitCommands(n.public(alice).Disclose(n.Active[preapproval.ID()]), command)
	require.NoError(t, err)
	seen := map[string][]ledger.Party{}
	for _, event := range transaction.Events() {
		if event.Kind == ledger.EventCreate {
			payload := string(event.Argument)
			seen[payload] = event.Witnesses
		}
	}
	require.Len(t, seen, 2)
	for payload, witnesses := range seen {
		require.Contains(t, witnesses, alice, payload)
	}
}
