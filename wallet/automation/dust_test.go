package automation_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
)

// dustRecord lists dust, the oldest first.
type dustRecord struct {
	automation.LedgerReader

	dust []ledger.Contract
}

func (e dustRecord) Dust(_ int64, limit int) ([]ledger.Contract, error) {
	return e.dust[:min(limit, len(e.dust))], nil
}

// lock adds a locked coin with a number of lock holders.
func (w *world) lock(holders int) ledger.Contract {
	locked := coin.LockedAmulet{Amulet: coin.Amulet{DSO: dso, Owner: alice}, Lock: coin.TimeLock{ExpiresAt: at(0)}}
	for i := range holders {
		locked.Lock.Holders = append(locked.Lock.Holders, ledger.Party(fmt.Sprintf("%0185d::1220%064d", i, 0)))
	}
	put(w, locked)
	return w.contracts[len(w.contracts)-1]
}

// Large contracts of dust fill a transaction early. Each plan burns at least one, in order.
func TestDust_BurnsWhatFitsInATransaction(t *testing.T) {
	t.Parallel()
	const fits = 1 << 20
	w := newWorld(t, "0.005", false)
	for range 2 {
		put(w, coin.ExternalPartyConfigState{DSO: dso, TargetArchiveAfter: at(0)})
	}
	kind, err := automation.Expiry(w.packages)
	require.NoError(t, err)
	var record dustRecord
	record.dust = append(record.dust, w.lock(2*fits/256)) // more than fits, by itself
	for range 60 {
		record.dust = append(record.dust, w.lock(100))
	}
	for range 150 {
		record.dust = append(record.dust, w.lock(1))
	}
	var burnt []int
	for len(record.dust) > 0 {
		step, err := kind.Plan(automation.Situation{
			Situation: plan.Situation{View: plan.View{
				Packages: w.packages, Node: ledger.Node{DSO: dso}, Now: now, Ledger: w.reader(),
			}},
			Subject: "dust", Settings: w, Record: record,
		})
		require.NoError(t, err)
		require.NotNil(t, step.Action)
		size := 0
		for i, command := range step.Action.Commands {
			require.Equal(t, record.dust[i].ID, command.Exercise.Contract, "in their order")
			require.Equal(t, "LockedAmulet_ExpireAmuletV2", command.Exercise.Choice)
			size += len(record.dust[i].Payload)
		}
		count := len(step.Action.Commands)
		if count > 1 {
			require.LessOrEqual(t, size, fits)
		}
		if record.dust = record.dust[count:]; len(record.dust) > 0 && count < plan.MaxPerAction {
			require.Greater(t, size+len(record.dust[0].Payload), fits, "one more would not fit")
		}
		burnt = append(burnt, count)
	}
	require.Equal(t, 1, burnt[0])
	require.Less(t, burnt[1], 60)
	require.Contains(t, burnt, plan.MaxPerAction, "a hundred short ones at once, and no more")
}
