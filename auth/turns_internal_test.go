package auth

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/fault"
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
	for full := false; !full; {
		turns.mu.Lock()
		full = turns.lines["acme"].inLine > maxVerifying
		turns.mu.Unlock()
	}
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
