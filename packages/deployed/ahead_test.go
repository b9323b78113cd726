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

// A chain of contracts, each with the id of the next: code reads one after the other, and computes little.
const chain = `metadata ( 'chain' : '1.0.0' )
module C {
  record @serializable Archive = {};
  record @serializable Count = { links: Int64 };
  record @serializable Link = { owner: Party, next: Optional (ContractId C:Link) };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val forge: Party -> Int64 -> ContractId C:Link -> Update (ContractId C:Link) =
    \(p: Party) (n: Int64) (c: ContractId C:Link) -> case LESS_EQ @Int64 n 0 of
      True -> upure @(ContractId C:Link) c
    | False -> ubind d: ContractId C:Link <- create @C:Link (C:Link { owner = p, next = Some @(ContractId C:Link) c })
      in C:forge p (SUB_INT64 n 1) d;
  val walk: Int64 -> ContractId C:Link -> Update Unit = \(n: Int64) (c: ContractId C:Link) ->
    ubind l: C:Link <- fetch_template @C:Link c in case C:Link {next} l of
      None -> upure @Unit ()
    | Some d -> case LESS_EQ @Int64 n 1 of True -> upure @Unit () | False -> C:walk (SUB_INT64 n 1) d;
  template (this: Link) = {
    precondition True;
    signatories C:one (C:Link {owner} this);
    observers Nil @Party;
    choice Archive (self) (a: C:Archive): Unit, controllers C:one (C:Link {owner} this) to upure @Unit ();
    choice @nonConsuming Forge (self) (a: C:Count): ContractId C:Link, controllers C:one (C:Link {owner} this)
      to C:forge (C:Link {owner} this) (C:Count {links} a) self;
    choice @nonConsuming Walk (self) (a: C:Count): Unit, controllers C:one (C:Link {owner} this)
      to C:walk (C:Count {links} a) self;
  };
}
`

// Reads take time in the database, so they count as steps.
func TestDecide_CountsReadsAsSteps(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), chain))
	first := n.created(alice, "#chain:C:Link", `{"owner":"alice::1220aa","next":null}`)
	forged := n.accepted(alice, exercise("#chain:C:Link", first, "Forge", `{"links":"60"}`))
	last := forged.Nodes[len(forged.Nodes)-1].ContractID
	walk := func(links int) (ledger.Decision, error) {
		return n.decide(n.submissionOf(exercise("#chain:C:Link", last, "Walk", fmt.Sprintf(`{"links":"%d"}`, links))), nil, 0)
	}
	few, err := walk(20)
	require.NoError(t, err)
	require.True(t, few.Completion.Accepted(), "%v", few.Completion.Refusal)
	require.Greater(t, few.Completion.CodeCost, int64(19*500*ledger.MaxCommitCost/ledger.MaxCodeSteps), "the first was read before")
	_, err = walk(60)
	require.ErrorIs(t, err, ledger.ErrLongCode)
}
