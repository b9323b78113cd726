package activities_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

const preapprovalTemplate = "splice-amulet:Splice.AmuletRules:TransferPreapproval"

// preapproval creates a preapproval from alice, the operator.
func preapproval(receiver ledger.Party, until time.Time) ledger.Command {
	from := lf.TimestampOf(until.Add(-time.Hour))
	return createOf(preapprovalTemplate, fmt.Sprintf(`{"dso":%q,"receiver":%q,"provider":%q,"validFrom":%q,
		"lastRenewedAt":%q,"expiresAt":%q}`, eve, receiver, alice, from, from, lf.TimestampOf(until)))
}

// exerciseOf exercises a choice of a contract of [createOf].
func exerciseOf(template string, id ledger.ContractID, choice, argument string) ledger.Command {
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: createOf(template, "").Create.Template, Contract: id, Choice: choice, Argument: json.RawMessage(argument),
	}}
}

// A commit enforces the operator's limit of preapprovals, also within one transaction. A preapproval counts until it
// expires, even if somebody cancels it.
func TestCommitSubmissions_LimitsOperatorPreapprovals(t *testing.T) {
	t.Parallel()
	b, _ := newPoisonedBundle(t)
	_, err := b.db.ChangeLedgerSetting(t.Context(), "max-provided-parties", "2")
	require.NoError(t, err)
	const carol = ledger.Party("carol::1220")
	_, err = b.db.AllocateParty(t.Context(), ledger.PartyDetails{Party: carol, IsLocal: true}, "")
	require.NoError(t, err)
	until := b.now.Add(time.Hour)
	provide := func(name string, receiver ledger.Party) ledger.Submission {
		return b.submission(name, []ledger.Party{alice, eve, receiver}, preapproval(receiver, until))
	}
	requireRefused := func(completion ledger.Completion, text string) {
		t.Helper()
		require.NotNil(t, completion.Refusal)
		require.True(t, fault.PreapprovalNotProvided.Matches(completion.Refusal), completion.Refusal)
		require.Contains(t, completion.Refusal.Cause, text)
		require.Zero(t, completion.PaidTrafficCost)
	}
	batch := b.commit(provide("bob", bob), provide("bob again", bob), provide("eve", eve), provide("carol", carol),
		provide("own", alice))
	require.Nil(t, batch[0].Refusal)
	requireRefused(batch[1], "has paid for a preapproval of bob::1220 until 2026-03-01T11:00:00Z")
	require.Nil(t, batch[2].Refusal)
	requireRefused(batch[3], "limit of parties with preapprovals: 2")
	require.Nil(t, batch[4].Refusal, "the operator pays for itself")

	cancel := func(name string, id ledger.ContractID, by ledger.Party) ledger.Completion {
		return b.commit(b.submission(name, []ledger.Party{by}, exerciseOf(preapprovalTemplate, id,
			"TransferPreapproval_Cancel", fmt.Sprintf(`{"p":%q}`, by))))[0]
	}
	require.Nil(t, cancel("bob cancels", b.createdIn(batch[0]), bob).Refusal)
	later := b.commit(provide("bob later", bob), provide("carol later", carol))
	requireRefused(later[0], "has paid for a preapproval of bob::1220")
	requireRefused(later[1], "limit of parties with preapprovals")
	require.Nil(t, cancel("the operator cancels", b.createdIn(batch[2]), alice).Refusal)
	require.Nil(t, b.commit(provide("carol now", carol))[0].Refusal, "the operator gave up another one")

	b.now = until
	book, err := b.db.ProvidedPreapprovals(t.Context(), b.now, bob, carol, eve)
	require.NoError(t, err)
	require.Zero(t, book.Count)
	require.Contains(t, book.Until, bob)
	until = b.now.Add(time.Hour)
	require.Nil(t, b.commit(provide("bob in the end", bob))[0].Refusal)
	book, err = b.db.ProvidedPreapprovals(t.Context(), b.now, bob, carol, eve)
	require.NoError(t, err)
	require.Equal(t, map[ledger.Party]time.Time{bob: until}, book.Until, "expired ones are deleted")
}
