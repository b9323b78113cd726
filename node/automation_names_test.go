package node

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/test/apitest"
)

// hostileSubjects are possible subjects of automation: parties of every legal length, and with every legal character in
// each place that matters; users likewise; and texts that are neither.
func hostileSubjects(namespace string) (subjects []string) {
	const partyCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:-_ "
	const userCharacters = "@^$.!`-#+'~_|:()ABCabc012"
	for length := 1; length <= ledger.MaxPartyHintLength; length++ {
		subjects = append(subjects, strings.Repeat("x", length)+"::"+namespace)
	}
	for _, char := range partyCharacters {
		for _, hint := range []string{"%c", "a%cb"} {
			hint = fmt.Sprintf(hint, char)
			subjects = append(subjects, hint+"::"+namespace, strings.Repeat(hint, 40)+"::"+namespace)
		}
	}
	for _, char := range userCharacters {
		subjects = append(subjects, "burns/"+string(char), "burns/"+strings.Repeat(string(char), 128))
	}
	subjects = append(subjects, "", " ", "::", "burns/", "00", strings.Repeat("00", 69), strings.Repeat("f", 10_000),
		"訂單", "a\nb", `" OR WorkflowType != "`, "%s%00", "automation:rounds", "x#"+strings.Repeat("0", 32))
	slices.Sort(subjects)
	return slices.Compact(subjects)
}

// Each kind looks at every subject, even if it cannot decide about some, and submits only ids that the ledger and
// Temporal take.
func TestAutomation_EveryKindTakesEverySubject(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.Wallet("alice").Tap("100")
	registry, err := (&Node{packages: s.Packages}).automations()
	require.NoError(t, err)
	now := time.Now().UTC().Truncate(time.Microsecond)
	acts := &activities.Activities{
		DB: s.DB, Packages: s.Packages, Node: s.Node, Clock: func() time.Time { return now },
		Log: slog.New(slog.DiscardHandler), Automations: registry,
	}
	require.NoError(t, activities.EnterAutomations(t.Context(), s.DB, registry))
	subjects := hostileSubjects(s.Node.Namespace)
	for _, kind := range registry.Kinds() {
		looked := 0
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *db.Tx) error {
			tasks := make([]db.DueTask, len(subjects))
			for i, subject := range subjects {
				tasks[i] = db.DueTask{Subject: subject, At: now.Add(-time.Hour), Account: subject}
			}
			return tx.EnterTasks(t.Context(), kind, "", tasks)
		}))
		for more := true; more; {
			plan, err := acts.PlanAutomation(t.Context(), activities.PlanAutomationInput{
				Kind: kind, RunID: "run", WorkflowID: "automation:" + kind,
			})
			require.NoError(t, err, kind)
			for _, submission := range plan.Submissions {
				require.NoError(t, ledger.CheckLedgerString(submission.CommandID), kind)
				require.NoError(t, ledger.CheckLedgerString(submission.SubmissionID), kind)
				require.NoError(t, ledger.CheckLedgerString(submission.WorkflowID), kind)
				id, fits := workflowid.Parse(workflowid.Of("submit", submission.CommandID, submission.Key).String())
				require.True(t, fits, id)
			}
			looked += plan.Looked
			more = plan.Looked == 100 // a commit looks at submitted subjects again
		}
		require.GreaterOrEqual(t, looked, len(subjects), "%s leaves none out", kind)
	}
}
