package walletapi_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// giveUp deletes the operator's entry for a party, by a request with a key whose first answer is lost.
func (b bank) giveUp(key string) apitest.Answer {
	b.t.Helper()
	return b.Send(http.MethodDelete, byParty+string(b.bob.Party), http.Header{
		"Authorization": {"Bearer " + apitest.Token(b.t, apitest.LedgerUser)}, changes.KeyHeader: {"dies-" + key},
	}, nil)
}

// A repeated request gets the first answer, and does not delete an entry for a later payment.
func TestCancelPreapproval_RepeatChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	paid := func() bool {
		book, err := b.DB.ProvidedPreapprovals(t.Context(), time.Now(), b.bob.Party)
		require.NoError(t, err)
		return len(book.Until) > 0
	}
	cancelled := func() {
		b.preapprove(b.bob)
		require.Equal(t, http.StatusOK, b.Call("bob", http.MethodDelete, ownPreapproval, nil).Status)
		require.True(t, paid())
	}
	cancelled()
	first := b.giveUp("one")
	require.Equal(t, http.StatusOK, first.Status, first.Text)
	require.False(t, paid())
	cancelled()
	again := b.giveUp("one")
	require.Equal(t, http.StatusOK, again.Status, again.Text)
	require.True(t, paid())

	require.Equal(t, http.StatusOK, b.giveUp("two").Status)
	b.Call(apitest.LedgerUser, http.MethodPost, proposalPath, map[string]any{"user_party_id": b.bob.Party}).OK(nil)
	again = b.giveUp("two")
	require.Equal(t, http.StatusOK, again.Status, "what is on offer now is another one: %s", again.Text)
	require.True(t, paid())
}

// Automation looks at the receiver at once, whoever cancels the preapproval.
func TestCancelPreapproval_WakesAutomation(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]bool{"cancelled by the operator": false, "cancelled by the receiver": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBank(t, apitest.Options{})
			b.preapprove(b.bob)
			if cancel {
				require.Equal(t, http.StatusOK, b.Call("bob", http.MethodDelete, ownPreapproval, nil).Status)
			}
			require.NoError(t, b.DB.InTx(t.Context(), func(tx *db.Tx) error {
				if err := tx.EnterAutomations(t.Context(), []string{db.ProposalsKind}); err != nil {
					return err
				}
				return tx.EnterTasks(t.Context(), db.ProposalsKind, "", []db.DueTask{
					{Subject: string(b.bob.Party), At: time.Now().Add(90 * 24 * time.Hour)},
				})
			}))
			due := func() []string {
				kinds, err := b.DB.DueAutomations(t.Context(), time.Now(), true)
				require.NoError(t, err)
				return kinds
			}
			require.Empty(t, due())
			require.Equal(t, http.StatusOK,
				b.Call(apitest.LedgerUser, http.MethodDelete, byParty+string(b.bob.Party), nil).Status)
			require.Equal(t, []string{db.ProposalsKind}, due())
		})
	}
}

// A cancellation succeeds even if automation cannot be woken.
func TestCancelPreapproval_SucceedsWhenWakingFails(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	var log bytes.Buffer
	b := newBank(t, apitest.Options{DB: dbtest.Open(t, url), Log: &log, LogLevel: slog.LevelWarn, Once: true})
	b.preapprove(b.bob)
	b.exec(url, "ALTER TABLE automation_tasks RENAME TO automation_tasks_away")
	answer := b.Call(apitest.LedgerUser, http.MethodDelete, byParty+string(b.bob.Party), nil)
	require.Equal(t, http.StatusOK, answer.Status, answer.Text)
	require.Empty(t, activeOf[coin.TransferPreapproval](t, b.Server, b.bob.Party))
	require.Contains(t, log.String(), "waking preapproval proposals failed")
}

// Deleting an entry and waking automation is one transaction, and so is a change of the limit: both succeed, or the
// answer is an error and neither does.
func TestProvidedPreapproval_KeptWhenWakingFails(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	b := newBank(t, apitest.Options{DB: dbtest.Open(t, url), Once: true})
	b.preapprove(b.bob)
	require.Equal(t, http.StatusOK, b.Call("bob", http.MethodDelete, ownPreapproval, nil).Status)
	give := func() int {
		return b.Call(apitest.LedgerUser, http.MethodDelete, byParty+string(b.bob.Party), nil).Status
	}
	raise := func() error {
		_, err := b.DB.ChangeLedgerSetting(t.Context(), ledger.MaxProvidedPartiesSetting, "7")
		return err
	}
	b.exec(url, "ALTER TABLE automation_tasks RENAME TO automation_tasks_away")
	require.GreaterOrEqual(t, give(), http.StatusInternalServerError)
	require.Error(t, raise())
	settings, err := b.DB.LedgerSettings(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, 7, settings.MaxProvidedParties)
	b.exec(url, "ALTER TABLE automation_tasks_away RENAME TO automation_tasks")
	require.Equal(t, http.StatusOK, give(), "it is still there to be given up")
	require.NoError(t, raise())
}

// exec runs SQL on the database.
func (b bank) exec(url, sql string) {
	b.t.Helper()
	conn, err := pgx.Connect(b.t.Context(), url)
	require.NoError(b.t, err)
	_, err = conn.Exec(b.t.Context(), sql)
	require.NoError(b.t, err)
	require.NoError(b.t, conn.Close(b.t.Context()))
}
