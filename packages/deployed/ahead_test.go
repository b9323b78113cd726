package deployed_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// circumstances are those of a decision on the ledger of the node.
func (n node) circumstances(ahead *ledger.Ahead) ledger.Circumstances {
	yes := func(ledger.Party) (bool, error) { return true, nil }
	return ledger.Circumstances{
		Packages: n.Packages, Store: n, IsLocal: yes, IsKnown: yes, Secret: []byte("secret"),
		MaySubmit:     func(ledger.Party) bool { return true },
		Deduplication: ledger.DeduplicationRules{Now: n.Now, Maximum: time.Hour}, Ahead: ahead,
	}
}

func (n node) submissionOf(command ledger.Command) ledger.Submission {
	n.Helper()
	commands, refusal := n.Packages.PrepareCommands([]ledger.Command{command}, nil)
	require.Nil(n, refusal)
	return ledger.Submission{
		Key: "key", CommandID: "1", ActAs: []ledger.Party{"alice::1220aa"}, Commands: commands, ReceivedAt: n.Now,
	}
}

// ahead interprets a command before its decision, with the budget of a commit.
func (n node) ahead(s ledger.Submission) *ledger.Ahead {
	n.Helper()
	circumstances := n.circumstances(nil)
	circumstances.Budget = ledger.NewBudget(n.Context())
	ahead, err := ledger.InterpretAhead(s, n.Now, circumstances)
	require.NoError(n, err)
	return ahead
}

// decide decides a submission under the head lock.
func (n node) decide(s ledger.Submission, ahead *ledger.Ahead, after time.Duration) (ledger.Decision, error) {
	circumstances := n.circumstances(ahead)
	circumstances.Budget = ledger.NewLockedBudget(n.Context())
	return ledger.Decide(s, ledger.Position{Offset: 9, RecordTime: n.Now.Add(after)}, circumstances)
}

func TestDecide_LeavesLongCodeUndecided(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), notes))
	id := n.created(alice, "#notes:N:Note", note)
	long := n.submissionOf(exercise("#notes:N:Note", id, "Loop", `{}`))
	_, err := n.decide(long, nil, 0)
	require.ErrorIs(t, err, ledger.ErrLongCode)
	decision, err := n.decide(long, n.ahead(long), 0)
	require.NoError(t, err)
	require.True(t, fault.InterpretationTimeExceeded.Matches(decision.Completion.Refusal))
	require.EqualValues(t, ledger.MaxCommitCost, decision.Completion.CodeCost)
	short := n.submissionOf(exercise("#notes:N:Note", id, "Twice", `{}`))
	decision, err = n.decide(short, nil, 0)
	require.NoError(t, err)
	require.True(t, decision.Completion.Accepted())
}

// An interpretation ahead is that of the decision, unless an answer to one of its reads has changed.
func TestDecide_UsesTheInterpretationAheadWhileItHolds(t *testing.T) {
	t.Parallel()
	keyed := func(number int) string { return fmt.Sprintf(`{"owner":"alice::1220aa","n":"%d"}`, number) }
	for name, test := range map[string]struct {
		meanwhile func(n node, id ledger.ContractID)
		after     time.Duration
		holds     bool
		refusal   string
	}{
		"nothing changed": {after: time.Second, holds: true},
		"another contract is new": {
			meanwhile: func(n node, _ ledger.ContractID) { n.created(alice, "#kinds:V:Keyed", keyed(7)) },
			after:     time.Second, holds: true,
		},
		"half a minute later": {after: 30 * time.Second, holds: true},
		"two minutes later":   {after: 2 * time.Minute},
		"its contract is archived": {
			meanwhile: func(n node, id ledger.ContractID) {
				n.accepted(alice, exercise("#kinds:V:Keyed", id, "Archive", `{}`))
			},
			after: time.Second, refusal: fault.ContractNotFound.ID,
		},
		"its key is taken": {
			meanwhile: func(n node, _ ledger.ContractID) { n.created(alice, "#kinds:V:Keyed", keyed(2)) },
			after:     time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := deploy(t, nil, parse(t, packageID(1), kinds))
			id := n.created(alice, "#kinds:V:Keyed", keyed(1))
			find := n.submissionOf(exercise("#kinds:V:Keyed", id, "Exists", `{"n":"2"}`))
			ahead := n.ahead(find)
			contracts, keys := ahead.Reads()
			require.Equal(t, []ledger.ContractID{id}, contracts)
			require.Len(t, keys, 1)
			if test.meanwhile != nil {
				test.meanwhile(n, id)
			}
			decision, err := n.decide(find, ahead, test.after)
			require.NoError(t, err)
			if test.refusal != "" {
				require.NotNil(t, decision.Completion.Refusal)
				require.Equal(t, test.refusal, decision.Completion.Refusal.Code)
				return
			}
			require.Nil(t, decision.Completion.Refusal)
			// A new interpretation has the time of the decision.
			require.Equal(t, test.holds, decision.Update.EffectiveAt.Equal(n.Now))
			require.Equal(t, !test.holds, decision.Update.EffectiveAt.Equal(decision.Update.RecordTime))
		})
	}
}
