package auth

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
)

func TestPublicKeyTokens_LimitVerificationsPerIssuer(t *testing.T) {
	t.Parallel()
	tokens := newPublicKeyTokens(Times{})
	release, err := tokens.take(t.Context(), "acme")
	require.NoError(t, err)

	other, err := tokens.take(t.Context(), "other")
	require.NoError(t, err, "another provider has turns of its own")
	other()

	gone, leave := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	outcomes := make(chan error, maxVerifying)
	for range maxVerifying {
		waiting.Go(func() {
			_, err := tokens.take(gone, "acme")
			outcomes <- err
		})
	}
	require.Eventually(t, func() bool { return tokens.turns.Waiting() == maxVerifying }, time.Minute, time.Millisecond)
	_, err = tokens.take(t.Context(), "acme")
	require.True(t, fault.ServerOverloaded.Matches(err), "%v", err)

	leave()
	waiting.Wait()
	for range maxVerifying {
		require.ErrorIs(t, <-outcomes, context.Canceled, "nothing is verified for a client that is gone")
	}
	release()
	release, err = tokens.take(t.Context(), "acme")
	require.NoError(t, err)
	release()
}
