package ledgerapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

func TestNoUserTakesAllTurnsOfStreams(t *testing.T) {
	t.Parallel()
	all := newTurns()
	take := func(who string) (give func(), err error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		return all.take(ctx, ledger.DefaultUser(who))
	}
	var given []func()
	for _, who := range []string{"greedy", "modest"} {
		for range UserStreamReads {
			give, err := take(who)
			require.NoError(t, err, who)
			given = append(given, give)
		}
	}
	waiting, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := all.take(waiting, ledger.DefaultUser("greedy"))
	require.ErrorIs(t, err, context.DeadlineExceeded, "it waits for its own")
	third := make(chan error, 1)
	go func() {
		give, err := take("third")
		if err == nil {
			give()
		}
		third <- err
	}()
	given[0]()
	require.NoError(t, <-third, "the next turn is not for those of the user who has four")
	for _, give := range given[1:] {
		give()
	}
	require.Empty(t, all.byUser, "who reads nothing is forgotten")
}
