//go:build long

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// TestFlights_EndWhenClientsLeave freezes each part while clients submit, and half of them disconnect. After the part
// continues, every command id is free again: no lost submission stays in flight, and none is committed twice.
func TestFlights_EndWhenClientsLeave(t *testing.T) {
	t.Parallel()
	p := newParts(t, "--request-timeout", "14s") // so that clients disconnect before their start fails
	dso := findDSO(t, p.api.endpoint)
	alice := newAccount(t, p.api.endpoint, dso, "alice", "alice")
	coin, err := p.api.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)
	made := map[string]int{}
	for _, frozen := range []part{theTemporal, theDatabase, theWorker} {
		submissions := make([]client.Commands, 24)
		for i := range submissions {
			submissions[i] = alice.tap(coin, fmt.Sprintf("%s-%d", frozen, i), 1)
			made[submissions[i].CommandID] = 0
		}
		half := len(submissions) / 2
		before := alice.submitAndHalfLeave(t, submissions[:half])
		thaw := p.freeze(frozen)
		after := alice.submitAndHalfLeave(t, submissions[half:])
		before.Wait()
		after.Wait()
		// A later submission has its answer after the earlier starts have failed.
		_ = alice.Submit(t.Context(), alice.tap(coin, fmt.Sprintf("%s-late", frozen), 1))
		thaw()
		for _, again := range submissions {
			await(t, again.CommandID+" is free", func() error {
				_, err := alice.SubmitAndWait(t.Context(), again)
				if client.Code(err) == "DUPLICATE_COMMAND" {
					return nil
				}
				return err
			})
		}
	}
	completions, err := alice.completionsFrom(t.Context(), 0)
	require.NoError(t, err)
	for _, completion := range completions {
		if completion.Status.Code == 0 {
			made[completion.CommandID]++
		}
	}
	for commandID, times := range made {
		require.Equal(t, 1, times, commandID)
	}
	p.audit()
}

// submitAndHalfLeave submits all at once; half of the clients disconnect before the node's own timeout.
func (a account) submitAndHalfLeave(t *testing.T, submissions []client.Commands) *sync.WaitGroup {
	t.Helper()
	var clients sync.WaitGroup
	for i, submission := range submissions {
		clients.Go(func() {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if i%2 == 0 {
				ctx, leave = context.WithTimeout(t.Context(), time.Second)
				defer leave()
			}
			err := a.Submit(ctx, submission)
			var answer *client.Error
			switch {
			case err == nil, errors.Is(err, context.DeadlineExceeded):
			case errors.As(err, &answer) && answer.Status == http.StatusServiceUnavailable:
			default:
				t.Errorf("%s: %v", submission.CommandID, err)
			}
		})
	}
	return &clients
}

// freeze stops a part with all its processes until thaw.
func (p *parts) freeze(frozen part) (thaw func()) {
	p.t.Helper()
	pids := p.pids(frozen)
	for _, pid := range pids {
		require.NoError(p.t, syscall.Kill(pid, syscall.SIGSTOP))
	}
	thaw = sync.OnceFunc(func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT) // a session may have ended
		}
	})
	p.t.Cleanup(thaw)
	return thaw
}
