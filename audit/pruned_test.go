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

// continuousAudit loads the state of the continuous audit and closes it at the end of the record.
func (b *bundle) continuousAudit(t *testing.T) audit.Report {
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
	require.Zero(t, report.Since, "pruned entries are proved too")
	kept := b.continuousAudit(t)
	require.True(t, kept.Clean(), "%v", kept.Findings)
	require.Zero(t, kept.Start)
	require.Equal(t, "100.0000000000", kept.Minted.String())
	require.Equal(t, "100.0000000000", kept.Burned.String())
	require.NoError(t, b.prune(burned))
	require.NoError(t, b.prune(tapped), "a second prune of the same offset does nothing")
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

// foreignWrites change a contract that remains after the prune, but not the sums of coin.
func foreignWrites(t *testing.T) map[string]func(*testing.T, *bundle) {
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

// spend burns the coin of the bundle, copies its rows to other tables, and taps a coin of the same amount.
func (b *bundle) spend(t *testing.T) {
	t.Helper()
	b.damage(t, `CREATE TABLE spent AS SELECT * FROM contracts WHERE contract_id = '`+string(b.coin)+`'`)
	b.damage(t, `CREATE TABLE spent_listings AS SELECT * FROM active_contracts WHERE contract_id = '`+string(b.coin)+`'`)
	b.archive(t)
	b.damage(t, `CREATE TABLE coins AS SELECT '`+b.alice.Tap("100")+`'::text AS held`)
}

func TestAudit_FindsForeignRowsAfterAPrune(t *testing.T) {
	t.Parallel()
	for name, write := range foreignWrites(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			b.spend(t)
			pruned := b.end(t)
			require.NoError(t, b.prune(pruned))
			b.requireClean(t)
			write(t, b)
			b.requireFound(t, audit.Active, pruned, "are active")
			require.Equal(t, audit.Active, b.continuousAudit(t).Findings[0].Rule)
			b.alice.Tap("1")
			b.requireFound(t, audit.Active, pruned, "are active")
			require.True(t, fault.UnsafeToPrune.Matches(b.prune(b.end(t))))
		})
	}
}

// The foreign writes come before the prune, and either before or after the continuous audit passes them.
func TestPrune_RefusesARecordThatBreaksARule(t *testing.T) {
	t.Parallel()
	tests := foreignWrites(t)
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
					require.NoError(t, b.prune(1)) // starts the continuous audit
					_, steps := b.follow(t, telemetry.New())
					reaches(t, steps, b.end(t))
				}
				write(t, b)
				for range 2 {
					err := b.prune(first)
					if !audited && err == nil { // the prune does not audit entries after the offset
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

// The first round repairs a record that was never pruned, the second one a pruned record.
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
		kept := b.continuousAudit(t)
		require.True(t, kept.Clean(), "%v", kept.Findings)
		b.alice.Tap("1")
	}
}

func TestCheckpoint_FindsForeignWrites(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		statement string
		rule      audit.Rule
		words     string
	}{
		"deleted": {`DELETE FROM audit_checkpoint`, audit.Chained, "is missing"},
		"changed": {
			`UPDATE audit_checkpoint SET state = replace(state::text, '"101.0', '"201.0')::json`, audit.Held, "held",
		},
		"an older one": {
			`UPDATE audit_checkpoint SET (ledger_offset, finding_count, state) =
				(SELECT ledger_offset, finding_count, state FROM older)`,
			audit.Chained, "somebody put an older checkpoint in its place",
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
			log, steps := b.follow(t, telemetry.New()) // it continues and keeps the finding
			b.alice.Tap("1")
			require.NotZero(t, reaches(t, steps, b.end(t)).FindingCount)
			require.Contains(t, log.String(), test.words)
			require.True(t, fault.UnsafeToPrune.Matches(b.prune(pruned)))
			state, ok, err := audit.Load(t.Context(), b.DB)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, test.rule == audit.Chained, state.Start == pruned, "without a checkpoint it begins after the prune")
		})
	}
}

func TestPrune_RunsBesideCommitsAndAuditsWithoutFindings(t *testing.T) {
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
		require.NoError(t, b.prune(head.Offset-1)) // the last Tap still reads its transaction
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
	kept := b.continuousAudit(t)
	require.True(t, kept.Clean(), "%v", kept.Findings)
	require.Equal(t, "121.0000000000", kept.Minted.String())
}
