package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

func TestPayloads_ForgetArchivedContracts(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.activities.Payloads = ledger.NewPayloads()
	token := b.createdIn(b.commit(b.submission("make", []ledger.Party{alice}, create(alice)))[0])
	refused := b.commit(b.submission("refused", []ledger.Party{alice}, give(token, bob)))[0]
	require.False(t, refused.Accepted(), "bob has not agreed")
	count, bytes := b.activities.Payloads.Held()
	require.Equal(t, 1, count)
	require.Positive(t, bytes)
	given := b.commit(b.submission("give", []ledger.Party{alice, bob}, give(token, bob)))[0]
	require.True(t, given.Accepted())
	count, bytes = b.activities.Payloads.Held()
	require.Zero(t, count+bytes)
}
