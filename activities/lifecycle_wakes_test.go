package activities_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// networkContract is a contract of the network as a commit stores it.
func networkContract[T any](
	t *testing.T, packages *ledger.Packages, n int, offset ledger.Offset, payload T, parties ...ledger.Party,
) db.NewContract {
	t.Helper()
	template, err := ledger.TemplateName[T](packages)
	require.NoError(t, err)
	content, err := ledger.Encode(packages, payload)
	require.NoError(t, err)
	return db.NewContract{
		Contract: ledger.Contract{
			ID: ledger.ContractID(fmt.Sprintf("00%064x", n)), Template: template, PackageName: "splice-wallet",
			Payload: content, Signatories: ledger.SortedParties(parties), CreatedAt: testTime(), InNetwork: true,
		},
		Offset: offset, NodeID: int32(n),
	}
}

// Many lifecycles wait for one wallet. They wake in batches, once, in one process at a time, and keep their account.
func TestWakeLifecycles_WakesEachOnceInBatches(t *testing.T) {
	t.Parallel()
	const many = 1300
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	registry, err := lifecycle.NewRegistry(packages)
	require.NoError(t, err)
	record := dbtest.New(t)
	appendAll := func(created ...db.NewContract) {
		last := created[len(created)-1].Offset
		require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.LockHead(t.Context()); err != nil {
				return err
			}
			return tx.Append(t.Context(), db.Entries{
				Created: created, Head: db.Head{Offset: last, RecordTime: testTime()},
			})
		}))
	}
	var offers []db.NewContract
	for n := range many {
		offers = append(offers, networkContract(t, packages, n, 1, walletapp.AcceptedTransferOffer{
			Sender: alice, Receiver: bob, DSO: "DSO::1220", Amount: payments.PaymentAmount{Unit: payments.AmuletUnit},
			TrackingID: fmt.Sprintf("offer-%04d", n),
		}, alice, bob))
	}
	appendAll(offers...)
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		var changes []db.LifecycleChange
		for _, offer := range offers {
			followed, _, err := registry.Follow(offer.Contract)
			require.NoError(t, err)
			changes = append(changes, db.LifecycleChange{
				WorkflowID: followed.WorkflowID, Kind: followed.Kind, Parties: followed.Parties, Account: "alice's user",
				Created: []ledger.ContractID{offer.ID},
			})
		}
		return tx.TouchLifecycles(t.Context(), changes)
	}))
	rows, err := record.Lifecycles(t.Context(), "", 2*many)
	require.NoError(t, err)
	require.Len(t, rows, many)
	before := map[string]db.Lifecycle{}
	for i, row := range rows {
		row.DueAt = testTime().Add(time.Hour)
		if i%2 == 0 { // the other half looks at this moment
			require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
				_, err := tx.SettleLifecycle(t.Context(), row)
				return err
			}))
		}
		before[row.WorkflowID] = row
	}

	calls := func() *activities.LifecycleCalls {
		return activities.NewLifecycleCalls(record, registry, time.Now)
	}
	wakeAll := func(c *activities.LifecycleCalls) (batches int) {
		for more := true; more; batches++ {
			var err error
			more, err = c.Wake(t.Context())
			if err != nil {
				t.Error(err)
				return batches
			}
		}
		return batches
	}
	first, second := calls(), calls()
	wakeAll(first)
	install := walletapp.WalletAppInstall{
		DSOParty: "DSO::1220", ValidatorParty: "operator::1220", EndUserName: "alice", EndUserParty: alice,
	}
	appendAll(networkContract(t, packages, many, 2, install, alice))
	var group sync.WaitGroup
	for _, process := range []*activities.LifecycleCalls{first, second} {
		group.Go(func() { wakeAll(process) })
	}
	group.Wait()
	require.Positive(t, wakeAll(first), "the batches that the other one locked")
	woken, err := record.Lifecycles(t.Context(), "", 2*many)
	require.NoError(t, err)
	for _, row := range woken {
		require.Equal(t, before[row.WorkflowID].Version+1, row.Version, "each once, also those that are looking")
		require.True(t, row.DueAt.Equal(time.Unix(0, 0)))
		require.Equal(t, "alice's user", row.Account)
	}

	wakeAll(calls()) // a new process
	again, err := record.Lifecycles(t.Context(), "", 2*many)
	require.NoError(t, err)
	require.Equal(t, woken, again)

	// A process that begins before the wallet needs several batches.
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		_, mine, err := tx.TakeWakes(t.Context())
		require.True(t, mine)
		require.NoError(t, err)
		return tx.MoveWakes(t.Context(), db.Wakes{Holders: 1, Wallet: db.Position{Offset: 1, NodeID: math.MaxInt32}})
	}))
	require.Equal(t, 1+3, wakeAll(calls()), "holders, then 500 contracts at a time")
}

// While one process wakes lifecycles, the others go on with due ones.
func TestWakeLifecycles_RunsInOneProcessAtATime(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		_, mine, err := tx.TakeWakes(t.Context())
		require.NoError(t, err)
		require.True(t, mine)
		return record.InTx(t.Context(), func(other *db.Tx) error {
			_, mine, err := other.TakeWakes(t.Context())
			require.False(t, mine)
			return err
		})
	}))
}
