package audit_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// looking notes how many updates were read at once at most.
type looking struct {
	audit.Reader

	most int
}

func (l *looking) ChainedUpdates(
	ctx context.Context, after, upTo ledger.Offset, limit int32,
) ([]db.ChainedUpdate, error) {
	updates, err := l.Reader.ChainedUpdates(ctx, after, upTo, limit)
	l.most = max(l.most, len(updates))
	return updates, err
}

// However large updates are, no more of them are in memory at once than their bytes allow.
func TestAudit_ReadsLargeUpdatesOneByOne(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for range 5 {
		b.alice.Tap("1")
	}
	before, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	b.damage(t, `UPDATE updates SET events = (events::text || repeat(' ', 2000000))::json`)
	record := &looking{Reader: b.DB}
	auditor, err := audit.New(record, b.Packages, b.Node.Network())
	require.NoError(t, err)
	after, err := auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, 1, record.most)
	require.Equal(t, before.Updates, after.Updates)
	require.Equal(t, before.Minted, after.Minted)
}
