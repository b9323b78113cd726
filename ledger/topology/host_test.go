package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/topology"
)

func TestHosts_OneNeedsOnlyThisNode(t *testing.T) {
	t.Parallel()
	self, alice := newHost(t, "self", 8), newKey(t, 1)
	onboarding, missing, err := newBody(t, selfSigned(alice, self)).signAll(t, alice).judge(self.node)
	require.NoError(t, err)
	require.True(t, missing.IsEmpty())
	all, err := onboarding.Missing()
	require.NoError(t, err)
	require.Equal(t, []string{self.node.ParticipantID}, all.Participants)

	agreed, err := onboarding.Cosign(self.node, self.key)
	require.NoError(t, err)
	done, err := onboarding.WithHost(agreed)
	require.NoError(t, err)
	all, err = done.Missing()
	require.NoError(t, err)
	require.True(t, all.IsEmpty())
	_, err = done.WithHost(agreed)
	require.NoError(t, err, "agreeing twice changes nothing")
}

func TestHosts_SeveralWaitForAll(t *testing.T) {
	t.Parallel()
	first, second, third := newHost(t, "first", 8), newHost(t, "second", 9), newHost(t, "third", 10)
	alice := newKey(t, 1)
	party := selfSigned(alice, first, second)
	party.Threshold = 2

	here, missing, err := newBody(t, party).signAll(t, alice).judge(first.node)
	require.NoError(t, err)
	require.False(t, here.Allocates())
	require.Equal(t, []string{second.node.ParticipantID}, missing.Participants)

	unsigned, _, err := newBody(t, party).judge(second.node)
	require.ErrorContains(t, err, "missing authorizations by namespaces={"+alice.Public().Fingerprint())
	_, err = unsigned.Cosign(second.node, second.key)
	require.ErrorContains(t, err, "missing authorizations", "a node agrees only after the owner signed")
	there, missing, err := newBody(t, party).signAll(t, alice).judge(second.node)
	require.NoError(t, err)
	require.Equal(t, []string{first.node.ParticipantID}, missing.Participants)
	agreed, err := there.Cosign(second.node, second.key)
	require.NoError(t, err)

	ours, err := here.Cosign(first.node, first.key)
	require.NoError(t, err)
	done, err := here.WithHost(ours)
	require.NoError(t, err)
	done, err = done.WithHost(agreed)
	require.NoError(t, err)
	missing, err = done.Missing()
	require.NoError(t, err)
	require.True(t, missing.IsEmpty())

	merged, err := there.Merge(done)
	require.NoError(t, err)
	missing, err = merged.Missing()
	require.NoError(t, err)
	require.True(t, missing.IsEmpty())

	t.Run("others than the hosts have no say", func(t *testing.T) {
		t.Parallel()
		hash := here.Hosting.Transaction.Hash
		signature, err := third.key.Sign(hash[:])
		require.NoError(t, err)
		uninvited := topology.HostAuthorization{
			Participant: third.node.ParticipantID, Key: third.key.Public(), Signature: signature,
		}
		_, err = here.WithHost(uninvited)
		require.ErrorContains(t, err, "is not among the hosts of party")
		uninvited.Participant = second.node.ParticipantID
		_, err = here.WithHost(uninvited)
		require.ErrorContains(t, err, "not properly authorized by any namespace key")
		_, err = here.Cosign(first.node, second.key)
		require.ErrorContains(t, err, "is not the key of participant")
	})
	t.Run("a host's signature is over this transaction", func(t *testing.T) {
		t.Parallel()
		signature, err := second.key.Sign([]byte("something else"))
		require.NoError(t, err)
		_, err = here.WithHost(topology.HostAuthorization{
			Participant: second.node.ParticipantID, Key: second.key.Public(), Signature: signature,
		})
		require.ErrorContains(t, err, "Transaction signature verification failed")
	})
	t.Run("another proposal for the party is refused", func(t *testing.T) {
		t.Parallel()
		further, _, err := newBody(t, selfSigned(alice, first, third)).signAll(t, alice).judge(first.node)
		require.NoError(t, err)
		_, err = here.Merge(further)
		require.ErrorContains(t, err, "Another proposal for party alice::1220")
	})
}

func TestAlreadyAllocated_NamesPartyAndSynchronizer(t *testing.T) {
	t.Parallel()
	refusal := topology.AlreadyAllocated("alice::1220abcdef0123456789", "global-domain::1220ab")
	require.ErrorContains(t, refusal, "Party alice::1220abcdef01... already exists on synchronizer global-domain::1220ab")
}
