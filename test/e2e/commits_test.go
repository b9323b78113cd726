//go:build long

package e2e_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/florinledger/florin/workflows"
)

// metric is the sum of a metric's samples.
func (f *faultyNode) metric(name string) float64 {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, f.url+"/metrics", nil)
	require.NoError(f.t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(f.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(f.t, err)
	var sum float64
	for _, match := range regexp.MustCompile(`(?m)^`+name+`(?:\{[^}]*\})? (\S+)$`).FindAllSubmatch(text, -1) {
		value, err := strconv.ParseFloat(string(match[1]), 64)
		require.NoError(f.t, err)
		sum += value
	}
	return sum
}

// TestReadiness_ReportsLateCompletions breaks only commits, with an error that is not about the submission.
func TestReadiness_ReportsLateCompletions(t *testing.T) {
	t.Parallel()
	f := &faultyNode{t: t, direct: install(t)}
	f.servedNode = serve(t, "serve", f.direct, "--request-timeout", faultyTimeout, "--max-commit-wait", "1s")
	f.meetAlice()
	before := f.metric("florin_ledger_offset")
	require.Positive(t, before)
	require.Positive(t, f.metric("florin_submissions_total"))
	require.Positive(t, f.metric("florin_commit_duration_seconds_count"))
	require.Zero(t, f.metric("florin_oldest_submission_seconds"))

	f.exec(`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION 'broken' USING ERRCODE = '55000'; END $$`,
		`CREATE TRIGGER broken BEFORE INSERT ON completions FOR EACH ROW EXECUTE FUNCTION broken()`)
	require.NoError(t, f.submit(t.Context()), "it is acknowledged")
	f.requireBroken("commits")
	require.Greater(t, f.metric("florin_oldest_submission_seconds"), 1.0)
	await(t, "an activity fails again and again", func() error {
		if f.metric("florin_failing_activities") == 0 || f.metric("florin_activity_failures_total") < 2 {
			return errors.New("nothing fails")
		}
		return nil
	})

	f.exec(`DROP FUNCTION broken CASCADE`)
	f.requireHealthy()
	await(t, "nothing waits", func() error {
		if waits := f.metric("florin_oldest_submission_seconds"); waits > 0 {
			return fmt.Errorf("%f seconds", waits)
		}
		return nil
	})
	require.Greater(t, f.metric("florin_ledger_offset"), before)
	require.Zero(t, f.metric("florin_failing_activities"))
}

// TestReadiness_IgnoresOneWaitingSubmission lets one submission wait forever, as in the long queue of a user, while
// the node serves others.
func TestReadiness_IgnoresOneWaitingSubmission(t *testing.T) {
	t.Parallel()
	p := newParts(t, "--max-commit-wait", "2s")
	f := &faultyNode{t: t, servedNode: p.api, direct: p.installation}
	f.meetAlice()
	bob := newAccount(t, f.endpoint, f.coin.DSO, "bob", "bob")
	p.worker.interrupt(t)
	require.NoError(t, bob.Submit(t.Context(), bob.tap(f.coin, "never", 1)))
	temporal := temporalClient(t, p.temporalAddress, p.namespace)
	await(t, "the workflow is ended by hand", func() error {
		found, err := temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: workflows.AttributeCommandID.Query("never"),
		})
		if err != nil || len(found.GetExecutions()) == 0 {
			return errors.Join(err, errors.New("not listed yet"))
		}
		return temporal.TerminateWorkflow(t.Context(), found.GetExecutions()[0].GetExecution().GetWorkflowId(), "", "test")
	})
	p.startWorker()
	require.NoError(t, f.submitAndWait(t.Context())) // the start may take longer than --max-commit-wait
	f.requireHealthy()
	for f.metric("florin_oldest_submission_seconds") < 6 {
		require.NoError(t, f.submitAndWait(t.Context()))
		status, text := f.readyz()
		require.Equal(t, http.StatusOK, status, text)
	}
}
