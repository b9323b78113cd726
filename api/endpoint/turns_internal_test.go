package endpoint

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

func TestNoUserTakesAllTurns(t *testing.T) {
	t.Parallel()
	const each = 2
	all := NewTurns(2*each, each)
	take := func(who string) (give func(), err error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return all.Take(ctx, ledger.DefaultUser(who))
	}
	var given []func()
	for _, who := range []string{"greedy", "modest"} {
		for range each {
			give, err := take(who)
			require.NoError(t, err, who)
			given = append(given, give)
		}
		soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		_, err := all.Take(soon, ledger.DefaultUser(who))
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, "one more of %s waits for its own", who)
	}
	third := make(chan error, 1)
	go func() {
		give, err := take("third")
		if err == nil {
			give()
		}
		third <- err
	}()
	given[0]()
	require.NoError(t, <-third, "what one user gives back is there for all")
	for _, give := range given[1:] {
		give()
	}
	require.Empty(t, all.byHolder, "who reads nothing is forgotten")
}
