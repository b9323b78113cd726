package audit_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

type pageSizeRecorder struct {
	audit.Reader

	most int
}

func (l *pageSizeRecorder) ChainedUpdates(
	ctx context.Context, after, upTo ledger.Offset, limit int32,
) ([]db.ChainedUpdate, error) {
	updates, err := l.Reader.ChainedUpdates(ctx, after, upTo, limit)
	l.most = max(l.most, len(updates))
	return updates, err
}

// The size of a page is limited in bytes.
func TestAudit_ReadsLargeUpdatesOneByOne(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for range 5 {
		b.alice.Tap("1")
	}
	before, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	b.damage(t, `UPDATE updates SET events = (events::text || repeat(' ', 2000000))::json`)
	record := &pageSizeRecorder{Reader: b.DB}
	auditor, err := audit.New(record, b.Packages, b.Node.Network())
	require.NoError(t, err)
	after, err := auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, 1, record.most)
	require.Equal(t, before.Updates, after.Updates)
	require.Equal(t, before.Minted, after.Minted)
}
