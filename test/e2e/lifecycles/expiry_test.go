package lifecycles_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
)

// expiring is the automations that end contracts at their deadlines.
func expiring(n *node) []automation.Automation {
	n.t.Helper()
	expiry, err := automation.Expiry(n.packages)
	require.NoError(n.t, err)
	return []automation.Automation{automation.Rounds(), expiry}
}

func TestExpiry_EndsContractsAtTheirDeadline(t *testing.T) {
	t.Parallel()
	n := newNodeWith(t, 2*tick, expiring)
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(alice)
	began := n.now()
	at := func(days int) lf.Timestamp { return lf.TimestampOf(began.Add(time.Duration(days) * day)) }
	lock := coin.LockedAmulet{
		Amulet: coin.Amulet{DSO: n.identity.DSO, Owner: alice, Amount: coin.ExpiringAmount{
			InitialAmount: decimal.MustParse("3.0"), RatePerRound: coin.RatePerRound{Rate: decimal.MustParse("0.00002")},
		}},
		Lock: coin.TimeLock{Holders: []ledger.Party{alice}, ExpiresAt: at(3)},
	}
	n.submit([]ledger.Party{n.identity.DSO, alice, bob},
		create(n, payments.AppPaymentRequest{
			Sender: alice, Provider: bob, DSO: n.identity.DSO, ExpiresAt: at(1), Description: "a book",
			ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: payments.PaymentAmount{
				Amount: decimal.MustParse("1.0"), Unit: payments.AmuletUnit,
			}}},
		}),
		create(n, coin.UnclaimedActivityRecord{
			DSO: n.identity.DSO, Beneficiary: bob, Amount: decimal.MustParse("1.0"), Reason: "work", ExpiresAt: at(2),
		}),
		create(n, lock))

	n.advance(day - time.Minute)
	require.Len(t, active[payments.AppPaymentRequest](n), 1, "it has not expired")
	n.advance(10 * day)
	require.Empty(t, active[payments.AppPaymentRequest](n))
	require.Empty(t, active[coin.UnclaimedActivityRecord](n))
	require.Empty(t, active[coin.LockedAmulet](n))
	require.Equal(t, "3.0", n.balance(alice))
	require.Empty(t, n.troubles(automation.KindExpiry))
	ends := n.expired()
	require.Len(t, ends, 3)
	for i, end := range ends {
		deadline := at(i + 1).Time()
		if i == 2 { // the holders of an expired lock have a minute
			deadline = deadline.Add(time.Minute)
		}
		require.False(t, end.Before(deadline))
		require.WithinDuration(t, deadline, end, patience)
	}
}

// expired are the record times of the node's expirations, in order.
func (n *node) expired() (times []time.Time) {
	n.t.Helper()
	completions, err := n.db.Completions(n.t.Context(), db.CompletionsQuery{
		User: new(ledger.DefaultUser(n.identity.OperatorUser)), Parties: []ledger.Party{
			n.identity.DSO, n.operator(),
			n.identity.LocalParty("alice"),
		},
		UpTo: math.MaxInt64, Limit: 10_000,
	})
	require.NoError(n.t, err)
	for _, completion := range completions {
		if strings.HasPrefix(completion.CommandID, "expire:") && completion.Refusal == nil {
			times = append(times, completion.RecordTime)
		}
	}
	return times
}

// contract: dust
func TestExpiry_BurnsDust(t *testing.T) {
	t.Parallel()
	n := newNodeWith(t, 2*tick, expiring)
	alice := n.party("alice")
	n.tap(alice, "0.00001") // less than the fee of a round
	n.tap(alice, "1000.0")
	for range 8 { // rounds and configuration states advance once at each stop
		n.advance(2 * day)
	}
	require.Equal(t, 1, n.coinsOf(alice))
	require.Equal(t, "1000.0", n.balance(alice))
	require.Empty(t, n.troubles(automation.KindExpiry))
}
