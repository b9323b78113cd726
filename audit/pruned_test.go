package audit_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry"
)

// prune prunes as the node does.
func (b *bundle) prune(upTo ledger.Offset) error {
	_, err := audit.NewPruner(b.auditor, b.DB).Prune(context.Background(), upTo)
	return err
}

func (b *bundle) requireClean(t *testing.T) audit.Report {
	t.Helper()
	report, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	return report
}

// kept is what the continuous audit knows, after it has compared all that is active with it.
func (b *bundle) kept(t *testing.T) audit.Report {
	t.Helper()
	state, ok, err := audit.Load(t.Context(), b.DB)
	require.NoError(t, err)
	require.True(t, ok)
	report, err := b.auditor.Continue(t.Context(), state, 0)
	require.NoError(t, err)
	return report
}

func TestAudit_SumsContinueAcrossAPrune(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	tapped := b.end(t)
	require.NoError(t, b.prune(tapped))
	burned := b.archive(t)
	report := b.requireClean(t)
	require.Equal(t, tapped, report.Start)
	require.Zero(t, report.Since, "all is proved, though some of it is pruned")
	kept := b.kept(t)
	require.True(t, kept.Clean(), "%v", kept.Findings)
	require.Zero(t, kept.Start)
	require.Equal(t, "100.0000000000", kept.Minted.String())
	require.Equal(t, "100.0000000000", kept.Burned.String())
	require.NoError(t, b.prune(burned))
	require.NoError(t, b.prune(tapped), "what was pruned is no more to prove")
	require.Zero(t, b.requireClean(t).Since)

	// The offset may lie before that of the continuous audit.
	b.alice.Tap("1")
	b.alice.Tap("2")
	require.NoError(t, b.prune(b.end(t)-1))
	b.alice.Tap("3")
	report, err := b.auditor.Audit(t.Context(), b.end(t)-1)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	require.Equal(t, "3.0000000000", report.Counted.String())
}

// writes are what somebody writes beside the node, each of one contract that is left when the record is pruned. The
// sums of coin do not change by them.
func writes(t *testing.T) map[string]func(*testing.T, *bundle) {
	t.Helper()
	return map[string]func(*testing.T, *bundle){
		"spent coin brought back for held coin": func(t *testing.T, b *bundle) {
			t.Helper()
			b.damage(t, `INSERT INTO contracts SELECT * FROM spent`)
			b.damage(t, `INSERT INTO active_contracts SELECT * FROM spent_listings`)
			b.damage(t, `DELETE FROM active_contracts WHERE contract_id = (SELECT held FROM coins)`)
			b.damage(t, `DELETE FROM contracts WHERE contract_id = (SELECT held FROM coins)`)
		},
		"a contract that is no coin deleted": func(t *testing.T, b *bundle) {
			t.Helper()
			b.damage(t, `DELETE FROM active_contracts WHERE template_id LIKE '%:ExternalPartyAmuletRules'`)
			b.damage(t, `DELETE FROM contracts WHERE template_id LIKE '%:ExternalPartyAmuletRules'`)
		},
		"a contract moved": func(t *testing.T, b *bundle) {
			t.Helper()
			b.damage(t, `UPDATE active_contracts SET created_node_id = 77 WHERE contract_id = (SELECT held FROM coins)`)
			b.damage(t, `UPDATE contracts SET created_node_id = 77 WHERE contract_id = (SELECT held FROM coins)`)
		},
	}
}

// spend burns the bundle's coin, keeps its rows aside, and taps another one of the same amount.
func (b *bundle) spend(t *testing.T) {
	t.Helper()
	b.damage(t, `CREATE TABLE spent AS SELECT * FROM contracts WHERE contract_id = '`+string(b.coin)+`'`)
	b.damage(t, `CREATE TABLE spent_listings AS SELECT * FROM active_contracts WHERE contract_id = '`+string(b.coin)+`'`)
	b.archive(t)
	b.damage(t, `CREATE TABLE coins AS SELECT '`+b.alice.Tap("100")+`'::text AS held`)
}

// TestAudit_FindsForeignRowsAfterAPrune writes beside the node after a prune.
func TestAudit_FindsForeignRowsAfterAPrune(t *testing.T) {
	t.Parallel()
	for name, write := range writes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			b.spend(t)
			pruned := b.end(t)
			require.NoError(t, b.prune(pruned))
			b.requireClean(t)
			write(t, b)
			b.requireFound(t, audit.Active, pruned, "are active")
			require.Equal(t, audit.Active, b.kept(t).Findings[0].Rule)
			b.alice.Tap("1")
			b.requireFound(t, audit.Active, pruned, "are active")
			require.True(t, fault.UnsafeToPrune.Matches(b.prune(b.end(t))))
		})
	}
}

// TestPrune_RefusesARecordThatBreaksARule writes beside the node before a prune, behind the continuous audit and
// before it.
func TestPrune_RefusesARecordThatBreaksARule(t *testing.T) {
	t.Parallel()
	tests := writes(t)
	tests["spent coin brought back for held coin"] = func(t *testing.T, b *bundle) {
		t.Helper()
		b.damage(t, `UPDATE contracts SET archived_offset = NULL WHERE contract_id = (SELECT contract_id FROM spent)`)
		b.damage(t, `UPDATE contracts SET archived_offset = created_offset WHERE contract_id = (SELECT held FROM coins)`)
	}
	for name, write := range tests {
		for where, audited := range map[string]bool{"audited": true, "not audited": false} {
			t.Run(name+", "+where, func(t *testing.T) {
				t.Parallel()
				b := newBundle(t)
				first := b.end(t)
				b.spend(t)
				if audited {
					require.NoError(t, b.prune(1)) // the continuous audit is begun
					_, steps := b.follow(t, telemetry.New())
					reaches(t, steps, b.end(t))
				}
				write(t, b)
				for range 2 {
					err := b.prune(first)
					if !audited && err == nil { // what comes after the offset was not audited yet
						err = b.prune(b.end(t))
					}
					require.True(t, fault.UnsafeToPrune.Matches(err), "%v", err)
				}
				head, err := b.DB.Head(t.Context())
				require.NoError(t, err)
				require.LessOrEqual(t, head.Pruned, first)
			})
		}
	}
}

// TestForgetFindings_TakesARepairedRecord damages a record and mends it, never pruned and pruned.
func TestForgetFindings_TakesARepairedRecord(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for range 2 {
		end := b.end(t)
		b.damage(t, `UPDATE updates SET hash = sha256(hash) WHERE ledger_offset = $1`, int64(end))
		require.True(t, fault.UnsafeToPrune.Matches(b.prune(end)))
		damaged, err := b.auditor.Audit(t.Context(), 0)
		require.NoError(t, err)
		require.ErrorContains(t, b.auditor.ForgetFindings(t.Context(), b.DB, damaged), "still breaks a rule")
		b.damage(t, `UPDATE updates AS u SET hash = c.hash FROM completions AS c
			WHERE u.ledger_offset = $1 AND c.ledger_offset = $1`, int64(end))
		require.True(t, fault.UnsafeToPrune.Matches(b.prune(end)), "a finding stays")
		require.NoError(t, b.auditor.ForgetFindings(t.Context(), b.DB, b.requireClean(t)))
		require.NoError(t, b.prune(end))
		kept := b.kept(t)
		require.True(t, kept.Clean(), "%v", kept.Findings)
		b.alice.Tap("1")
	}
}

// TestCheckpoint_ChangesAreFound changes what the audit knows of what was pruned.
func TestCheckpoint_ChangesAreFound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		statement string
		rule      audit.Rule
		words     string
	}{
		"deleted": {`DELETE FROM audit_checkpoint`, audit.Chained, "is not there"},
		"changed": {
			`UPDATE audit_checkpoint SET state = replace(state::text, '"101.0', '"201.0')::json`, audit.Held, "held",
		},
		"an older one": {
			`UPDATE audit_checkpoint SET (ledger_offset, finding_count, state) =
				(SELECT ledger_offset, finding_count, state FROM older)`, audit.Chained, "an older one was put in its place",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			require.NoError(t, b.prune(b.end(t)))
			b.damage(t, `CREATE TABLE older AS SELECT * FROM audit_checkpoint`)
			b.alice.Tap("1")
			pruned := b.end(t)
			require.NoError(t, b.prune(pruned))
			b.damage(t, test.statement)
			b.requireFound(t, test.rule, pruned, test.words)
			log, steps := b.follow(t, telemetry.New()) // which goes on, and does not forget it
			b.alice.Tap("1")
			require.NotZero(t, reaches(t, steps, b.end(t)).FindingCount)
			require.Contains(t, log.String(), test.words)
			require.True(t, fault.UnsafeToPrune.Matches(b.prune(pruned)))
			state, ok, err := audit.Load(t.Context(), b.DB)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, test.rule == audit.Chained, state.Start == pruned, "it begins with what is there where nothing is known")
		})
	}
}

// TestPrune_OfAnHonestRecordIsNoFinding prunes again and again while coin is tapped and two workers audit.
func TestPrune_OfAnHonestRecordIsNoFinding(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	_, steps := b.follow(t, telemetry.New())
	_, more := b.follow(t, telemetry.New())
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() {
		for range 20 {
			b.alice.Tap("1")
		}
	})
	for range 10 {
		head, err := b.DB.Head(t.Context())
		require.NoError(t, err)
		require.NoError(t, b.prune(head.Offset-1)) // whoever tapped last still reads the transaction
	}
	work.Wait()
	end := b.end(t)
	require.NoError(t, b.prune(end))
	b.alice.Tap("1")
	for _, each := range []<-chan audit.State{steps, more} {
		state := reaches(t, each, end+1)
		require.Zero(t, state.FindingCount, "%v", state.Findings)
		require.Zero(t, state.Start)
	}
	require.Zero(t, b.requireClean(t).Since)
	kept := b.kept(t)
	require.True(t, kept.Clean(), "%v", kept.Findings)
	require.Equal(t, "121.0000000000", kept.Minted.String())
}
