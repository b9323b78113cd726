package audit_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry"
)

// requireFound audits the record, and requires a finding with the words in its detail.
func (b *bundle) requireFound(t *testing.T, rule audit.Rule, offset ledger.Offset, words string) {
	t.Helper()
	report, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	for _, finding := range report.Findings {
		if finding.Rule == rule && finding.Offset == offset {
			require.Contains(t, finding.Detail, words)
			return
		}
	}
	require.Failf(t, "not found", "%s at offset %d: %v", rule, offset, report.Findings)
}

func TestChain_FindsChangedAndDeletedRows(t *testing.T) {
	t.Parallel()
	const follows = "the hash does not follow from the entry and the one before"
	tests := map[string]struct {
		// statement has one argument: the offset of the last entry, alice's tap.
		statement string
		words     string
	}{
		"an update changed": {`UPDATE updates SET workflow_id = 'other' WHERE ledger_offset = $1`, follows},
		"an event changed": {
			`UPDATE updates SET events = replace(events::text, '"choice":', '"choice": ')::json WHERE ledger_offset = $1`, follows,
		},
		"a completion changed": {`UPDATE completions SET user_id = 'mallory' WHERE ledger_offset = $1`, follows},
		"a completion changed with its digest": {
			`UPDATE completions SET user_id = 'mallory', digest = sha256(digest) WHERE ledger_offset = $1`, follows,
		},
		"a digest changed": {
			`UPDATE completions SET digest = sha256(digest) WHERE ledger_offset = $1`, "does not match its digest",
		},
		"a hash of another row": {
			`UPDATE updates SET hash = (SELECT hash FROM updates WHERE ledger_offset < $1 LIMIT 1) WHERE ledger_offset = $1`,
			"have different hashes",
		},
		"hashes that are made up": {
			`WITH u AS (UPDATE updates SET hash = sha256('') WHERE ledger_offset = $1)
				UPDATE completions SET hash = sha256('') WHERE ledger_offset = $1`, follows,
		},
		"a completion deleted": {
			`DELETE FROM completions WHERE ledger_offset = $1`, "the transaction has no completion",
		},
		"an update deleted": {
			`DELETE FROM updates WHERE ledger_offset = $1`, "the completion has no transaction",
		},
		"an update that cannot be read": {
			`UPDATE updates SET events = '{}' WHERE ledger_offset = $1`, "the update cannot be read",
		},
		"another transaction in its place": {
			`UPDATE updates SET update_id = 'other' WHERE ledger_offset = $1`, "the completion names transaction",
		},
		"the hash of the head": {
			`UPDATE ledger_head SET hash = sha256(hash) WHERE ledger_offset = $1`, "somebody changed one of them",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			b.damage(t, test.statement, int64(b.end(t)))
			b.requireFound(t, audit.Chained, b.end(t), test.words)
		})
	}
}

func TestChain_FindsDeletedEntries(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	first := b.end(t)
	b.alice.Tap("2")
	second := b.end(t)
	b.alice.Tap("3")
	for _, table := range []string{"updates", "completions"} {
		b.damage(t, `DELETE FROM `+table+` WHERE ledger_offset = $1`, second)
	}
	b.requireFound(t, audit.Chained, second, "there is neither an update nor a completion: somebody deleted them")
	for _, table := range []string{"updates", "completions"} {
		b.damage(t, `DELETE FROM `+table+` WHERE ledger_offset = $1`, first)
	}
	b.requireFound(t, audit.Chained, min(first, second), "somebody deleted them")
	// the largest offset: the audit must not loop over the missing offsets
	end := b.end(t)
	b.damage(t, `UPDATE ledger_head SET ledger_offset = 9223372036854775807`)
	b.requireFound(t, audit.Chained, end+1, "up to offset 9223372036854775807")
}

func TestChain_FindsAddedEntries(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	end := b.end(t)
	// a forged refusal with the hashes of another completion
	b.damage(t, `INSERT INTO completions (ledger_offset, submission_key, change_id, identity_provider_id, user_id,
			command_id, submission_id, act_as, refusal, traceparent, tracestate, record_time, paid_traffic_cost, digest, hash)
		SELECT ledger_offset + 1, 'forged', change_id, identity_provider_id, user_id, command_id, submission_id, act_as,
			'{}', '', '', record_time, 0, digest, hash
		FROM completions ORDER BY ledger_offset DESC LIMIT 1`)
	b.requireFound(t, audit.Chained, end, "1 updates and completions after the end of the record")
	b.damage(t, `UPDATE ledger_head SET ledger_offset = ledger_offset + 1`)
	b.requireFound(t, audit.Chained, end+1, "the hash does not follow")
}

func TestChain_FindsSwappedEntries(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	first := int64(b.end(t))
	b.alice.Tap("2")
	second := int64(b.end(t))
	for _, table := range []string{"updates", "completions"} {
		for _, move := range [][2]int64{{first, 1 << 40}, {second, first}, {1 << 40, second}} {
			b.damage(t, `UPDATE `+table+` SET ledger_offset = $2 WHERE ledger_offset = $1`, move[0], move[1])
		}
	}
	b.requireFound(t, audit.Chained, ledger.Offset(min(first, second)), "the hash does not follow")
}

// rechain computes all hashes anew from the rows, and stores them.
func (b *bundle) rechain(t *testing.T) {
	t.Helper()
	head, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	updates, err := b.DB.ChainedUpdates(t.Context(), head.Pruned, head.Offset, 1000)
	require.NoError(t, err)
	completions, err := b.DB.ChainedCompletions(t.Context(), head.Pruned, head.Offset, 1000)
	require.NoError(t, err)
	digests := map[ledger.Offset][2]db.Hash{}
	for _, update := range updates {
		digests[update.Offset] = [2]db.Hash{update.Digest}
	}
	for _, completion := range completions {
		digests[completion.Offset] = [2]db.Hash{digests[completion.Offset][0], completion.Digest}
	}
	hash, conn := head.PrunedHash, b.connect(t)
	exec := func(statement string, arguments ...any) {
		_, err := conn.Exec(t.Context(), statement, arguments...)
		require.NoError(t, err)
	}
	for offset := head.Pruned + 1; offset <= head.Offset; offset++ {
		of := digests[offset]
		hash = hash.Next(offset, of[0], of[1])
		exec(`UPDATE updates SET hash = $2 WHERE ledger_offset = $1`, int64(offset), hash[:])
		exec(`UPDATE completions SET hash = $2, digest = $3 WHERE ledger_offset = $1`, int64(offset), hash[:], of[1][:])
	}
	exec(`UPDATE ledger_head SET hash = $1`, hash[:])
}

func (b *bundle) cleanHead(t *testing.T) db.ChainHead {
	t.Helper()
	report := b.requireClean(t)
	return report.Head()
}

// expecting audits the record with an expected head.
func (b *bundle) expecting(t *testing.T, written db.ChainHead) (audit.Report, error) {
	t.Helper()
	auditor, err := audit.New(b.DB, b.Packages, b.Node.Network())
	require.NoError(t, err)
	auditor.Expect(written)
	return auditor.Audit(t.Context(), 0)
}

// The chain of a completely rewritten record is valid: only an earlier head shows the change.
func TestChain_FindsRewrittenRecordByAnEarlierHead(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	written := b.cleanHead(t)
	b.alice.Tap("1")
	require.NoError(t, b.prune(1)) // starts the continuous audit
	_, steps := b.follow(t, telemetry.New())
	reaches(t, steps, b.end(t))
	report, err := b.expecting(t, written)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)

	b.damage(t, `UPDATE updates SET workflow_id = 'other' WHERE ledger_offset = $1`, int64(written.Offset))
	b.requireFound(t, audit.Chained, written.Offset, "the hash does not follow")
	b.rechain(t)
	b.requireFound(t, audit.Chained, b.end(t), "but the checkpoint of the continuous audit says")
	b.damage(t, `UPDATE audit_checkpoint
		SET state = (state::jsonb || jsonb_build_object('hash', (SELECT encode(hash, 'hex') FROM ledger_head)))::json`)
	b.requireClean(t)
	report, err = b.expecting(t, written)
	require.NoError(t, err)
	require.Len(t, report.Findings, 1)
	require.Equal(t, written.Offset, report.Findings[0].Offset)
	require.Contains(t, report.Findings[0].Detail, "but the expected head says")
}

func TestChain_FindsDeletedEndByAnEarlierHead(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	end := b.end(t)
	b.ActingAs("both", b.alice.Party, b.Node.DSO)
	b.Call("both", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
		"commands": []any{map[string]any{"ExerciseCommand": map[string]any{
			"templateId": "#splice-amulet:Splice.Amulet:Amulet", "contractId": "00" + strings.Repeat("ab", 33), "choice": "Archive",
			"choiceArgument": map[string]any{},
		}}},
		"commandId": "refused", "actAs": []ledger.Party{b.alice.Party, b.Node.DSO},
	})
	written := b.cleanHead(t)
	require.Equal(t, end+1, written.Offset)
	b.damage(t, `DELETE FROM completions WHERE ledger_offset = $1`, int64(written.Offset))
	b.damage(t, `DELETE FROM completion_parties WHERE ledger_offset = $1`, int64(written.Offset))
	b.damage(t, `UPDATE ledger_head SET ledger_offset = $1, hash = (SELECT hash FROM updates WHERE ledger_offset = $1)`,
		int64(end))
	b.requireClean(t)
	report, err := b.expecting(t, written)
	require.NoError(t, err)
	require.Len(t, report.Findings, 1)
	require.Contains(t, report.Findings[0].Detail, "somebody deleted the end of the record")
}

func TestChain_ContinuesAcrossAPrune(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	early := b.cleanHead(t)
	b.alice.Tap("1")
	pruned := b.cleanHead(t)
	b.alice.Tap("2")
	last := b.cleanHead(t)
	require.NoError(t, b.prune(pruned.Offset))
	for _, written := range []db.ChainHead{pruned, last} {
		report, err := b.expecting(t, written)
		require.NoError(t, err)
		require.True(t, report.Clean(), "%v", report.Findings)
		written.Hash[0]++
		report, err = b.expecting(t, written)
		require.NoError(t, err)
		require.Len(t, report.Findings, 1)
		require.Equal(t, written.Offset, report.Findings[0].Offset)
	}
	_, err := b.expecting(t, early)
	require.True(t, fault.ParticipantPrunedDataAccessed.Matches(err), "%v", err)
	b.damage(t, `UPDATE ledger_head SET pruned_hash = sha256(pruned_hash)`)
	b.requireFound(t, audit.Chained, pruned.Offset+1, "the hash does not follow")
}

func TestChain_FindsChangedCompletionLeftByAPrune(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	tapped := b.end(t)
	require.NoError(t, b.prune(tapped))
	b.requireClean(t)
	b.damage(t, `UPDATE completions SET change_id = 'another' WHERE ledger_offset = $1`, tapped)
	b.requireFound(t, audit.Chained, tapped, "the completion does not match its digest")
}

func TestAudit_FindsWrongRowsInActiveContracts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ statement, words string }{
		"not listed": {
			`DELETE FROM active_contracts WHERE contract_id = $1 AND party LIKE 'alice%'`, "for 1 stakeholders of the contract",
		},
		"marked otherwise": {
			`UPDATE active_contracts SET in_network = false WHERE contract_id = $1`, "for 2 stakeholders of the contract",
		},
		"of another template": {
			`UPDATE active_contracts SET template_id = 'other' WHERE contract_id = $1 AND party LIKE 'alice%'`,
			"for 1 stakeholders of the contract",
		},
		"listed for a stranger": {
			`INSERT INTO active_contracts SELECT 'mallory', created_offset, created_node_id, template_id, contract_id, in_network
				FROM active_contracts WHERE contract_id = $1 LIMIT 1`, "for a party that is no stakeholder",
		},
		"listed and not there": {
			`UPDATE active_contracts SET contract_id = 'none' WHERE contract_id = $1`, "for 2 stakeholders of the contract",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			b.damage(t, test.statement, b.coin)
			b.requireFound(t, audit.Unchanged, b.end(t), test.words)
		})
	}
}

func TestAudit_FindsWrongMarkOfAContractThatIsNoCoin(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	report, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	b.damage(t, `UPDATE contracts SET in_network = NOT in_network
		WHERE archived_offset IS NULL AND template_id LIKE '%:Splice.AmuletRules:AmuletRules'`)
	report, err = b.auditor.Close(t.Context(), report.State)
	require.NoError(t, err)
	require.NotEmpty(t, report.Findings)
	require.Equal(t, audit.Unchanged, report.Findings[0].Rule)
	again, err := b.auditor.Close(t.Context(), report.State)
	require.NoError(t, err)
	require.Equal(t, report.FindingCount, again.FindingCount, "the same finding counts once")
}

// The continuous audit has already passed the changed entries.
func TestPrune_RefusesEntriesChangedAfterTheAudit(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"a column": {`UPDATE updates SET user_id = 'another' WHERE ledger_offset = $1`},
		"an entry": {
			`DELETE FROM completion_parties WHERE ledger_offset = $1`, `DELETE FROM update_parties WHERE ledger_offset = $1`,
			`DELETE FROM completions WHERE ledger_offset = $1`, `DELETE FROM updates WHERE ledger_offset = $1`,
		},
		"both hashes": {
			`UPDATE updates SET hash = sha256('other') WHERE ledger_offset = $1`,
			`UPDATE completions SET hash = sha256('other') WHERE ledger_offset = $1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			damaged := b.end(t)
			b.alice.Tap("1")
			require.NoError(t, b.prune(1))
			_, steps := b.follow(t, telemetry.New())
			reaches(t, steps, b.end(t))
			for _, statement := range statements {
				b.damage(t, statement, int64(damaged))
			}
			require.True(t, fault.UnsafeToPrune.Matches(b.prune(damaged)))
			b.alice.Tap("2")
			require.True(t, fault.UnsafeToPrune.Matches(b.prune(b.end(t))), "the finding stays")
		})
	}
}
