package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry"
)

func TestTotals_CountWhatCameSince(t *testing.T) {
	t.Parallel()
	m := telemetry.New()
	now := time.Unix(0, 0)
	commit := func(completions ...ledger.Completion) {
		one := m.Commit(func() time.Time { return now })
		now = now.Add(time.Second)
		one.Did("lock")
		now = now.Add(2 * time.Second)
		one.Did("write")
		one.Committed(completions)
	}
	commit(ledger.Completion{CodeCost: ledger.MaxCommitCost})
	m.Request("GET", "/x", 403, 0)
	before := m.Totals()
	require.InDelta(t, 1, before.Of(telemetry.Forbidden), 0)
	commit(ledger.Completion{CodeCost: ledger.MaxCommitCost / 4},
		ledger.Completion{Refusal: fault.SequencerNotEnoughTrafficCredit.New("none")})
	commit(ledger.Completion{CodeCost: ledger.MaxCommitCost})
	for _, status := range []int{200, 403, 429, 503, 500, 502} {
		m.Request("GET", "/x", status, 0)
	}
	m.Forged()
	since := m.Totals().Since(before)
	for total, want := range map[telemetry.Total]float64{
		telemetry.Commits: 2, telemetry.LockSeconds: 2, telemetry.WriteSeconds: 4, telemetry.Requests: 6,
		telemetry.RefusedForLoad: 2, telemetry.Forbidden: 1, telemetry.ServerErrors: 2, telemetry.Forged: 1,
		telemetry.ExpensiveCode: 1,
	} {
		require.InDelta(t, want, since.Of(total), 1e-9, total)
	}
	require.InDelta(t, 1, since.Submissions("SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT"), 0)
	require.InDelta(t, 2, since.Submissions("accepted"), 0)
}
