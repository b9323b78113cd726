package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// The input contract is newer than the record time.
func TestEffectiveTime_IsNotBeforeItsInputs(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	book.Now = ledgertest.Start.Add(58 * time.Second)
	id := create(t, book, broker(), alice)
	book.Now = ledgertest.Start
	within := func(deadline time.Duration) error {
		_, err := ledgertest.Exercise[lf.Unit](book, as(bob), id,
			ledgertest.Deadline{At: lf.TimestampOf(ledgertest.Start.Add(deadline)), Within: true})
		return err
	}
	requireRefused(t, within(30*time.Second), fault.DamlFailure, "deadline")
	require.NoError(t, within(time.Minute))
	last := book.Transactions[len(book.Transactions)-1]
	require.Equal(t, ledgertest.Start.Add(58*time.Second), last.EffectiveAt)
}
