package auth

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
)

func from(t *testing.T, address string) context.Context {
	t.Helper()
	return WithSender(t.Context(), address, nil)
}

func TestTokensOfAnIdentityProviderAreVerifiedInTurn(t *testing.T) {
	t.Parallel()
	var turns verifying
	release, err := turns.take(from(t, "a"), "acme")
	require.NoError(t, err)

	other, err := turns.take(from(t, "a"), "other")
	require.NoError(t, err, "another provider has turns of its own")
	other()

	gone, leave := context.WithCancel(from(t, "a"))
	var waiting sync.WaitGroup
	outcomes := make(chan error, maxVerifying)
	for range maxVerifying {
		waiting.Go(func() {
			_, err := turns.take(gone, "acme")
			outcomes <- err
		})
	}
	turns.await(t, "a", maxVerifying)
	_, err = turns.take(from(t, "a"), "acme")
	require.True(t, fault.ServerOverloaded.Matches(err), "%v", err)

	leave()
	waiting.Wait()
	for range maxVerifying {
		require.ErrorIs(t, <-outcomes, context.Canceled, "nothing is verified for a client that is gone")
	}
	release()
	require.Empty(t, turns.lines, "what nobody waits for is forgotten")
	release, err = turns.take(t.Context(), "acme")
	require.NoError(t, err)
	release()
}

func TestAnAddressThatSendsManyTokensKeepsOthersWaitingForOne(t *testing.T) {
	t.Parallel()
	var turns verifying
	release, err := turns.take(from(t, "greedy"), "acme")
	require.NoError(t, err)
	served := make(chan string)
	wait := func(address string) {
		release, err := turns.take(from(t, address), "acme")
		if err != nil {
			served <- err.Error()
			return
		}
		served <- address
		release()
	}
	const many = 10
	for range many {
		go wait("greedy")
	}
	turns.await(t, "greedy", many)
	go wait("modest")
	turns.await(t, "modest", 1)
	release()
	require.Equal(t, "greedy", <-served, "it came first")
	require.Equal(t, "modest", <-served)
	for range many - 1 {
		require.Equal(t, "greedy", <-served)
	}
}

// A turn that comes to a client as it leaves is passed on.
func TestATurnIsNotLostWithAClient(t *testing.T) {
	t.Parallel()
	for range 200 {
		var turns verifying
		release, err := turns.take(from(t, "a"), "acme")
		require.NoError(t, err)
		gone, leave := context.WithCancel(from(t, "a"))
		var all sync.WaitGroup
		all.Go(func() {
			if release, err := turns.take(gone, "acme"); err == nil {
				release()
			}
		})
		turns.await(t, "a", 1)
		all.Go(leave)
		all.Go(release)
		all.Wait()
		require.Empty(t, turns.lines)
	}
}

// await returns when so many of acme's tokens wait that the address has sent.
func (v *verifying) await(t *testing.T, address string, count int) {
	t.Helper()
	require.Eventually(t, func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return len(v.lines["acme"].waiting[address]) == count
	}, time.Minute, time.Millisecond)
}
