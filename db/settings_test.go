package db_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

const sweeping = "wallet-sweep"

func configured(party ledger.Party, value string) db.AutomationSetting {
	return db.AutomationSetting{Kind: sweeping, Party: party, Configured: []byte(value)}
}

// story lists the entries of the audit log as lines, the oldest first.
func story(t *testing.T, record *db.DB) []string {
	t.Helper()
	entries, err := record.AuditLog(t.Context(), db.LogFilter{Kind: "setting"}, math.MaxInt64, 100)
	require.NoError(t, err)
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[len(entries)-1-i] = fmt.Sprintf("%s: %s %s %s -> %s",
			cmp.Or(e.By.UserID, e.Origin.Operation), e.Action, e.Party, e.Before, e.After)
	}
	return lines
}

func TestSettings_OperatorChoiceCountsUntilReset(t *testing.T) {
	t.Parallel()
	record, ctx := dbtest.New(t), t.Context()
	operator := db.ForCaller(ctx, db.Caller{Identity: ledger.DefaultUser("operator")})
	require.NoError(t, record.ConfigureAutomation(ctx, "a file", []db.AutomationSetting{
		configured(alice, `{"a":1}`), configured(bob, `{"b":1}`),
	}))
	chosen, err := record.ChooseAutomation(operator, sweeping, alice, []byte(`{"a":2}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"a":2}`, string(chosen.Value()))
	require.JSONEq(t, `{"a":1}`, string(chosen.Configured))
	_, err = record.ChooseAutomation(operator, sweeping, bob, nil)
	require.NoError(t, err)
	_, err = record.ChooseAutomation(operator, sweeping, carol, []byte(`{"c":1}`))
	require.NoError(t, err)
	// Another configuration does not change the values that the operator chose.
	another := []db.AutomationSetting{configured(alice, `{"a":3}`)}
	require.NoError(t, record.ConfigureAutomation(ctx, "another file", another))

	effective, err := record.EffectiveSettings(ctx, sweeping, "", 10)
	require.NoError(t, err)
	require.Equal(t, []db.AutomationSetting{
		{Kind: sweeping, Party: alice, Configured: []byte(`{"a":3}`), IsChosen: true, Chosen: []byte(`{"a":2}`)},
		{Kind: sweeping, Party: carol, IsChosen: true, Chosen: []byte(`{"c":1}`)},
	}, effective)
	all, err := record.AutomationSettings(ctx, sweeping, alice, 1)
	require.NoError(t, err)
	require.Equal(t, []db.AutomationSetting{{Kind: sweeping, Party: bob, IsChosen: true}}, all, "switched off")

	for _, party := range []ledger.Party{alice, bob, carol, alice} { // the second time changes nothing
		_, err = record.ResetAutomation(operator, sweeping, party)
		require.NoError(t, err)
	}
	all, err = record.AutomationSettings(ctx, sweeping, "", 10)
	require.NoError(t, err)
	require.Equal(t, []db.AutomationSetting{configured(alice, `{"a":3}`)}, all)
	unknown, err := record.AutomationSetting(ctx, sweeping, bob)
	require.NoError(t, err)
	require.Nil(t, unknown.Value())
	require.Equal(t, []string{
		`configuration a file: create alice::1220aa  -> {"value": {"a": 1}, "is_chosen": false}`,
		`configuration a file: create bob::1220bb  -> {"value": {"b": 1}, "is_chosen": false}`,
		`operator: change alice::1220aa {"value": {"a": 1}, "is_chosen": false} -> {"value": {"a": 2}, "is_chosen": true}`,
		`operator: change bob::1220bb {"value": {"b": 1}, "is_chosen": false} -> {"value": null, "is_chosen": true}`,
		`operator: create carol::1220cc  -> {"value": {"c": 1}, "is_chosen": true}`,
		`operator: change alice::1220aa {"value": {"a": 2}, "is_chosen": true} -> {"value": {"a": 3}, "is_chosen": false}`,
		`operator: change bob::1220bb {"is_chosen": true} -> {"is_chosen": false}`,
		`operator: change carol::1220cc {"value": {"c": 1}, "is_chosen": true} -> {"value": null, "is_chosen": false}`,
	}, story(t, record), "a configured value that is not in force is no change")
}

func TestSettings_SameConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	record, ctx := dbtest.New(t), t.Context()
	var starting errgroup.Group
	for range 4 {
		starting.Go(func() error {
			return record.ConfigureAutomation(ctx, "a file", []db.AutomationSetting{configured(alice, `{"a":1}`)})
		})
	}
	require.NoError(t, starting.Wait())
	require.Len(t, story(t, record), 1)
	require.NoError(t, record.ConfigureAutomation(ctx, "an empty file", nil))
	require.Equal(t, `configuration an empty file: change alice::1220aa {"value": {"a": 1}} -> {"value": null}`, story(t, record)[1])
	left, err := record.AutomationSettings(ctx, sweeping, "", 10)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSettings_ChangeMakesItsWalletDue(t *testing.T) {
	t.Parallel()
	record, ctx := dbtest.New(t), t.Context()
	due := func() (subjects []string) {
		require.NoError(t, record.InTx(ctx, func(tx *db.Tx) error {
			subjects = nil
			tasks, err := tx.TakeTasks(ctx, sweeping, "run", start, 10)
			for _, task := range tasks {
				subjects = append(subjects, task.Subject)
			}
			if err != nil {
				return err
			}
			return tx.EndTasks(ctx, sweeping, subjects)
		}))
		return subjects
	}
	require.NoError(t, record.ConfigureAutomation(ctx, "a file", []db.AutomationSetting{configured(alice, `{"a":1}`)}))
	require.Equal(t, []string{string(alice)}, due())
	_, err := record.ChooseAutomation(ctx, sweeping, bob, nil)
	require.NoError(t, err)
	_, err = record.ChooseAutomation(ctx, "top-up", "", []byte(`{}`))
	require.NoError(t, err)
	require.Equal(t, []string{string(bob)}, due())

	enter := func(tasks ...db.DueTask) {
		require.NoError(t, record.InTx(ctx, func(tx *db.Tx) error {
			return tx.EnterTasks(ctx, sweeping, "a-template", tasks)
		}))
	}
	for _, party := range []ledger.Party{alice, bob, carol} {
		enter(db.DueTask{Subject: string(party), At: start, IfSet: true})
	}
	require.Equal(t, []string{string(alice)}, due(), "bob is switched off, and carol has no setting")
	enter(db.DueTask{Subject: string(carol), At: start})
	require.Equal(t, []string{string(carol)}, due())
}
