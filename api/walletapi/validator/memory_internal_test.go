package validator

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/coalesce"
	"github.com/florinledger/florin/ledger"
)

// countedRecord counts reads of contracts.
type countedRecord struct {
	WalletRecord

	changed ledger.Offset
	reads   int
}

func (c *countedRecord) KeptOffset(context.Context) (ledger.Offset, error) { return c.changed, nil }

func (c *countedRecord) ActiveByTemplate(context.Context, string, int32) ([]db.StoredContract, error) {
	c.reads++
	return nil, nil
}

func TestMemory_ReadsContractsOncePerChange(t *testing.T) {
	t.Parallel()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	record := &countedRecord{changed: 1}
	b := &Base{
		Packages: packages, record: record, Now: func() time.Time { return time.Unix(0, 0) },
		memory: memory{changed: coalesce.New(record.KeptOffset)},
	}
	for change := 1; change <= 3; change++ {
		record.changed++
		for range 5 {
			_, err := b.View(t.Context()).Network()
			require.NoError(t, err)
		}
		require.Equal(t, change, record.reads)
	}
}
