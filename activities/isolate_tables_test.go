package activities_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// breakTable makes a table refuse rows with a condition, with an error code.
func (b *bundle) breakTable(table, operation, condition, code string) (mend func()) {
	b.t.Helper()
	run := func(sql string) {
		connection, err := pgx.Connect(b.t.Context(), b.url)
		require.NoError(b.t, err)
		defer func() { require.NoError(b.t, connection.Close(b.t.Context())) }()
		_, err = connection.Exec(b.t.Context(), sql)
		require.NoError(b.t, err)
	}
	row := "NEW"
	if operation == "DELETE" {
		row = "OLD"
	}
	run(fmt.Sprintf(`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF %s THEN RAISE EXCEPTION 'broken' USING ERRCODE = '%s'; END IF;
			RETURN %s;
		END $$;
		CREATE TRIGGER broken BEFORE %s ON %s FOR EACH ROW EXECUTE FUNCTION broken();`,
		condition, code, row, operation, table))
	return func() { run("DROP FUNCTION broken CASCADE") }
}

// brokenTables are all tables that a commit writes to, each with a condition that only rows of eve's submission meet.
func brokenTables() []struct{ table, operation, condition string } {
	const isEves = "'" + string(eve) + "'"
	return []struct{ table, operation, condition string }{
		{"contracts", "INSERT", isEves + " = ANY(NEW.signatories)"},
		{"contracts", "UPDATE", isEves + " = ANY(NEW.signatories)"},
		{"active_contracts", "INSERT", "NEW.party = " + isEves},
		{"active_contracts", "DELETE", "OLD.party = " + isEves},
		{"updates", "INSERT", isEves + " = ANY(NEW.act_as)"},
		{"update_parties", "INSERT", "NEW.party = " + isEves},
		{"completions", "INSERT", isEves + " = ANY(NEW.act_as) AND NEW.refusal IS NULL"},
		{"lifecycles", "INSERT", isEves + " = ANY(NEW.parties)"},
		{"tracked_requests", "INSERT", "NEW.party = " + isEves},
		{"provided_preapprovals", "INSERT", "NEW.receiver = " + isEves},
		{"member_traffic", "INSERT", "NEW.purchased = 1000"},
		{"ledger_head", "UPDATE", "NEW.traffic_purchased > OLD.traffic_purchased"},
	}
}

// eves is a submission that writes to all of [brokenTables].
func (b *bundle) eves(coin ledger.ContractID) ledger.Submission {
	return b.submission("eve", []ledger.Party{eve, bob, alice}, give(coin, bob), create(eve), offer(eve, "eve"),
		boughtTraffic("1000"), preapproval(eve, b.now.Add(time.Hour)))
}

func (b *bundle) batchWithEves() (batch []ledger.Submission, keys []string) {
	b.t.Helper()
	coin := b.createdIn(b.commit(b.submission("coin", []ledger.Party{eve}, create(eve)))[0])
	const size, guilty = 9, 4
	for n := range size {
		submission := b.healthy(fmt.Sprint("healthy-", n))
		if n == guilty {
			submission = b.eves(coin)
		}
		batch, keys = append(batch, submission), append(keys, submission.Key)
	}
	return batch, keys
}

func TestCommitApart_RefusesOnADataErrorInAnyTable(t *testing.T) {
	t.Parallel()
	codes := []string{
		pgerrcode.NumericValueOutOfRange, pgerrcode.CheckViolation, pgerrcode.ProgramLimitExceeded,
		pgerrcode.UntranslatableCharacter, pgerrcode.RaiseException,
	}
	for i, broken := range brokenTables() {
		code := codes[i%len(codes)]
		t.Run(broken.table+" "+broken.operation+" "+code, func(t *testing.T) {
			t.Parallel()
			b, log := newPoisonedBundle(t)
			batch, keys := b.batchWithEves()
			b.breakTable(broken.table, broken.operation, broken.condition, code)
			require.NoError(t, b.commitRaw(batch))
			completions := b.completions(keys)
			require.Len(t, completions, len(batch))
			for _, submission := range batch {
				completion := completions[submission.Key]
				require.Equal(t, submission.CommandID != "eve", completion.Accepted(), "%v", completion.Refusal)
			}
			refusal := completions["key-eve"].Refusal
			require.Contains(t, []string{fault.FailedToExecuteTransaction.ID, fault.MalformedText.ID}, refusal.Code)
			require.NotContains(t, refusal.Cause, "broken", "the text of the database may quote others")
			require.Contains(t, log.String(), "broken", "the log has the text")
			b.requireNoGaps(b.completions(append(keys, "key-coin")))
			require.NoError(t, b.commitRaw(batch))
			require.Equal(t, completions, b.completions(keys))
		})
	}
}

func TestCommitApart_RefusesNobodyOnAnInfrastructureError(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"known":   pgerrcode.DiskFull,
		"unknown": pgerrcode.ObjectNotInPrerequisiteState,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newPoisonedBundle(t)
			batch, keys := b.batchWithEves()
			mend := b.breakTable("contracts", "INSERT", "'"+string(eve)+"' = ANY(NEW.signatories)", code)
			require.Error(t, b.commitRaw(batch))
			completions := b.completions(keys)
			require.NotContains(t, completions, "key-eve")
			if name == "unknown" {
				require.Len(t, completions, len(batch)-1, "an error that one submission may cause does not stop the others")
			} else {
				require.Empty(t, completions, "after an error of the database the whole batch runs again")
			}
			mend()
			require.NoError(t, b.commitRaw(batch))
			require.Len(t, b.completions(keys), len(batch))
			for _, completion := range b.completions(keys) {
				require.True(t, completion.Accepted())
			}
		})
	}
}
