package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
)

// exec runs a statement in its own connection.
func (b *bundle) exec(sql string, arguments ...any) {
	b.t.Helper()
	connection, err := pgx.Connect(b.t.Context(), b.url)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, connection.Close(context.WithoutCancel(b.t.Context()))) }()
	_, err = connection.Exec(b.t.Context(), sql, arguments...)
	require.NoError(b.t, err)
}

// The subjects of the automation under test: all but the last are broken, each in another way.
const (
	subjectPanic   = "a-panic"
	subjectError   = "b-error"
	subjectData    = "c-data"
	subjectHealthy = "d-healthy"
	brokenKind     = "broken"
)

// brokenAutomation installs an automation with subjects and contracts that make every step of the planning fail.
func (b *bundle) brokenAutomation() {
	b.t.Helper()
	follow, err := automation.Following(b.packages, func(token plan.Contract[Token], _ time.Time) []automation.Due {
		switch token.Payload.Label {
		case "panic":
			panic("broken")
		case "data":
			return []automation.Due{{Subject: "a NUL: \x00"}}
		default:
			return []automation.Due{{Subject: token.Payload.Label}}
		}
	})
	require.NoError(b.t, err)
	b.activities.Automations, err = automation.NewRegistry(b.packages, automation.Automation{
		Kind: brokenKind, Follow: []automation.Follow{follow},
		Standing: []string{subjectPanic, subjectError, subjectData, subjectHealthy},
		Plan: func(s automation.Situation) (plan.Step, error) {
			switch s.Subject {
			case subjectPanic:
				panic("broken")
			case subjectError:
				return plan.Step{}, errors.New("broken")
			case subjectData: // sums of weights that no number can hold
				_, err := s.Record.Activity(7)
				return plan.Step{}, err
			default:
				return plan.Step{Until: s.Now.Add(time.Hour), WaitsFor: "nothing"}, nil
			}
		},
	})
	require.NoError(b.t, err)
	require.NoError(b.t, activities.EnterAutomations(b.t.Context(), b.db, b.activities.Automations))
}

func (b *bundle) token(label string) ledger.Submission {
	return b.submission(label, []ledger.Party{eve}, ledger.Command{Create: &ledger.CreateCommand{
		Template: lf.TypeName{Package: "#test-token", Module: "Test.Token", Entity: "Token"},
		Argument: json.RawMessage(fmt.Sprintf(`{"owner":%q,"label":%q}`, eve, label)),
	}})
}

func svCoupon() ledger.Command {
	return createOf("splice-amulet:Splice.Amulet:SvRewardCoupon", fmt.Sprintf(
		`{"dso":%q,"sv":%q,"beneficiary":%q,"round":{"number":"7"},"weight":"9000000000000000000"}`, eve, eve, eve))
}

func TestPlanAutomation_DelaysABrokenSubjectAlone(t *testing.T) {
	t.Parallel()
	b, _ := newPoisonedBundle(t)
	completions := b.commit(b.token("first"), b.token("panic"), b.token("data"), b.token("last"),
		b.submission("coupons", []ledger.Party{eve}, svCoupon(), svCoupon()))
	for _, completion := range completions {
		require.Nil(t, completion.Refusal)
	}
	b.brokenAutomation()
	tick := func() map[string]string {
		for {
			plan, err := b.activities.PlanAutomation(t.Context(), activities.PlanAutomationInput{
				Kind: brokenKind, RunID: "run", WorkflowID: "automation:broken",
			})
			require.NoError(t, err)
			if !plan.More {
				break
			}
		}
		troubles, err := b.db.Troubles(t.Context(), brokenKind, "", 100)
		require.NoError(t, err)
		reasons := map[string]string{}
		for _, trouble := range troubles {
			require.True(t, trouble.DueAt.After(b.now), "the next try comes later")
			reasons[trouble.Subject] = trouble.Refusal
		}
		return reasons
	}
	reasons := tick()
	require.Len(t, reasons, 5, "the broken ones: %v", reasons)
	for _, subject := range []string{subjectPanic, subjectError} {
		require.Contains(t, reasons[subject], "broken")
	}
	require.Contains(t, reasons[subjectData], "out of range")
	require.Contains(t, reasons[string(b.createdIn(completions[1]))], "broken")
	require.Contains(t, reasons[string(b.createdIn(completions[2]))], "invalid byte sequence")

	overdue, err := b.db.Overdue(t.Context(), b.now)
	require.NoError(t, err)
	for _, due := range overdue {
		require.NotContains(t, due.WorkflowID, brokenKind, "it does not stop the clock")
	}
	b.now = b.now.Add(10 * time.Second)
	require.Equal(t, reasons, tick(), "the next try comes after a pause")
}

func TestPlanLifecycle_DelaysABrokenLifecycleAlone(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a payload that cannot be read":  `UPDATE contracts SET payload = '{}' WHERE contract_id = $1`,
		"a contract that cannot be read": `UPDATE contracts SET template_id = 'broken' WHERE contract_id = $1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, log := newPoisonedBundle(t)
			id := b.createdIn(b.commit(b.submission("offer", []ledger.Party{alice}, offer(alice, "offer")))[0])
			rows, err := b.db.Lifecycles(t.Context(), "", 10)
			require.NoError(t, err)
			require.Len(t, rows, 1)
			before, _, err := b.db.Contract(t.Context(), id)
			require.NoError(t, err)
			look := func() activities.LifecyclePlan {
				plan, err := b.activities.PlanLifecycle(t.Context(), activities.PlanLifecycleInput{
					WorkflowID: rows[0].WorkflowID, RunID: "run",
				})
				require.NoError(t, err)
				return plan
			}
			b.exec(statement, id)
			require.Equal(t, b.now.Add(10*time.Second), look().Until)
			require.Contains(t, log.String(), "could not decide on the contracts")
			b.now = b.now.Add(10 * time.Second)
			plan := look()
			require.Equal(t, b.now.Add(20*time.Second), plan.Until, "longer each time")
			require.NotEmpty(t, plan.Refusal)
			row, _, err := b.db.Lifecycle(t.Context(), rows[0].WorkflowID)
			require.NoError(t, err)
			require.Equal(t, int32(2), row.Tries)
			require.NotEmpty(t, row.Trouble)
			overdue, err := b.db.Overdue(t.Context(), b.now)
			require.NoError(t, err)
			require.NotContains(t, fmt.Sprint(overdue), rows[0].WorkflowID, "it does not stop the clock")

			b.exec(`UPDATE contracts SET payload = $2::text::json, template_id = $3 WHERE contract_id = $1`, id,
				string(before.Payload), before.Template.String())
			plan = look()
			require.NotContains(t, plan.WaitsFor, "another try")
			row, _, err = b.db.Lifecycle(t.Context(), rows[0].WorkflowID)
			require.NoError(t, err)
			require.Zero(t, row.Tries)
			require.Empty(t, row.Trouble)
		})
	}
}
