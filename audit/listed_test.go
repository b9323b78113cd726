package audit_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// offer makes an offer from alice to bob with a tracking id, and returns its offset.
func (b *bundle) offer(t *testing.T, bob *apitest.Wallet) ledger.Offset {
	t.Helper()
	b.alice.Create("#splice-wallet:Splice.Wallet.TransferOffer:TransferOffer", map[string]any{
		"sender": b.alice.Party, "receiver": bob.Party, "dso": b.Node.DSO,
		"amount":      map[string]any{"amount": "1.0", "unit": "AmuletUnit"},
		"description": "", "trackingId": "lunch", "expiresAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
	})
	return b.end(t)
}

func TestAudit_FindsMissingAndWrongListingRows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		// statement has one argument: the offset of alice's offer to bob.
		statement string
		words     string
	}{
		"a completion hidden": {
			`DELETE FROM completion_parties WHERE ledger_offset = $1`, "table completion_parties lacks the completion",
		},
		"a completion under another user": {
			`UPDATE completion_parties SET user_id = 'mallory' WHERE ledger_offset = $1`,
			"table completion_parties lacks the completion",
		},
		"a completion shown to a stranger": {
			`INSERT INTO completion_parties (identity_provider_id, user_id, party, ledger_offset)
				SELECT identity_provider_id, 'mallory', 'mallory', ledger_offset FROM completion_parties
				WHERE ledger_offset = $1`, "completion_parties has 1 rows that no entry of the record explains",
		},
		"a payment hidden": {
			`DELETE FROM update_parties WHERE ledger_offset = $1 AND party LIKE 'bob%'`,
			"table update_parties lacks the update",
		},
		"a payment left out of the history": {
			`UPDATE update_parties SET in_history = false WHERE in_history AND ledger_offset < $1 AND party LIKE 'alice%'`,
			"update_parties leaves the update out of the history",
		},
		"a payment shown to a stranger": {
			`INSERT INTO update_parties (party, ledger_offset) VALUES ('mallory', $1)`,
			"update_parties has 1 rows that no entry of the record explains",
		},
		"a request forgotten": {
			`DELETE FROM tracked_requests WHERE ledger_offset = $1 AND party LIKE 'alice%'`,
			"table tracked_requests lacks the transfer-offer",
		},
		"a request put back": {
			`UPDATE tracked_requests SET ledger_offset = ledger_offset - 1 WHERE ledger_offset = $1 AND party LIKE 'alice%'`,
			"tracked_requests has an earlier state of the transfer-offer",
		},
		"a request completed by nobody": {
			`UPDATE tracked_requests SET state = '{"status":"completed"}' WHERE ledger_offset = $1 AND party LIKE 'alice%'`,
			"tracked_requests has a wrong state of the transfer-offer",
		},
		"a request that nobody made": {
			`INSERT INTO tracked_requests (party, kind, requester, tracking_hash, ledger_offset, state)
				VALUES ('mallory', 'transfer-offer', 'mallory', '', $1, '{}')`,
			"tracked_requests has 1 rows that no entry of the record explains",
		},
		"a party deleted": {
			`DELETE FROM parties WHERE party LIKE 'carol%' AND $1 > 0`, "table parties lacks a party",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			bob := b.Wallet("bob")
			b.Rights("root", ledger.Right{Kind: ledger.ParticipantAdmin})
			b.Call("root", http.MethodPost, "/v2/parties", map[string]any{"partyIdHint": "carol"}).OK(nil)
			offered := b.offer(t, bob)
			b.requireClean(t)
			b.damage(t, test.statement, int64(offered))
			report, err := b.auditor.Audit(t.Context(), 0)
			require.NoError(t, err)
			require.NotEmpty(t, report.Findings)
			for _, finding := range report.Findings {
				require.Equal(t, audit.Listed, finding.Rule)
			}
			require.Contains(t, report.Findings[0].Detail, test.words)
		})
	}
}

func TestAudit_FindsListingRowsWithoutEntry(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		// statement has one argument: the end of the record, the offset of alice's offer to bob.
		statement string
		words     string
	}{
		"a completion of the future": {
			`INSERT INTO completion_parties (identity_provider_id, user_id, party, ledger_offset)
				VALUES ('', 'mallory', 'mallory', $1 + 1)`,
			"completion_parties has 1 rows with offsets outside of the record",
		},
		"a payment of the future": {
			`INSERT INTO update_parties (party, ledger_offset) VALUES ('mallory', $1 + 1)`,
			"update_parties has 1 rows with offsets outside of the record",
		},
		"a request of the future": {
			`INSERT INTO tracked_requests (party, kind, requester, tracking_hash, ledger_offset, state)
				VALUES ('mallory', 'transfer-offer', 'mallory', '', $1 + 1000, '{}')`,
			"tracked_requests has 1 rows with offsets outside of the record",
		},
		"a request that is completed in the future": {
			`UPDATE tracked_requests SET ledger_offset = 1000000000, state = '{"status":"completed"}'
				WHERE ledger_offset = $1 AND party LIKE 'alice%'`,
			"tracked_requests has 1 rows with offsets outside of the record",
		},
		"an execution in the future": {
			`INSERT INTO executed_transactions (transaction_uuid, ledger_offset, record_time)
				VALUES ('of a victim', $1 + 1, now())`,
			"executed_transactions has 1 rows with offsets outside of the record",
		},
		"an execution before the first offset": {
			`INSERT INTO executed_transactions (transaction_uuid, ledger_offset, record_time)
				VALUES ('of a victim', least($1, 0), now())`,
			"executed_transactions has 1 rows with offsets outside of the record",
		},
		"an execution by an update that nobody signed outside the node": {
			`INSERT INTO executed_transactions (transaction_uuid, ledger_offset, record_time)
				VALUES ('of a victim', $1, now())`,
			"executed_transactions has 1 rows that no entry of the record explains",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			offered := b.offer(t, b.Wallet("bob"))
			b.requireClean(t)
			b.damage(t, test.statement, int64(offered))
			report, err := b.auditor.Audit(t.Context(), 0)
			require.NoError(t, err)
			require.Len(t, report.Findings, 1)
			require.Equal(t, audit.Listed, report.Findings[0].Rule)
			require.Contains(t, report.Findings[0].Detail, test.words)
		})
	}
}

// Wallets with many contracts find them by active_contracts.maker.
func TestAudit_FindsContractsWithoutMaker(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.offer(t, b.Wallet("bob"))
	b.damage(t, `UPDATE active_contracts SET maker = NULL WHERE party LIKE 'bob%'`)
	b.requireFound(t, audit.Unchanged, b.end(t), "for 1 stakeholders of the contract")
}
