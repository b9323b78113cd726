package auth

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
)

func TestTokensOfAnIdentityProviderAreVerifiedInTurn(t *testing.T) {
	t.Parallel()
	var turns verifying
	release, err := turns.take(t.Context(), "acme")
	require.NoError(t, err)

	other, err := turns.take(t.Context(), "other")
	require.NoError(t, err, "another provider has turns of its own")
	other()

	gone, leave := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	outcomes := make(chan error, maxVerifying)
	for range maxVerifying {
		waiting.Go(func() {
			_, err := turns.take(gone, "acme")
			outcomes <- err
		})
	}
	turns.await(t, maxVerifying)
	_, err = turns.take(t.Context(), "acme")
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

// await returns when so many of acme's tokens wait.
func (v *verifying) await(t *testing.T, count int) {
	t.Helper()
	require.Eventually(t, func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.lines["acme"].count == count+1 // and one has the turn
	}, time.Minute, time.Millisecond)
}
