package db_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// Several processes start on an empty database, each with its own identity: one identity is stored, and all read it.
func TestNode_GetsOneIdentityFromConcurrentStarts(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	_, ok, err := record.Node(t.Context())
	require.NoError(t, err)
	require.False(t, ok)

	const processes = 6
	winners := make(chan ledger.Node, processes)
	var group errgroup.Group
	for n := range processes {
		group.Go(func() error {
			node := ledger.Node{
				ParticipantID: "participant::1220", SynchronizerID: "global::1220", Namespace: "1220", DSO: dso, Operator: alice,
				OperatorUser: app, PrivateKey: bytes.Repeat([]byte{byte(n)}, 32),
			}
			inserted, err := record.InsertNode(t.Context(), node)
			if inserted {
				winners <- node
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
	require.Len(t, winners, 1)
	stored, ok, err := record.Node(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, <-winners, stored)
}

func TestNode_RefusesAnIncompleteKey(t *testing.T) {
	t.Parallel()
	_, err := dbtest.New(t).InsertNode(t.Context(), ledger.Node{PrivateKey: []byte("short")})
	require.ErrorContains(t, err, "node_private_key_is_a_seed")
}
