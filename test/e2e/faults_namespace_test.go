//go:build long

package e2e_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/operatorservice/v1"

	"github.com/florinledger/florin/client"
)

// After the deletion of the namespace of a running installation, the API reports it and still serves reads. When the
// namespace exists again, the API adds its search attributes by itself and accepts submissions.
func TestFault_NamesADeletedNamespace(t *testing.T) {
	t.Parallel()
	f := &faultyNode{t: t, direct: install(t)}
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
	var taken []string
	await(t, "submissions are refused", func() error {
		tap := f.tap()
		err := f.refusal(func(ctx context.Context) error { return f.alice.Submit(ctx, tap) })
		if errors.Is(err, errStillTaken) {
			taken = append(taken, tap.CommandID)
		}
		return err
	})

	registerNamespace(t, f.direct)
	kept := f.tap()
	await(t, "the new namespace takes submissions", func() error { return f.alice.Submit(t.Context(), kept) })
	// The same worker polls the new namespace after its poll of the old one ends, a minute later.
	require.Zero(t, f.alice.awaitCompletion(t, kept.CommandID).Status.Code)
	// The submissions of the old namespace are lost with it, and come again.
	await(t, "what was acknowledged has its completion", func() error {
		if !f.completed(taken) {
			return errNotYet
		}
		return nil
	})
	f.requireHealthy()
}

var errStillTaken = errors.New("the submission was taken")

// refusal is nil if the call is refused with a retryable error: Temporal uses a deleted namespace for a moment.
func (f *faultyNode) refusal(call func(context.Context) error) error {
	if err := call(f.t.Context()); err == nil {
		return errStillTaken
	}
	f.requireUnavailable("a submission", call)
	return nil
}

// completed reports whether all commands have a completion by now.
func (f *faultyNode) completed(commandIDs []string) bool {
	f.t.Helper()
	found, _, err := f.alice.Completions(f.t.Context(), client.CompletionsRequest{
		Parties: []string{f.alice.party()}, Limit: 1000, Idle: time.Millisecond,
	})
	require.NoError(f.t, err)
	return !slices.ContainsFunc(commandIDs, func(id string) bool {
		return !slices.ContainsFunc(found, func(c client.Completion) bool { return c.CommandID == id })
	})
}
