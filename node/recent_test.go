package node

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry"
	"github.com/florinledger/florin/telemetry/trouble"
)

// warned are the warnings by part.
func warned(parts []api.Part) map[string]string {
	found := map[string]string{}
	for _, part := range parts {
		if part.Warning != "" {
			found[part.Name] = part.Warning
		}
	}
	return found
}

// commits counts commits whose two steps take that long.
func commits(m *telemetry.Metrics, count int, lock, write time.Duration, completions ...ledger.Completion) {
	for range count {
		now := time.Unix(0, 0)
		commit := m.Commit(func() time.Time { return now })
		now = now.Add(lock)
		commit.Did("lock")
		now = now.Add(write)
		commit.Did("write")
		commit.Committed(completions)
	}
}

func TestRecent_WarnsOfEachTrouble(t *testing.T) {
	t.Parallel()
	m := telemetry.New()
	waited := 0.0
	r := newRecent(m.Totals, func() float64 { return waited })
	requests := func(count, status int) {
		for range count {
			m.Request("GET", "/x", status, time.Millisecond)
		}
	}
	commits(m, 100, time.Millisecond, 10*time.Millisecond)
	requests(100, 200)
	requests(fewForbidden, 403)
	require.Empty(t, warned(r.parts(nil)), "all is well")
	require.Equal(t, map[string]string{"lock": "a session is in the way"},
		warned(r.parts(errors.New("a session is in the way"))))
	r.take() // a minute begins

	commits(m, 3, time.Second, time.Second,
		ledger.Completion{CodeCost: ledger.MaxCommitCost}, ledger.Completion{
			Refusal: fault.SequencerNotEnoughTrafficCredit.New("none"),
		})
	requests(1, 403)
	requests(1, 500)
	requests(20, 429)
	m.Forged()
	waited += 120
	for range samplesOfMinute - 1 {
		r.take() // the busy minute before it no longer counts for averages
	}
	found := warned(r.parts(nil))
	require.Equal(t, map[string]string{
		"disk": "the write of a commit takes 1.00 s on average", "lock": "a commit waits 1.00 s for the head lock on average",
		"load":        "20 of 22 requests of the last minute were refused for load",
		"connections": "requests wait 2.0 s for database connections in each second",
		"errors":      "1 requests got 5xx in the last five minutes",
		"rights":      "5 requests were refused for missing rights in the last five minutes",
		"forged":      "1 submissions had no seal of this ledger in the last five minutes",
		"code":        "3 submissions used more than half of the budget of code of packages in the last five minutes",
		"traffic":     "3 submissions were refused because no traffic is left in the last five minutes",
	}, found)
	for part := range found {
		require.NotEmpty(t, trouble.NameOf(part), part)
	}
	for range samplesOfMinute {
		r.take()
	}
	found = warned(r.parts(nil))
	require.NotContains(t, found, "disk", "the last minute was well")
	require.Contains(t, found, "traffic", "an operator sees an event for five minutes")
	for range samplesKept {
		r.take()
	}
	require.Empty(t, warned(r.parts(nil)))
}

func TestCertificatePart_WarnsBeforeTheEnd(t *testing.T) {
	t.Parallel()
	end := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
	require.Empty(t, certificatePart(end, end.Add(-renewal)).Warning)
	require.Equal(t, "the certificate ends at 2027-01-31T00:00:00Z", certificatePart(end, end.Add(time.Second-renewal)).Warning)
}

func TestAudited_NamesFindingsAndDelay(t *testing.T) {
	t.Parallel()
	well := audited{end: farBehind}
	require.Empty(t, warned(well.parts()))
	failed := audited{state: audit.State{FindingCount: 2, Offset: 7}, end: farBehind + 8}
	require.Equal(t, map[string]string{
		"audit": "findings of the audit up to offset 7: 2", "auditor": "the audit is 100001 offsets behind",
	}, warned(failed.parts()))
}
