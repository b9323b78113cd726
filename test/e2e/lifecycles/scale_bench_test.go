package lifecycles_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/settings"
)

// busyWallets is the number of active wallets in each tick, for any number of wallets.
const busyWallets = 10

// BenchmarkTick_TenActiveWallets measures a tick of ten minutes in which ten wallets get coin: from the first coin
// until it is swept by an offer, accepted, paid and merged, the rounds have advanced, and nothing is due. It counts the
// rows and the blocks that the database reads.
//
// Each of the other wallets has its install, a coin, a preapproval of the operator, and settings for a sweep and for
// auto-accept.
func BenchmarkTick_TenActiveWallets(b *testing.B) {
	for _, wallets := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint("wallets-", wallets), func(b *testing.B) { benchmarkTick(b, wallets) })
	}
}

func benchmarkTick(b *testing.B, wallets int) {
	b.Helper()
	n := newNodeWith(b, 2*tick, allKinds)
	_, err := n.db.ChangeLedgerSetting(b.Context(), "coin-price", "0.005")
	require.NoError(b, err)
	n.set(settings.KindTopUp, "", nil)
	receiver := n.party("receiver")
	n.wallet(receiver)
	var busy []ledger.Party
	for i := range busyWallets {
		party := n.party(fmt.Sprint("busy-", i))
		n.wallet(party)
		n.set(settings.KindSweep, party, sweepTo(receiver))
		busy = append(busy, party)
	}
	n.set(settings.KindAutoAccept, receiver, settings.AutoAccept{FromParties: busy})
	n.idleWallets(busy[0], max(wallets-busyWallets, 1))
	n.advance(tick)

	before := n.databaseWork()
	for b.Loop() {
		for _, party := range busy {
			n.tap(party, "98000.0")
		}
		n.advance(tick)
	}
	require.Empty(b, active[walletapp.TransferOffer](n))
	n.stop()
	n.db.Close() // connections report their statistics at their end
	work := n.databaseWork()
	b.ReportMetric(float64(work.rows-before.rows)/float64(b.N), "rows/tick")
	b.ReportMetric(float64(work.blocks-before.blocks)/float64(b.N), "blocks/tick")

	var held int64
	require.NoError(b, n.sql(`SELECT sum((payload #>> '{amount,initialAmount}')::numeric)::bigint FROM contracts
		WHERE archived_offset IS NULL AND template_id LIKE '%:Splice.Amulet:Amulet' AND $1::text[] && signatories`,
		append(ledger.Strings(busy), string(receiver))).Scan(&held))
	require.Equal(b, int64(busyWallets*b.N*98_000), held, "no coin is lost")
}

// allKinds are the automations of a node.
func allKinds(n *node) []automation.Automation {
	n.t.Helper()
	kinds := []automation.Automation{automation.Rounds(), automation.NewTopUp()}
	for _, make := range []func(*ledger.Packages) (automation.Automation, error){
		automation.Rewards, automation.Expiry, automation.Proposals, automation.NewSweeps, automation.NewAutoAccept,
	} {
		kind, err := make(n.packages)
		require.NoError(n.t, err)
		kinds = append(kinds, kind)
	}
	return kinds
}

// sql runs a statement in the database.
func (n *node) sql(statement string, arguments ...any) pgx.Row {
	n.t.Helper()
	connection, err := pgx.Connect(n.t.Context(), n.databaseURL)
	require.NoError(n.t, err)
	n.t.Cleanup(func() { require.NoError(n.t, connection.Close(context.WithoutCancel(n.t.Context()))) })
	return connection.QueryRow(n.t.Context(), statement, arguments...)
}

// exec runs statements in the database.
func (n *node) exec(statement string, arguments ...any) {
	n.t.Helper()
	connection, err := pgx.Connect(n.t.Context(), n.databaseURL)
	require.NoError(n.t, err)
	defer func() { require.NoError(n.t, connection.Close(n.t.Context())) }()
	_, err = connection.Exec(n.t.Context(), statement, arguments...)
	require.NoError(n.t, err)
}

// databaseWork counts the work of the database until now.
type databaseWork struct{ rows, blocks int64 }

func (n *node) databaseWork() (work databaseWork) {
	n.t.Helper()
	require.NoError(n.t, n.sql(`SELECT tup_returned, blks_hit + blks_read FROM pg_stat_database
		WHERE datname = current_database()`).Scan(&work.rows, &work.blocks))
	return work
}

// idleWallets makes idle wallets: one on the node, the others as copies of its rows in the database.
func (n *node) idleWallets(sender ledger.Party, count int) {
	n.t.Helper()
	idle := n.party("idle")
	n.wallet(idle)
	n.tap(idle, "50.0")
	n.tap(n.operator(), "1000.0")
	n.preapprove(idle, n.operator())
	n.set(settings.KindAutoAccept, idle, settings.AutoAccept{FromParties: []ledger.Party{sender}})
	n.set(settings.KindSweep, idle, sweepTo(sender))
	n.advance(tick)
	for _, statement := range []string{
		`INSERT INTO parties (party, is_local, annotations, identity_provider_id)
		SELECT replace(party, 'idle::', 'idle-' || i || '::'), is_local, annotations, identity_provider_id
		FROM parties, generate_series(2, $2::integer) AS i WHERE party = $1`,
		`WITH copies AS (
			INSERT INTO contracts (contract_id, created_offset, created_node_id, template_id, package_name, payload,
				signatories, observers, maintainers, created_at, in_network)
			SELECT '00' || md5(contract_id || i) || md5(i || contract_id), created_offset, created_node_id + 100 * i,
				template_id, package_name, replace(payload::text, 'idle::', 'idle-' || i || '::')::json,
				array(SELECT replace(s, 'idle::', 'idle-' || i || '::') FROM unnest(signatories) AS s),
				array(SELECT replace(o, 'idle::', 'idle-' || i || '::') FROM unnest(observers) AS o), maintainers, created_at, in_network
			FROM contracts, generate_series(2, $2::integer) AS i
			WHERE archived_offset IS NULL AND $1 = ANY (signatories || observers)
			RETURNING *
		)
		INSERT INTO active_contracts (party, created_offset, created_node_id, template_id, contract_id, in_network)
		SELECT unnest(signatories || observers), created_offset, created_node_id, template_id, contract_id, in_network FROM copies`,
		`INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, due_at, waits_for)
		SELECT replace(workflow_id, 'idle::', 'idle-' || i || '::'), kind,
			array(SELECT replace(p, 'idle::', 'idle-' || i || '::') FROM unnest(parties) AS p),
			array(SELECT '00' || md5(c || i) || md5(i || c) FROM unnest(contract_ids) AS c),
			due_at + i * interval '1 second', waits_for
		FROM lifecycles, generate_series(2, $2::integer) AS i WHERE workflow_id = 'preapproval:' || $1`,
		`INSERT INTO automation_settings (kind, party, configured, is_chosen, chosen)
		SELECT kind, replace(party, 'idle::', 'idle-' || i || '::'), configured, is_chosen, chosen
		FROM automation_settings, generate_series(2, $2::integer) AS i WHERE party = $1`,
		`INSERT INTO automation_tasks (kind, subject, due_at, waits_for, wake_above)
		SELECT kind, replace(subject, 'idle::', 'idle-' || i || '::'), due_at, waits_for, wake_above
		FROM automation_tasks, generate_series(2, $2::integer) AS i
		WHERE subject = $1 AND wake_above IS NOT NULL`,
	} {
		n.exec(statement, string(idle), count)
	}
	n.exec("ANALYZE")
	var preapprovals, swept int
	require.NoError(n.t, n.sql("SELECT count(*) FROM lifecycles").Scan(&preapprovals))
	require.Equal(n.t, count, preapprovals)
	require.NoError(n.t, n.sql("SELECT count(*) FROM automation_tasks WHERE wake_above IS NOT NULL").Scan(&swept))
	require.Equal(n.t, count, swept)
}
