package audit_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry"
	"github.com/florinledger/florin/test/apitest"
)

// racingDB moves the checkpoint, as another worker does, at each read of active contracts.
type racingDB struct{ *db.DB }

func (o racingDB) ActiveContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error) {
	stored, ok, err := o.AuditCheckpoint(ctx)
	if err == nil && ok {
		_, err = o.MoveAuditCheckpoint(ctx, stored.Version, stored)
	}
	if err != nil {
		return nil, err
	}
	return o.DB.ActiveContracts(ctx, query)
}

// newRacingBundle returns a bundle whose auditor loses every race for the checkpoint during Close.
func newRacingBundle(t *testing.T) *bundle {
	t.Helper()
	b := newBundle(t)
	var err error
	b.auditor, err = audit.New(racingDB{b.DB}, b.Packages, b.Node.Network())
	require.NoError(t, err)
	return b
}

// unlist does damage that only Close finds.
func (b *bundle) unlist(t *testing.T) {
	t.Helper()
	b.damage(t, `DELETE FROM active_contracts WHERE contract_id = $1`, b.coin)
}

func TestPrune_KeepsFindingsAfterALostRace(t *testing.T) {
	t.Parallel()
	b := newRacingBundle(t)
	ctx, stop := context.WithTimeout(t.Context(), apitest.Patience)
	defer stop()
	prune := func(upTo ledger.Offset) error {
		_, err := audit.NewPruner(b.auditor, b.DB).Prune(ctx, upTo)
		return err
	}
	pruned := b.end(t)
	require.NoError(t, prune(pruned))
	b.alice.Tap("1")
	b.unlist(t)
	require.True(t, fault.UnsafeToPrune.Matches(prune(b.end(t))))
	state, ok, err := audit.Load(ctx, b.DB)
	require.NoError(t, err)
	require.True(t, ok)
	require.NotZero(t, state.FindingCount, "the findings stay although another worker moved the checkpoint")
	head, err := b.DB.Head(ctx)
	require.NoError(t, err)
	require.Equal(t, pruned, head.Pruned)
}

func TestFollower_KeepsFindingsAfterALostRace(t *testing.T) {
	t.Parallel()
	b := newRacingBundle(t)
	require.NoError(t, b.prune(1)) // starts the continuous audit
	b.unlist(t)
	log, steps := b.follow(t, telemetry.New())
	state := reaches(t, steps, b.end(t))
	require.NotZero(t, state.FindingCount)
	require.Contains(t, log.String(), string(b.coin))
}

func TestForgetFindings_RefusesWhenWorkersFoundMore(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	require.NoError(t, b.prune(b.end(t)))
	clean := b.requireClean(t)
	b.alice.Tap("1")
	end := b.end(t)
	b.damage(t, `UPDATE completions SET user_id = 'mallory' WHERE ledger_offset = $1`, int64(end))
	_, steps := b.follow(t, telemetry.New())
	require.NotZero(t, reaches(t, steps, end).FindingCount)
	require.ErrorContains(t, b.auditor.ForgetFindings(t.Context(), b.DB, clean), "since this audit began")
	require.True(t, fault.UnsafeToPrune.Matches(b.prune(end)))
}

func TestCheckpoint_FindsHeadMovedBackBeforeIt(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	require.NoError(t, b.prune(b.end(t)))
	pruned := b.end(t)
	b.alice.Tap("1")
	require.NoError(t, b.prune(b.end(t)))
	b.damage(t, `UPDATE ledger_head SET ledger_offset = ledger_offset - 1, pruned_offset = $1`, int64(pruned))
	b.requireFound(t, audit.Chained, b.end(t), "somebody moved the head back")
}
