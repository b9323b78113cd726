package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// keyed is a package with accounts, whose keys are bank and number, and a teller that looks them up.
const keyed = `
module K {
  record @serializable Key = { bank: Party, number: Int64 };
  record @serializable Account = { bank: Party, owner: Party, number: Int64, maintained: Bool };
  template (this: Account) = {
    signatories P:one (K:Account {bank} this);
    observers P:one (K:Account {owner} this);
    choice Close (self) (u: Unit): Int64, controllers P:one (K:Account {bank} this)
      to upure @Int64 (K:Account {number} this);
    key @K:Key (K:Key { bank = K:Account {bank} this, number = K:Account {number} this })
      (\(k: K:Key) -> case K:Key {number} k of _ -> K:maintainers k);
  };
  val maintainers: K:Key -> List Party = \(k: K:Key) -> case LESS @Int64 (K:Key {number} k) 0 of
    True -> Nil @Party
    | False -> case EQUAL @Int64 (K:Key {number} k) 13 of
        True -> throw @(List Party) @P:E (P:E { message = "unlucky" })
        | False -> P:one (K:Key {bank} k);
  record @serializable Bad = { owner: Party, other: Party, self: Optional (ContractId K:Bad) };
  template (this: Bad) = {
    signatories P:one (K:Bad {owner} this);
    observers Nil @Party;
    key @(P:Pair Party (Optional (ContractId K:Bad)))
      (P:Pair @Party @(Optional (ContractId K:Bad)) { first = K:Bad {other} this, second = K:Bad {self} this })
      (\(k: P:Pair Party (Optional (ContractId K:Bad))) ->
        P:one (P:Pair @Party @(Optional (ContractId K:Bad)) {first} k));
  };
  record @serializable Teller = { bank: Party };
  template (this: Teller) = {
    signatories P:one (K:Teller {bank} this);
    observers Nil @Party;
    choice @nonConsuming Owner (self) (n: Int64): Party, controllers P:one (K:Teller {bank} this)
      to ubind found: $Tuple2 (ContractId K:Account) K:Account <-
           fetch_by_key @K:Account (K:Key { bank = K:Teller {bank} this, number = n })
         in upure @Party (K:Account {owner}
           ($Tuple2 @(ContractId K:Account) @K:Account {_2} found));
    choice @nonConsuming CloseOne (self) (n: Int64): Int64, controllers P:one (K:Teller {bank} this)
      to exercise_by_key @K:Account Close (K:Key { bank = K:Teller {bank} this, number = n }) ();
    choice @nonConsuming Exists (self) (n: Int64): Bool, controllers P:one (K:Teller {bank} this)
      to ubind found: Optional (ContractId K:Account) <-
           lookup_by_key @K:Account (K:Key { bank = K:Teller {bank} this, number = n })
         in upure @Bool (case found of Some c -> True | None -> False);
    choice @nonConsuming Owners (self) (many: P:Pair Int64 Int64): List Party
      , controllers P:one (K:Teller {bank} this)
      to K:owners (K:Teller {bank} this) many;
    choice @nonConsuming Refill (self) (owner: Party): List Party, controllers P:one (K:Teller {bank} this)
      to ubind a: ContractId K:Account <- create @K:Account (K:Account {
                 bank = K:Teller {bank} this, owner = owner, number = 1, maintained = True });
               b: Int64 <- exercise_by_key @K:Account Close (K:Key { bank = K:Teller {bank} this, number = 1 }) ();
               c: Int64 <- exercise_by_key @K:Account Close (K:Key { bank = K:Teller {bank} this, number = 1 }) ();
               d: ContractId K:Account <- create @K:Account (K:Account {
                 bank = K:Teller {bank} this, owner = owner, number = 1, maintained = True })
         in K:owners (K:Teller {bank} this) (P:Pair @Int64 @Int64 { first = 10, second = 1 });
    choice @nonConsuming Unlucky (self) (u: Unit): Text, controllers P:one (K:Teller {bank} this)
      to try @Text (ubind found: Optional (ContractId K:Account) <-
             lookup_by_key @K:Account (K:Key { bank = K:Teller {bank} this, number = 13 }) in upure @Text "found")
         catch e -> Some @(Update Text) (upure @Text "caught");
    choice @nonConsuming Reconsider (self) (how: Int64): Int64, controllers P:one (K:Teller {bank} this)
      to ubind a: Text <- try @Text (ubind made: ContractId K:Account <- create @K:Account (K:Account {
             bank = K:Teller {bank} this, owner = K:Teller {bank} this, number = 1, maintained = True })
             in throw @(Update Text) @P:E (P:E { message = "no" }))
           catch e -> Some @(Update Text) (upure @Text "caught")
         in case EQUAL @Int64 how 0 of
           True -> (ubind found: Optional (ContractId K:Account) <-
               lookup_by_key @K:Account (K:Key { bank = K:Teller {bank} this, number = 1 })
             in upure @Int64 (case found of Some c -> 1 | None -> 0))
         | False -> (case EQUAL @Int64 how 1 of
             True -> (ubind found: $Tuple2 (ContractId K:Account) K:Account <-
                 fetch_by_key @K:Account (K:Key { bank = K:Teller {bank} this, number = 1 }) in upure @Int64 1)
           | False -> exercise_by_key @K:Account Close (K:Key { bank = K:Teller {bank} this, number = 1 }) ());
  };
  val owners: Party -> P:Pair Int64 Int64 -> Update (List Party) = \(bank: Party) (many: P:Pair Int64 Int64) ->
    ubind found: Optional (List ($Tuple2 (ContractId K:Account) K:Account)) <-
      query_n_by_key @K:Account (P:Pair @Int64 @Int64 {first} many)
        (K:Key { bank = bank, number = P:Pair @Int64 @Int64 {second} many })
    in upure @(List Party) (case found of None -> Nil @Party | Some list ->
      FOLDR @($Tuple2 (ContractId K:Account) K:Account) @(List Party)
        (\(c: $Tuple2 (ContractId K:Account) K:Account) (reached: List Party) -> Cons @Party [K:Account {owner}
          ($Tuple2 @(ContractId K:Account) @K:Account {_2} c)] reached) (Nil @Party) list);
}
`

// bankTest is a ledger on which a bank has a teller.
type bankTest struct {
	*testing.T
	program *engine.Program
	memory  memory
	teller  lf.ContractID
	// takeBack allows rollbacks of effects.
	takeBack bool
}

func keyedType(entity string) lf.TypeName {
	return lf.TypeName{Package: asttest.PackageID, Module: "K", Entity: entity}
}

func newBank(t *testing.T) *bankTest {
	t.Helper()
	const library = "5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4"
	p := asttest.Package(t, prelude+strings.ReplaceAll(keyed, "$Tuple2", "'"+library+"':DA.Types:Tuple2"))
	tuples, err := asttest.Parse(library, ast.V2_1,
		`module DA.Types { record @serializable Tuple2 (a: *) (b: *) = { _1: a, _2: b }; }`)
	require.NoError(t, err)
	b := &bankTest{T: t, program: engine.NewProgram(ast.Packages{p.ID: p, tuples.ID: tuples}), memory: memory{}}
	teller, err := b.program.NewRecord(keyedType("Teller"), lf.Party("bank"))
	require.NoError(t, err)
	b.teller = b.commit(engine.Create{Template: keyedType("Teller"), Argument: teller})
	return b
}

func (b *bankTest) submit(command engine.Command) (engine.Interpretation, error) {
	return b.program.Interpret(b.Context(), engine.Options{}, engine.Environment{
		Host: b.memory, ActAs: actAs("bank"), EffectiveAt: noon, Seed: [32]byte{byte(len(b.memory)), 1}, TakeBack: b.takeBack,
	}, []engine.Command{command})
}

func (b *bankTest) commit(command engine.Command) lf.ContractID {
	b.Helper()
	out, err := b.submit(command)
	require.NoError(b, err)
	b.memory.commit(out.Transaction)
	id, _ := out.Results[0].(lf.ContractID)
	return id
}

func (b *bankTest) account(owner lf.Party, number lf.Int64) engine.Create {
	b.Helper()
	argument, err := b.program.NewRecord(keyedType("Account"), lf.Party("bank"), owner, number, lf.Bool(true))
	require.NoError(b, err)
	return engine.Create{Template: keyedType("Account"), Argument: argument}
}

func (b *bankTest) tell(choice string, argument engine.Value) (engine.Interpretation, error) {
	return b.submit(engine.Exercise{Type: keyedType("Teller"), Contract: b.teller, Choice: choice, Argument: argument})
}

func (b *bankTest) many(limit, number lf.Int64) engine.Value {
	b.Helper()
	pair := lf.TypeName{Package: asttest.PackageID, Module: "P", Entity: "Pair"}
	return must(b.program.NewRecord(pair, limit, number))(b.T)
}

func (b *bankTest) owners(limit, number lf.Int64) []engine.Value {
	b.Helper()
	out, err := b.tell("Owners", b.many(limit, number))
	require.NoError(b, err)
	list, ok := out.Results[0].(*engine.List)
	require.True(b, ok)
	return list.Slice()
}

func TestKey_TestPackageIsWellTyped(t *testing.T) {
	t.Parallel()
	requireWellTyped(t, newBank(t).program)
}

func TestKey_FindsContracts(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	first := b.commit(b.account("alice", 1))
	key := b.memory[first].Key
	require.Equal(t, []ledger.Party{"bank"}, key.Maintainers)
	require.JSONEq(t, `{"bank":"bank","number":"1"}`, string(key.Value))

	out, err := b.tell("Owner", lf.Int64(1))
	require.NoError(t, err)
	require.Equal(t, []engine.Value{lf.Party("alice")}, out.Results)
	fetch := out.Transaction.Nodes[1]
	require.Equal(t, ledger.EventFetch, fetch.Kind)
	require.True(t, fetch.ByKey)
	require.Equal(t, first, fetch.ContractID)
	require.Equal(t, key, fetch.Key)

	out, err = b.tell("Exists", lf.Int64(1))
	require.NoError(t, err)
	require.Equal(t, []engine.Value{lf.Bool(true)}, out.Results)
	out, err = b.tell("Exists", lf.Int64(2))
	require.NoError(t, err)
	require.Equal(t, []engine.Value{lf.Bool(false)}, out.Results)

	_, err = b.tell("Owner", lf.Int64(2))
	require.True(t, fault.ContractKeyNotFound.Matches(err), "%v", err)

	out, err = b.tell("CloseOne", lf.Int64(1))
	require.NoError(t, err)
	require.True(t, out.Transaction.Nodes[1].ByKey)
	require.True(t, out.Transaction.Nodes[1].Consuming)
}

func TestExerciseByKey_ExercisesAChoice(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	b.commit(b.account("alice", 1))
	key, err := b.program.NewRecord(keyedType("Key"), lf.Party("bank"), lf.Int64(1))
	require.NoError(t, err)
	command := engine.ExerciseByKey{Template: keyedType("Account"), Key: key, Choice: "Close", Argument: lf.Unit{}}
	b.commit(command)
	_, err = b.submit(command)
	require.True(t, fault.ContractKeyNotFound.Matches(err), "%v", err)
}

func TestKey_OrdersContractsThatShareIt(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	ids := map[lf.ContractID]lf.Party{}
	for _, owner := range []lf.Party{"alice", "carol", "dave"} {
		ids[b.commit(b.account(owner, 1))] = owner
	}
	b.commit(b.account("erin", 2))
	var inOrder []engine.Value
	for _, contract := range must(b.memory.ContractsByKey(t.Context(), *b.keyOf(ids), 10))(t) {
		inOrder = append(inOrder, ids[contract.ID])
	}
	require.Equal(t, inOrder, b.owners(10, 1))
	require.Equal(t, inOrder[:2], b.owners(2, 1))
	require.Equal(t, []engine.Value{lf.Party("erin")}, b.owners(1, 2))

	// Contracts of the transaction come first, the newest first, without consumed ones.
	out, err := b.tell("Refill", lf.Party("zoe"))
	require.NoError(t, err)
	list, ok := out.Results[0].(*engine.List)
	require.True(t, ok)
	require.Equal(t, append([]engine.Value{lf.Party("zoe")}, inOrder[1:]...), list.Slice())
}

func (b *bankTest) keyOf(ids map[lf.ContractID]lf.Party) *ledger.ContractKey {
	for id := range ids {
		return b.memory[id].Key
	}
	return nil
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}

func TestKey_RefusesInvalidKeys(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	_, err := b.submit(b.account("alice", -1))
	require.True(t, fault.CreateEmptyContractKeyMaintainers.Matches(err), "%v", err)
	_, err = b.program.Interpret(t.Context(), engine.Options{}, engine.Environment{
		Host: b.memory, ActAs: actAs("zoe"), EffectiveAt: noon,
	}, []engine.Command{b.account("alice", -1)})
	require.True(t, fault.CreateEmptyContractKeyMaintainers.Matches(err), "before it matters who authorizes: %v", err)
	_, err = b.tell("Exists", lf.Int64(-1))
	require.True(t, fault.FetchEmptyContractKeyMaintainers.Matches(err), "%v", err)
	_, err = b.tell("Unlucky", lf.Unit{})
	require.ErrorContains(t, err, "UNHANDLED_EXCEPTION/P:E", "what maintainers throw cannot be caught")

	bad := func(other lf.Party, self engine.Value) engine.Command {
		argument, err := b.program.NewRecord(keyedType("Bad"), lf.Party("bank"), other, self)
		require.NoError(t, err)
		return engine.Create{Template: keyedType("Bad"), Argument: argument}
	}
	_, err = b.submit(bad("alice", (*engine.Optional)(nil)))
	require.True(t, fault.DamlAuthorizationError.Matches(err), "%v", err)
	require.ErrorContains(t, err, "maintainers alice which are not a subset of the signatories bank")
	_, err = b.submit(bad("bank", &engine.Optional{Value: b.teller}))
	require.True(t, fault.ContractIDInContractKey.Matches(err), "%v", err)
	_, err = b.tell("Owners", b.many(0, 1))
	require.True(t, fault.DamlInterpretationError.Matches(err), "%v", err)
}

func TestKey_IgnoresRolledBackContracts(t *testing.T) {
	t.Parallel()
	const lookup, fetch, exercise = lf.Int64(0), lf.Int64(1), lf.Int64(2)
	b := newBank(t)
	b.takeBack = true
	out, err := b.tell("Reconsider", lookup)
	require.NoError(t, err)
	require.Equal(t, []engine.Value{lf.Int64(0)}, out.Results)
	for _, how := range []lf.Int64{fetch, exercise} {
		_, err = b.tell("Reconsider", how)
		require.True(t, fault.ContractKeyNotFound.Matches(err), "%v", err)
	}

	kept := b.commit(b.account("alice", 1))
	for _, how := range []lf.Int64{fetch, exercise} {
		out, err = b.tell("Reconsider", how)
		require.NoError(t, err)
		require.Equal(t, kept, out.Transaction.Nodes[1].ContractID, "the one that was there before")
	}
}
