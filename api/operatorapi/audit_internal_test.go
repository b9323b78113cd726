package operatorapi

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
)

// endless is a record that is not read in time.
type endless struct{ audit.Reader }

func (endless) Head(ctx context.Context) (db.Head, error) {
	<-ctx.Done()
	return db.Head{}, ctx.Err()
}

// gone is a record whose next entries were pruned.
type gone struct{ audit.Reader }

func (gone) Head(context.Context) (db.Head, error) {
	return db.Head{}, fault.PrunedDataAccessed(70, 80)
}

// proved is the result of the continuous audit.
type proved struct {
	audit.Checkpoints

	state audit.State
}

func (p proved) AuditCheckpoint(context.Context) (db.AuditCheckpoint, bool, error) {
	text, err := json.Marshal(p.state)
	return db.AuditCheckpoint{Offset: p.state.Offset, State: text}, true, err
}

// For a record of any length, the answer is the result of the continuous audit. Only a request for more gets an error.
func TestAudit_TimeoutReturnsLastProvedState(t *testing.T) {
	t.Parallel()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	auditor, err := audit.New(endless{}, packages, ledger.Network{})
	require.NoError(t, err)
	coin := decimal.MustParse
	state := audit.State{
		Offset: 70, RecordTime: time.Unix(1_800_000_000, 0).UTC(), Minted: coin("12"), Burned: coin("2"), Held: coin("10"),
		Holdings: 3, Updates: 60, FindingCount: 1, Findings: []audit.Finding{{Rule: audit.Held, Offset: 9}},
	}
	a := &API{options: Options{Auditor: auditor, Checkpoints: proved{state: state}}, goOnFor: time.Millisecond}
	lost, err := audit.New(gone{}, packages, ledger.Network{})
	require.NoError(t, err)
	pruned := &API{options: Options{Auditor: lost, Checkpoints: proved{state: state}}, goOnFor: time.Hour}
	_, err = pruned.audit(t.Context(), auditRequest{Offset: new(int64(71))})
	require.True(t, fault.ParticipantPrunedDataAccessed.Matches(err))
	for name, asked := range map[string]struct {
		of     *API
		offset *int64
	}{
		"up to the end": {of: a}, "up to a later offset": {a, new(int64(71))}, "what comes next is pruned now": {of: pruned},
	} {
		answer, err := asked.of.audit(t.Context(), auditRequest{Offset: asked.offset})
		require.NoError(t, err, name)
		require.False(t, answer.Complete)
		require.False(t, answer.Clean)
		require.Equal(t, state.Findings, answer.Findings)
		require.EqualValues(t, 1, answer.FindingCount)
		require.Equal(t, state.Offset, answer.Offset)
		require.Equal(t, state.RecordTime, time.Time(*answer.RecordTime))
		require.Equal(t, "10.0000000000", answer.Supply.String())
		require.Equal(t, state.Held, answer.Held)
		require.EqualValues(t, 3, answer.Holdings)
	}
	brief, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for name, asked := range map[string]auditRequest{
		"anew": {Full: true}, "as of an earlier offset": {Offset: new(int64(7))},
	} {
		_, err := a.audit(brief, asked)
		require.ErrorContains(t, err, "florin audit", name)
	}
}
