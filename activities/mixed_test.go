package activities_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// While programs of the version before may run, what wallets do is noted so that they find it, and is found by all.
func TestWhatAWalletDoesIsKnownToTheVersionBefore(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.url = dbtest.URL(t)
	b.db = dbtest.Open(t, b.url)
	_, err := b.db.AllocateParty(t.Context(), ledger.PartyDetails{Party: alice, IsLocal: true}, "")
	require.NoError(t, err)
	b.activities = b.newActivities()
	_, err = b.db.ChangeLedgerSetting(t.Context(), "max-deduplication", "24h0m0s", "test")
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), b.url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	send := func(key, who string) (ledger.Submission, ledger.Completion) {
		submission := b.submission("send", []ledger.Party{alice}, create(alice))
		submission.Kind, submission.Key, submission.Identity = ledger.KindWallet, key, ledger.DefaultUser(who)
		return submission, b.commit(submission)[0]
	}
	isRepeat := func(key, who string) {
		_, repeated := send(key, who)
		require.True(t, fault.DuplicateCommand.Matches(repeated.Refusal), key)
	}

	_, err = conn.Exec(t.Context(), "DELETE FROM member_traffic_checks")
	require.NoError(t, err)
	submission, first := send("1", "one")
	require.True(t, first.Accepted())
	require.Equal(t, submission.UsersChangeID(), first.ChangeID, "as the version before looks for it")
	isRepeat("2", "one")

	_, err = conn.Exec(t.Context(), "INSERT INTO member_traffic_checks DEFAULT VALUES")
	require.NoError(t, err)
	isRepeat("3", "one")
	b.now = b.now.Add(25 * time.Hour)
	submission, second := send("4", "one")
	require.True(t, second.Accepted())
	require.Equal(t, submission.ChangeID(), second.ChangeID)
	isRepeat("5", "two")

	// Who went back finds the later of the two.
	_, err = conn.Exec(t.Context(), "DELETE FROM member_traffic_checks")
	require.NoError(t, err)
	b.now = b.now.Add(25 * time.Hour)
	_, third := send("6", "one")
	require.True(t, third.Accepted())
	isRepeat("7", "one")
}
