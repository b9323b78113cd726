package audit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/seal"
)

// requireFound audits the record, and requires a finding that says the words.
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

// forgedSeal is a seal that somebody made who does not know the keys.
func forgedSeal(t *testing.T, key int32) string {
	t.Helper()
	keys, err := seal.NewKeys(seal.Key{ID: key, Secret: make([]byte, seal.SecretBytes)})
	require.NoError(t, err)
	mark, err := keys.Of(seal.Update, ledger.Update{})
	require.NoError(t, err)
	return mark
}

// TestWhatNoNodeWroteIsFound changes, deletes and adds rows of the record, and requires that the audit tells each.
func TestWhatNoNodeWroteIsFound(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// statement has the offset of the last entry, alice's tap, as its argument.
		statement string
		words     string
	}{
		"an update changed": {
			`UPDATE updates SET workflow_id = 'other' WHERE ledger_offset = $1`, "the seal of the update does not belong to it",
		},
		"an event changed": {
			`UPDATE updates SET events = replace(events::text, '"choice":', '"choice": ')::json WHERE ledger_offset = $1`,
			"the seal of the update does not belong to it",
		},
		"a completion changed": {
			`UPDATE completions SET user_id = 'mallory' WHERE ledger_offset = $1`,
			"the seal of the completion does not belong to it",
		},
		"a seal removed": {
			`UPDATE completions SET seal = NULL WHERE ledger_offset = $1`, "the completion has no seal",
		},
		"a seal of another row": {
			`UPDATE updates SET seal = (SELECT seal FROM updates WHERE ledger_offset < $1 LIMIT 1) WHERE ledger_offset = $1`,
			"the seal of the update does not belong to it",
		},
		"a seal of an unknown key": {
			`UPDATE updates SET seal = '` + forgedSeal(t, 9) + `' WHERE ledger_offset = $1`, "of a key that the record does not",
		},
		"a seal made without the key": {
			`UPDATE updates SET seal = '` + forgedSeal(t, 1) + `' WHERE ledger_offset = $1`, "does not belong to it",
		},
		"a seal of no form": {
			`UPDATE updates SET seal = 'nonsense' WHERE ledger_offset = $1`, "of a key that the record does not",
		},
		"a completion deleted": {
			`DELETE FROM completions WHERE ledger_offset = $1`, "the transaction has no completion",
		},
		"an update deleted": {
			`DELETE FROM updates WHERE ledger_offset = $1`, "the completion is of a transaction that is not there",
		},
		"an update that cannot be read": {
			`UPDATE updates SET events = '{}' WHERE ledger_offset = $1`, "the update cannot be read",
		},
		"another transaction in its place": {
			`UPDATE updates SET update_id = 'other' WHERE ledger_offset = $1`, "does not belong to it",
		},
		"the keys deleted": {`DELETE FROM seal_keys WHERE $1 > 0`, "of a key that the record does not have"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			b.damage(t, test.statement, int64(b.end(t)))
			b.requireFound(t, audit.Sealed, b.end(t), test.words)
		})
	}
}

func TestEntriesThatWereDeletedAreFound(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	first := b.end(t)
	b.alice.Tap("2")
	second := b.end(t)
	b.alice.Tap("3")
	for _, table := range []string{"updates", "completions"} {
		b.damage(t, `DELETE FROM `+table+` WHERE ledger_offset = $1`, second)
	}
	b.requireFound(t, audit.Sealed, second, "there is neither an update nor a completion: what was here was deleted")
	for _, table := range []string{"updates", "completions"} {
		b.damage(t, `DELETE FROM `+table+` WHERE ledger_offset = $1`, first)
	}
	b.requireFound(t, audit.Sealed, min(first, second), "what was here was deleted")
	// A record that says of itself that it is longer than anybody can count.
	end := b.end(t)
	b.damage(t, `UPDATE ledger_head SET ledger_offset = 9223372036854775807`)
	b.requireFound(t, audit.Sealed, end+1, "up to offset 9223372036854775807")
}

func TestEntriesThatWereAddedAreFound(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	end := b.end(t)
	// A refusal that was acknowledged to nobody, with the seal of another one.
	b.damage(t, `INSERT INTO completions (ledger_offset, submission_key, change_id, identity_provider_id, user_id,
			command_id, submission_id, act_as, refusal, traceparent, tracestate, record_time, paid_traffic_cost, seal)
		SELECT ledger_offset + 1, 'forged', change_id, identity_provider_id, user_id, command_id, submission_id, act_as,
			'{}', '', '', record_time, 0, seal
		FROM completions ORDER BY ledger_offset DESC LIMIT 1`)
	b.requireFound(t, audit.Sealed, end, "1 updates and completions after the end of the record")
	b.damage(t, `UPDATE ledger_head SET ledger_offset = ledger_offset + 1`)
	b.requireFound(t, audit.Sealed, end+1, "the seal of the completion does not belong to it")
}

func TestKeysThatWereReplacedGoOnToCount(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for range 2 {
		_, err := b.DB.AddSealKey(t.Context())
		require.NoError(t, err)
		b.alice.Tap("1")
	}
	report, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	require.Greater(t, report.Sealed, report.Updates)
	require.Zero(t, report.Unsealed)

	// What has a seal of a key that was made later was not written then.
	end := b.end(t)
	b.damage(t, `UPDATE seal_keys SET since_offset = $1 WHERE key_id = 3`, end)
	b.requireFound(t, audit.Sealed, end, "which was made later")
	b.damage(t, `DELETE FROM seal_keys WHERE key_id = 3`)
	b.requireFound(t, audit.Sealed, end, "of a key that the record does not have")
}

func TestEntriesFromBeforeTheSealsNeedNone(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	began := b.end(t)
	b.damage(t, `UPDATE seal_keys SET since_offset = $1`, began)
	b.damage(t, `UPDATE updates SET seal = NULL`)
	b.damage(t, `UPDATE completions SET seal = NULL`)
	b.alice.Tap("1")
	report, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	require.Positive(t, report.Unsealed)
	require.EqualValues(t, 2, report.Sealed)
}

func TestWhatPruningLeftIsCheckedToo(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	tapped := b.end(t)
	require.NoError(t, b.prune(tapped))
	report, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	b.damage(t, `UPDATE completions SET change_id = 'another' WHERE ledger_offset = $1`, tapped)
	b.requireFound(t, audit.Sealed, tapped, "the seal of the completion does not belong to it")
}

// TestCopiesThatDifferAreFound changes what readers find contracts by.
func TestCopiesThatDifferAreFound(t *testing.T) {
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

// TestEveryActiveContractIsExamined changes a contract that is no coin.
func TestEveryActiveContractIsExamined(t *testing.T) {
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
	require.Equal(t, report.FindingCount, again.FindingCount, "what is found again is one finding")
}
