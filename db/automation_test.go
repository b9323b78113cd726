package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

// Whoever waits for automation sees it getting on, however much one kind of it has to do.
func TestOverdueAutomationTellsWhatItIsAt(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	change := func(f func(tx *db.Tx) error) { require.NoError(t, record.InTx(t.Context(), f)) }
	overdue := func() []db.Overdue {
		list, err := record.Overdue(t.Context(), instant)
		require.NoError(t, err)
		return list
	}
	change(func(tx *db.Tx) error { return tx.EnterAutomations(t.Context(), []string{"sweeps"}) })
	require.Equal(t, []db.Overdue{{WorkflowID: "automation:sweeps", At: "offset 0"}}, overdue(), "it has not searched yet")

	change(func(tx *db.Tx) error {
		if err := tx.SeeAutomation(t.Context(), "sweeps", db.Position{Offset: 7}); err != nil {
			return err
		}
		return tx.EnterTasks(t.Context(), "sweeps", "", []db.DueTask{
			{Subject: "carol::1220", At: instant.Add(time.Second)},
			{Subject: "bob::1220", At: instant},
			{Subject: "alice::1220", At: instant},
		})
	})
	first, then := db.Overdue{"automation:sweeps", "alice::1220"}, db.Overdue{"automation:sweeps", "bob::1220"}
	require.Equal(t, []db.Overdue{first}, overdue())
	require.Equal(t, "automation:sweeps at alice::1220", first.String())
	change(func(tx *db.Tx) error { return tx.EndTasks(t.Context(), "sweeps", []string{"alice::1220"}) })
	require.Equal(t, []db.Overdue{then}, overdue(), "the same kind is at another wallet")
	change(func(tx *db.Tx) error { return tx.EndTasks(t.Context(), "sweeps", []string{"bob::1220"}) })
	require.Empty(t, overdue(), "the third is not due yet")
}
