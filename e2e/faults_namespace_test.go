package e2e_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/operatorservice/v1"
)

// Somebody deletes the namespace under a running installation: the API says so and goes on reading. When the namespace
// is there again, the API adds what it needs to it by itself and takes submissions.
func TestANamespaceThatIsDeletedWhileTheNodeRunsIsNamed(t *testing.T) {
	t.Parallel()
	f := &faulty{t: t, direct: install(t)}
	worker := launch(t, "worker", f.direct)
	f.servedNode = launch(t, "api", f.direct, "--request-timeout", faultyTimeout)
	worker.awaitReady(t)
	f.awaitReady(t)
	f.meetAlice()

	temporal := temporalClient(t, f.direct.temporalAddress, f.direct.namespace)
	_, err := temporal.OperatorService().DeleteNamespace(t.Context(), &operatorservice.DeleteNamespaceRequest{
		Namespace: f.direct.namespace,
	})
	require.NoError(t, err)
	f.requireBroken("temporal")
	_, text := f.readyz()
	require.Contains(t, text, f.direct.namespace)
	require.NoError(t, f.read(t.Context()), "reads do not need it")
	lost := 0
	await(t, "submissions are refused", func() error {
		err := f.refusal(f.submit)
		if errors.Is(err, errStillTaken) {
			lost++
		}
		return err
	})

	registerNamespace(t, f.direct)
	kept := f.tap()
	await(t, "the new namespace takes submissions", func() error { return f.alice.Submit(t.Context(), kept) })
	// The worker is the same: it asks the new namespace for work when the old one's answer has come, a minute later.
	require.Zero(t, f.alice.awaitCompletion(t, kept.CommandID).Status.Code)
	if lost == 0 {
		f.requireHealthy()
		return
	}
	f.requireBroken("commits") // what the old namespace took while it was being deleted is gone with it
	require.NoError(t, f.submitAndWait(t.Context()))
}

var errStillTaken = errors.New("the submission was taken")

// refusal is nil when the call is refused as what may be tried again: Temporal goes on for a moment with a namespace
// that is gone.
func (f *faulty) refusal(call func(context.Context) error) error {
	if err := call(f.t.Context()); err == nil {
		return errStillTaken
	}
	f.requireUnavailable("a submission", call)
	return nil
}
