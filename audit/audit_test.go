package audit_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry"
	"github.com/florinledger/florin/test/apitest"
)

// bundle is a node on which alice has a coin, with access to its database.
type bundle struct {
	*apitest.Server
	alice   *apitest.Wallet
	auditor *audit.Auditor
	coin    ledger.ContractID
	url     string
}

func newBundle(t *testing.T) *bundle {
	t.Helper()
	url := dbtest.URL(t)
	b := &bundle{url: url, Server: apitest.NewWithCoin(t, apitest.Options{DB: dbtest.Open(t, url)})}
	b.alice = b.Wallet("alice")
	b.coin = ledger.ContractID(b.alice.Tap("100"))
	var err error
	b.auditor, err = audit.New(b.DB, b.Packages, b.Node.Network())
	require.NoError(t, err)
	return b
}

func (b *bundle) connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// damage changes the database, not through the node.
func (b *bundle) damage(t *testing.T, statement string, arguments ...any) {
	t.Helper()
	tag, err := b.connect(t).Exec(t.Context(), statement, arguments...)
	require.NoError(t, err)
	require.Positive(t, tag.RowsAffected(), "nothing was damaged")
}

// rewrite replaces a text in the events of the last update.
func (b *bundle) rewrite(t *testing.T, from, to string) {
	t.Helper()
	b.damage(t, `UPDATE updates SET events = replace(events::text, $1, $2)::json WHERE ledger_offset = $3`,
		from, to, b.end(t))
}

func (b *bundle) end(t *testing.T) ledger.Offset {
	t.Helper()
	head, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	return head.Offset
}

// forge creates coin with alice as its DSO.
func (b *bundle) forge() ledger.ContractID {
	return ledger.ContractID(b.alice.Create("#splice-amulet:Splice.Amulet:Amulet", map[string]any{
		"dso": b.alice.Party, "owner": b.alice.Party, "amount": map[string]any{
			"initialAmount": "1000000000.0", "createdAt": map[string]any{"number": "0"},
			"ratePerRound": map[string]any{"rate": "0.1"},
		},
	}))
}

func TestAudit_IgnoresCoinOfOtherNetworks(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	forged := b.forge()
	for range 2 {
		report, err := b.auditor.Audit(t.Context(), 0)
		require.NoError(t, err)
		require.True(t, report.Clean(), "%v", report.Findings)
		require.Equal(t, "100.0000000000", report.Counted.String())
		require.EqualValues(t, 1, report.Holdings)
		b.alice.Exercise("#splice-amulet:Splice.Amulet:Amulet", string(forged), "Archive", map[string]any{})
		forged = b.forge()
	}
}

// archive burns the coin. That needs the rights of its owner and of the DSO.
func (b *bundle) archive(t *testing.T) ledger.Offset {
	t.Helper()
	b.ActingAs("both", b.alice.Party, b.Node.DSO)
	b.Call("both", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
		"commands": []any{map[string]any{"ExerciseCommand": map[string]any{
			"templateId": "#splice-amulet:Splice.Amulet:Amulet", "contractId": b.coin, "choice": "Archive",
			"choiceArgument": map[string]any{},
		}}},
		"commandId": "burn", "actAs": []ledger.Party{b.alice.Party, b.Node.DSO},
	}).OK(nil)
	return b.end(t)
}

func TestAudit_PassesACleanRecord(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	tapped := b.end(t)
	burned := b.archive(t)

	report, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	require.Equal(t, burned, report.Offset)
	require.Equal(t, "100.0000000000", report.Minted.String())
	require.Equal(t, "100.0000000000", report.Burned.String())
	require.True(t, report.Counted.IsZero())

	report, err = b.auditor.Audit(t.Context(), tapped)
	require.NoError(t, err, "an earlier offset is audited as it was then")
	require.True(t, report.Clean(), "%v", report.Findings)
	require.Equal(t, "100.0000000000", report.Counted.String())
	require.EqualValues(t, 1, report.Holdings)

	_, err = b.auditor.Audit(t.Context(), burned+1)
	require.ErrorContains(t, err, "OFFSET_AFTER_LEDGER_END")
	_, err = b.auditor.Audit(t.Context(), -1)
	require.ErrorContains(t, err, "NEGATIVE_OFFSET")
}

func TestAudit_StartsAtThePrunedOffset(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	tapped := b.end(t)
	require.NoError(t, b.prune(tapped))
	b.archive(t)
	report, err := b.auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	require.Equal(t, tapped, report.Start)
	require.Equal(t, "100.0000000000", report.Opening.String())
	require.Equal(t, "100.0000000000", report.Burned.String())
	_, err = b.auditor.Audit(t.Context(), tapped-1)
	require.ErrorContains(t, err, "PARTICIPANT_PRUNED_DATA_ACCESSED")
}

func TestAudit_FindsDamage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		damage func(t *testing.T, b *bundle) (offset ledger.Offset, contract ledger.ContractID)
		rule   audit.Rule
	}{
		"a contract consumed twice": {
			rule: audit.ConsumedOnce,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				burned := b.archive(t)
				b.alice.Tap("1") // this update becomes a second burn of the first coin
				b.damage(t, `UPDATE updates SET events = (SELECT events FROM updates WHERE ledger_offset = $1)
					WHERE ledger_offset = $2`, burned, b.end(t))
				return b.end(t), b.coin
			},
		},
		"a consumed contract brought back to life": {
			rule: audit.ConsumedOnce,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				burned := b.archive(t)
				b.damage(t, `UPDATE contracts SET archived_offset = NULL WHERE contract_id = $1`, b.coin)
				return burned, b.coin
			},
		},
		"an amount changed in the contract": {
			rule: audit.Unchanged,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				b.damage(t, `UPDATE contracts SET payload = replace(payload::text, '"100.0', '"900.0')::json
					WHERE contract_id = $1`, b.coin)
				return b.end(t), b.coin
			},
		},
		"an amount changed in the update": {
			rule: audit.Unchanged,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				b.rewrite(t, `"initialAmount":"100.0`, `"initialAmount":"900.0`)
				return b.end(t), b.coin
			},
		},
		"more minted than is held": {
			rule: audit.Conserved,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				b.rewrite(t, `"amount":"100.0`, `"amount":"900.0`)
				return b.end(t), ""
			},
		},
		"coin given to somebody else than was meant": {
			rule: audit.Explained,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				b.rewrite(t, `"receiver":"alice::`, `"receiver":"mallory::`)
				return b.end(t), ""
			},
		},
		"coin that is not marked as the network's": {
			rule: audit.Unchanged,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				b.damage(t, `UPDATE contracts SET in_network = false WHERE contract_id = $1`, b.coin)
				return b.end(t), b.coin
			},
		},
		"somebody's own coin marked as the network's": {
			rule: audit.Unchanged,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				forged := b.forge()
				b.damage(t, `UPDATE contracts SET in_network = true WHERE contract_id = $1`, forged)
				return b.end(t), forged
			},
		},
		"traffic that nobody bought": {
			rule: audit.Conserved,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				b.damage(t, `INSERT INTO member_traffic VALUES (traffic_account('PAR::me', 'global'), 1, 1000)`)
				return b.end(t), ""
			},
		},
		"a contract deleted": {
			rule: audit.Held,
			damage: func(t *testing.T, b *bundle) (ledger.Offset, ledger.ContractID) {
				t.Helper()
				b.damage(t, `DELETE FROM contracts WHERE contract_id = $1`, b.coin)
				return b.end(t), ""
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			offset, contract := test.damage(t, b)
			report, err := b.auditor.Audit(t.Context(), 0)
			require.NoError(t, err)
			require.False(t, report.Clean())
			require.EqualValues(t, len(report.Findings), report.FindingCount)
			for _, finding := range report.Findings {
				if finding.Rule == test.rule && finding.Offset == offset && finding.ContractID == contract {
					require.NotEmpty(t, finding.Detail)
					return
				}
			}
			require.Fail(t, "no finding names the damage", "%v", report.Findings)
		})
	}
}

// logBuffer is safe for concurrent use.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// follow runs a follower until the test ends, and returns its log and its states.
func (b *bundle) follow(t *testing.T, metrics *telemetry.Metrics) (*logBuffer, <-chan audit.State) {
	t.Helper()
	log, steps := &logBuffer{}, make(chan audit.State, 1000)
	watcher, err := b.DB.Watch(t.Context(), db.WatcherOptions{})
	require.NoError(t, err)
	follower, err := audit.NewFollower(audit.FollowerOptions{
		Auditor: b.auditor, Checkpoints: b.DB, Watcher: watcher, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(log, nil)),
		Observe: func(state audit.State, end ledger.Offset) {
			metrics.Audited(state, end)
			steps <- state
		},
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		follower.Run(ctx)
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		watcher.Close()
	})
	return log, steps
}

// reaches waits until the follower is at an offset.
func reaches(t *testing.T, steps <-chan audit.State, offset ledger.Offset) audit.State {
	t.Helper()
	deadline := time.After(apitest.Patience)
	for {
		select {
		case state := <-steps:
			if state.Offset >= offset {
				return state
			}
		case <-deadline:
			require.FailNow(t, "the follower did not reach the offset", "offset %d", offset)
		}
	}
}

func TestFollower_ReportsFindingsAndKeepsThem(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	metrics := telemetry.New()
	log, steps := b.follow(t, metrics)
	require.Zero(t, reaches(t, steps, b.end(t)).FindingCount)
	stored, ok, err := audit.Load(t.Context(), b.DB)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, b.end(t), stored.Offset)
	text, err := metrics.Text()
	require.NoError(t, err)
	require.Contains(t, string(text), "\nflorin_audit_failed 0\n")
	require.NotContains(t, log.String(), "level=ERROR")

	b.damage(t, `UPDATE contracts SET payload = replace(payload::text, '"100.0', '"900.0')::json
		WHERE contract_id = $1`, b.coin)
	burned := b.archive(t) // the damage shows when the coin is used
	require.NotZero(t, reaches(t, steps, burned).FindingCount)
	text, err = metrics.Text()
	require.NoError(t, err)
	require.Contains(t, string(text), "\nflorin_audit_failed 1\n")
	require.Contains(t, log.String(), "level=ERROR")
	require.Contains(t, log.String(), string(b.coin))

	again, resumed := b.follow(t, telemetry.New()) // as after a restart
	require.NotZero(t, reaches(t, resumed, burned).FindingCount, "findings survive a restart")
	require.Contains(t, again.String(), string(b.coin))
}
