package engine_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// contracts is a package for tests of updates: its owner can share, pass on and tear up a note, which has an interface.
const contracts = `
module N {
  record @serializable View = { text: Text };
  interface (this: Readable) = {
    viewtype N:View;
    method text: Text;
    choice @nonConsuming Read (self) (reader: Party): Text
      , controllers P:one reader
      to upure @Text (APPEND_TEXT (call_method @N:Readable text this) "!");
  };
  interface (this: Other) = { viewtype N:View; };
  record @serializable Note = { owner: Party, reader: Party, text: Text };
  template (this: Note) = {
    precondition EQUAL @Bool False (EQUAL @Text "" (N:Note {text} this));
    signatories P:one (N:Note {owner} this);
    observers Cons @Party [N:Note {reader} this, N:Note {owner} this] (Nil @Party);
    choice Pass (self) (to_: Party): ContractId N:Note
      , controllers Cons @Party [N:Note {owner} this, to_] (Nil @Party)
      to create @N:Note (N:Note { N:Note { this with owner = to_ } with text = APPEND_TEXT (N:Note {text} this) "+" });
    choice @nonConsuming Twice (self) (u: Unit): Int64
      , controllers P:one (N:Note {owner} this)
      , observers P:one (N:Note {reader} this)
      to ubind a: N:Note <- fetch_template @N:Note self;
               b: Text <- exercise_interface @N:Readable Read (COERCE_CONTRACT_ID @N:Note @N:Readable self)
                            (N:Note {owner} this)
         in upure @Int64 7;
    choice Tear (self) (u: Unit): Unit, controllers P:one (N:Note {owner} this) to upure @Unit ();
    choice @nonConsuming TearTwice (self) (u: Unit): Unit, controllers P:one (N:Note {owner} this)
      to ubind a: Unit <- exercise @N:Note Tear self (); b: Unit <- exercise @N:Note Tear self () in upure @Unit ();
    choice @nonConsuming Careful (self) (then: N:Careful): Text, controllers P:one (N:Note {owner} this)
      to try @Text (N:careful self then)
         catch e -> case from_any_exception @P:E e of
           Some x -> Some @(Update Text) (upure @Text (P:E {message} x)) | None -> None @(Update Text);
    choice @nonConsuming Due (self) (at: Timestamp): Bool, controllers P:one (N:Note {owner} this)
      to ledger_time_lt at;
    choice @nonConsuming Now (self) (u: Unit): Timestamp, controllers P:one (N:Note {owner} this) to uget_time;
    choice @nonConsuming Broken (self) (u: Unit): Unit, controllers throw @(List Party) @P:E (P:E { message = "c" })
      to upure @Unit ();
    choice @nonConsuming Guarded (self) (u: Unit): Unit, controllers P:one (N:Note {owner} this)
      to try @Unit (exercise @N:Note Broken self ()) catch e -> Some @(Update Unit) (upure @Unit ());
    implements N:Readable { view = N:View { text = N:Note {text} this }; method text = N:Note {text} this; };
  };
  enum @serializable Careful = Reads | Creates | ThrowsOther | Reaches;
  val careful: ContractId N:Note -> N:Careful -> Update Text = \(self: ContractId N:Note) (then: N:Careful) ->
    ubind n: N:Note <- fetch_template @N:Note self in
    case then of
      N:Careful:Reads -> throw @(Update Text) @P:E (P:E { message = "caught" })
    | N:Careful:Creates -> (ubind c: ContractId N:Note <- create @N:Note n
                            in throw @(Update Text) @P:E (P:E { message = "caught" }))
    | N:Careful:ThrowsOther -> throw @(Update Text) @P:Worse (P:Worse { message = "other" })
    | N:Careful:Reaches -> upure @Text "reached";
}
`

type memory map[lf.ContractID]engine.Contract

func (m memory) Contract(_ context.Context, id lf.ContractID) (engine.Contract, bool, error) {
	found, ok := m[id]
	return found, ok, nil
}

// ContractsByKey lists contracts in the order of their ids.
func (m memory) ContractsByKey(_ context.Context, key ledger.ContractKey, limit int) ([]engine.Contract, error) {
	var out []engine.Contract
	for _, id := range slices.Sorted(maps.Keys(m)) {
		if contract := m[id]; contract.Key != nil && contract.Key.Hash == key.Hash && len(out) < limit {
			out = append(out, contract)
		}
	}
	return out, nil
}

func (m memory) commit(t ledger.Transaction) {
	for _, node := range t.Nodes {
		switch {
		case node.Kind == ledger.EventCreate:
			m[node.ContractID] = engine.Contract{Argument: node.Argument, Contract: ledger.Contract{
				ID: node.ContractID, Template: node.Template, PackageName: node.PackageName,
				Signatories: node.Signatories, Observers: node.Observers, Key: node.Key, CreatedAt: t.EffectiveAt,
			}}
		case node.Consuming:
			delete(m, node.ContractID)
		}
	}
}

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// ledgerTest is a program with a ledger on which alice has a note that bob reads.
type ledgerTest struct {
	*testing.T
	program *engine.Program
	memory  memory
	note    lf.ContractID
}

var (
	note     = lf.TypeName{Package: asttest.PackageID, Module: "N", Entity: "Note"}
	readable = lf.TypeName{Package: asttest.PackageID, Module: "N", Entity: "Readable"}
	other    = lf.TypeName{Package: asttest.PackageID, Module: "N", Entity: "Other"}
)

func onLedger(t *testing.T) *ledgerTest {
	t.Helper()
	out := &ledgerTest{T: t, program: program(t, contracts), memory: memory{}}
	result := out.must(actAs("alice"), engine.Create{Template: note, Argument: out.argument("alice", "bob", "hello")})
	out.memory.commit(result.Transaction)
	id, ok := result.Results[0].(lf.ContractID)
	require.True(t, ok)
	out.note = id
	return out
}

func actAs(parties ...ledger.Party) []ledger.Party { return parties }

func (l *ledgerTest) argument(owner, reader lf.Party, text lf.Text) engine.Value {
	record, err := l.program.NewRecord(note, owner, reader, text)
	require.NoError(l, err)
	return record
}

func (l *ledgerTest) submit(actAs []ledger.Party, commands ...engine.Command) (engine.Interpretation, error) {
	return l.program.Interpret(l.Context(), engine.Options{}, engine.Environment{
		Host: l.memory, ActAs: actAs, EffectiveAt: noon, Seed: [32]byte{1},
	}, commands)
}

func (l *ledgerTest) must(actAs []ledger.Party, commands ...engine.Command) engine.Interpretation {
	l.Helper()
	out, err := l.submit(actAs, commands...)
	require.NoError(l, err)
	return out
}

func (l *ledgerTest) exercise(choice string, argument engine.Value) engine.Exercise {
	return engine.Exercise{Type: note, Contract: l.note, Choice: choice, Argument: argument}
}

func (l *ledgerTest) enum(constructor string) engine.Value {
	v, err := l.program.NewEnum(lf.TypeName{Package: asttest.PackageID, Module: "N", Entity: "Careful"}, constructor)
	require.NoError(l, err)
	return v
}

func TestInterpret_RecordsCreates(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	require.Len(t, string(l.note), 134, "an id with the hash of its contract")
	contract := l.memory[l.note]
	require.Equal(t, []ledger.Party{"alice"}, contract.Signatories)
	require.Equal(t, []ledger.Party{"bob"}, contract.Observers, "a signatory is no observer")
	require.Equal(t, lf.Record{Type: note, Fields: []lf.Field{
		{Label: "owner", Value: lf.Party("alice")},
		{Label: "reader", Value: lf.Party("bob")},
		{Label: "text", Value: lf.Text("hello")},
	}}, contract.Argument)
}

func TestInterpret_ConsumesContracts(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	out := l.must(actAs("alice", "carol"), l.exercise("Pass", lf.Party("carol")))
	nodes := out.Transaction.Nodes
	require.Len(t, nodes, 2)
	exercise, create := nodes[0], nodes[1]
	require.Equal(t, ledger.EventExercise, exercise.Kind)
	require.True(t, exercise.Consuming)
	require.Equal(t, []ledger.Party{"alice", "carol"}, exercise.ActingParties)
	require.Equal(t, []int32{1}, exercise.Children)
	require.Equal(t, int32(1), exercise.LastDescendant)
	require.Equal(t, create.ContractID, exercise.Result, "results have final contract ids")
	require.Equal(t, create.ContractID, out.Results[0])
	require.Equal(t, []ledger.Party{"carol"}, create.Signatories)
	require.Len(t, out.Transaction.Inputs, 1)
	l.memory.commit(out.Transaction)
	require.NotContains(t, l.memory, l.note)
	require.Contains(t, l.memory, create.ContractID)
}

func TestInterpret_BuildsTheTransactionTree(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	out := l.must(actAs("alice"), l.exercise("Twice", lf.Unit{}))
	nodes := out.Transaction.Nodes
	require.Len(t, nodes, 3)
	require.Equal(t, []int32{1, 2}, nodes[0].Children)
	require.Equal(t, []ledger.Party{"bob"}, nodes[0].ChoiceObservers)
	require.Equal(t, ledger.EventFetch, nodes[1].Kind)
	require.Equal(t, []ledger.Party{"alice"}, nodes[1].ActingParties)
	require.Equal(t, &readable, nodes[2].Interface)
	require.Equal(t, lf.Text("hello!"), nodes[2].Result)
	require.Equal(t, lf.Int64(7), out.Results[0])
}

func TestInterpret_UsesContractsOfTheSameTransaction(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	out := l.must(actAs("alice"), engine.CreateAndExercise{
		Create: engine.Create{Template: note, Argument: l.argument("alice", "bob", "x")},
		Choice: "Tear", ChoiceArgument: lf.Unit{},
	})
	require.Len(t, out.Transaction.Nodes, 2)
	require.Empty(t, out.Transaction.Inputs)
	require.Equal(t, out.Transaction.Nodes[0].ContractID, out.Transaction.Nodes[1].ContractID)
	require.Equal(t, lf.Unit{}, out.Results[0])
}

func TestInterpret_RefusesInvalidUpdates(t *testing.T) {
	t.Parallel()
	type refusal struct {
		actAs   []ledger.Party
		command func(l *ledgerTest) engine.Command
		code    fault.Code
		text    string
	}
	create := func(owner lf.Party, text lf.Text) func(l *ledgerTest) engine.Command {
		return func(l *ledgerTest) engine.Command {
			return engine.Create{Template: note, Argument: l.argument(owner, "bob", text)}
		}
	}
	exercise := func(choice string, argument engine.Value) func(l *ledgerTest) engine.Command {
		return func(l *ledgerTest) engine.Command { return l.exercise(choice, argument) }
	}
	for name, test := range map[string]refusal{
		"a signatory who does not act": {
			actAs("bob"), create("alice", "x"), fault.DamlAuthorizationError, "requires authorizers alice, but only bob were",
		},
		"a precondition that does not hold": {
			actAs("alice"), create("alice", ""), fault.TemplatePreconditionViolated, "precondition violation",
		},
		"a controller who does not act": {
			actAs("alice"), exercise("Pass", lf.Party("carol")), fault.DamlAuthorizationError,
			"requires authorizers alice,carol, but only alice were given",
		},
		"a contract used up": {
			actAs("alice"), exercise("TearTwice", lf.Unit{}), fault.ContractNotActive, "inactive contract",
		},
		"an unknown contract": {
			actAs("alice"), func(*ledgerTest) engine.Command {
				return engine.Exercise{Type: note, Contract: "00ab", Choice: "Tear", Argument: lf.Unit{}}
			}, fault.ContractNotFound, "00ab",
		},
		"an interface that is not implemented": {
			actAs("alice"), func(l *ledgerTest) engine.Command {
				return engine.Exercise{Type: other, Contract: l.note, Choice: "Read", Argument: lf.Party("alice")}
			}, fault.ContractDoesNotImplementInterface, "not implementing an interface",
		},
		"an effect that is taken back": {
			actAs("alice"), func(l *ledgerTest) engine.Command { return l.exercise("Careful", l.enum("Creates")) },
			fault.DamlEffectfulRollbackError, "Tried to rollback side-effectful node(s): Create of test:N:Note",
		},
		"an exception that the handler does not take": {
			actAs("alice"), func(l *ledgerTest) engine.Command { return l.exercise("Careful", l.enum("ThrowsOther")) },
			fault.DamlFailure, "was thrown during conversion",
		},
		"an exception among the controllers is not caught": {
			actAs("alice"), exercise("Guarded", lf.Unit{}), fault.DamlFailure, "UNHANDLED_EXCEPTION/P:E",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := onLedger(t)
			_, err := l.submit(test.actAs, test.command(l))
			require.True(t, test.code.Matches(err), "%v", err)
			require.ErrorContains(t, err, test.text)
		})
	}
}

func TestRollback_RemovesReads(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	caught := l.must(actAs("alice"), l.exercise("Careful", l.enum("Reads")))
	require.Equal(t, lf.Text("caught"), caught.Results[0])
	require.Len(t, caught.Transaction.Nodes, 1, "the fetch is gone")
	require.Empty(t, caught.Transaction.Nodes[0].Children)
	require.Len(t, caught.Transaction.Inputs, 1)
	require.Equal(t, []ledger.EventKind{ledger.EventExercise, engine.Rollback, ledger.EventFetch}, kindsOf(caught.Whole))

	reached := l.must(actAs("alice"), l.exercise("Careful", l.enum("Reaches")))
	require.Equal(t, lf.Text("reached"), reached.Results[0])
	require.Len(t, reached.Transaction.Nodes, 2)
}

func TestInterpret_RecordsTimeBounds(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	now := lf.TimestampOf(noon)
	before := l.must(actAs("alice"), l.exercise("Due", now+5))
	require.Equal(t, lf.Bool(true), before.Results[0])
	require.Nil(t, before.Transaction.Earliest)
	require.Equal(t, (now + 4).Time(), *before.Transaction.Latest)

	after := l.must(actAs("alice"), l.exercise("Due", now))
	require.Equal(t, lf.Bool(false), after.Results[0])
	require.Equal(t, now.Time(), *after.Transaction.Earliest)
	require.Nil(t, after.Transaction.Latest)

	exactly := l.must(actAs("alice"), l.exercise("Now", lf.Unit{}))
	require.Equal(t, now, exactly.Results[0])
	require.Equal(t, exactly.Transaction.Earliest, exactly.Transaction.Latest)
}

func TestRollback_RemovesEffectsWhereAllowed(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	out, err := l.program.Interpret(l.Context(), engine.Options{}, engine.Environment{
		Host: l.memory, ActAs: actAs("alice"), EffectiveAt: noon, TakeBack: true,
	}, []engine.Command{l.exercise("Careful", l.enum("Creates"))})
	require.NoError(t, err)
	require.Equal(t, lf.Text("caught"), out.Results[0])
	require.Len(t, out.Transaction.Nodes, 1, "what was created is gone")
	require.Empty(t, out.Transaction.Created())
	require.Equal(t, []ledger.EventKind{
		ledger.EventExercise, engine.Rollback, ledger.EventFetch, ledger.EventCreate,
	}, kindsOf(out.Whole))
	require.Equal(t, []int32{2, 3}, out.Whole.Nodes[1].Children)
	require.Equal(t, int32(3), out.Whole.Nodes[0].LastDescendant)
	require.Equal(t, actAs("alice"), out.Transaction.Informees())
	require.Equal(t, actAs("alice", "bob"), out.Whole.Informees(), "they are told of what was taken back")
	require.Equal(t, actAs("alice", "bob"), out.Whole.Witnesses()[3])
}

func kindsOf(t ledger.Transaction) (out []ledger.EventKind) {
	for _, node := range t.Nodes {
		out = append(out, node.Kind)
	}
	return out
}

func TestInterpret_ReturnsThePartialTransactionOnRefusal(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	out, err := l.submit(actAs("alice"), l.exercise("TearTwice", lf.Unit{}))
	require.True(t, fault.ContractNotActive.Matches(err))
	require.Len(t, out.Transaction.Nodes, 2)
	require.Equal(t, "TearTwice", out.Transaction.Nodes[0].Choice)
	require.Equal(t, "Tear", out.Transaction.Nodes[1].Choice)
	require.Nil(t, out.Transaction.Nodes[0].Result)
}
