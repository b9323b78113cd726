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

// counter is a package with an interface.
const counter = `
module I {
  record @serializable View = { n: Int64 };
  interface (this: Counter) = {
    viewtype I:View;
    method n: Int64;
    choice @nonConsuming Count (self) (p: Party): Int64, controllers Cons @Party [p] (Nil @Party)
      to upure @Int64 (call_method @I:Counter n this);
  };
}`

// counted is a package with a template that implements the interface. Its versions differ in $Extra, $Args, $Sum,
// $Ensure, $Signatories, $Observers, $Number, $Maintainers and $N.
const counted = `
metadata ('$Name' : '$Release')
module U {
  record @serializable Key = { owner: Party, other: Party, number: Int64 };
  record @serializable Arg = { by: Int64 $Args };
  record @serializable Sum = { sum: Int64 $Args };
  record @serializable T = { owner: Party, reader: Party, mode: Int64 $Extra };
  exception Odd = { message \(e: U:Odd) -> U:Odd {text} e };
  record @serializable Odd = { text: Text };
  val is: U:T -> Int64 -> Bool = \(t: U:T) (n: Int64) -> EQUAL @Int64 n (U:T {mode} t);
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  template (this: T) = {
    precondition $Ensure;
    signatories $Signatories;
    observers $Observers;
    choice @nonConsuming Add (self) (arg: U:Arg): U:Sum, controllers U:one (U:T {owner} this)
      to upure @U:Sum (U:Sum { sum = ADD_INT64 (U:T {mode} this) (U:Arg {by} arg) $Sum });
    choice Close (self) (u: Unit): Int64, controllers U:one (U:T {owner} this) to upure @Int64 $N;
    key @U:Key (U:Key { owner = U:T {owner} this, other = U:T {reader} this, number = $Number })
      (\(k: U:Key) -> $Maintainers);
    implements 'counter':I:Counter { view = 'counter':I:View { n = $N }; method n = $N; };
  };
}`

var older = strings.NewReplacer("$Name", "counted", "$Release", "1.0.0", "$Extra", "", "$Args", "", "$Sum", "",
	"$Ensure", "True", "$Signatories", "U:one (U:T {owner} this)", "$Observers", "U:one (U:T {reader} this)",
	"$Number", "U:T {mode} this", "$Maintainers", "U:one (U:Key {owner} k)", "$N", "1")

// newer computes other metadata for contracts of some modes.
var newer = strings.NewReplacer("$Name", "counted", "$Release", "2.0.0",
	"$Extra", ", extra: Optional Text", "$Args", ", note: Optional Text", "$Sum", ", note = U:Arg {note} arg",
	"$Ensure", `case U:is this 6 of True -> throw @Bool @U:Odd (U:Odd { text = "odd" })
		| False -> EQUAL @Bool False (U:is this 1)`,
	"$Signatories", `case U:is this 2 of True -> Cons @Party [U:T {owner} this, U:T {reader} this] (Nil @Party)
		| False -> U:one (U:T {owner} this)`,
	"$Observers", "case U:is this 3 of True -> Nil @Party | False -> U:one (U:T {reader} this)",
	"$Number", "case U:is this 4 of True -> 99 | False -> U:T {mode} this",
	"$Maintainers", `case EQUAL @Int64 5 (U:Key {number} k) of True -> U:one (U:Key {other} k)
		| False -> U:one (U:Key {owner} k)`, "$N", "2")

// unlike is not a valid version: a field has another type.
var unlike = strings.NewReplacer("$Name", "counted", "$Release", "3.0.0", "$Extra", ", extra: Int64", "$Args", "",
	"$Sum", "", "$Ensure", "True", "$Signatories", "U:one (U:T {owner} this)", "$Observers", "Nil @Party",
	"$Number", "1", "$Maintainers", "U:one (U:Key {owner} k)", "$N", "3")

// user is a package whose choices use contracts in named versions, and through the interface.
const user = `
module C {
  record @serializable Use = { cid: ContractId 'v1':U:T, by: Party };
  record @serializable User = { owner: Party };
  val new: ContractId 'v1':U:T -> ContractId 'v2':U:T =
    \(c: ContractId 'v1':U:T) -> COERCE_CONTRACT_ID @'v1':U:T @'v2':U:T c;
  val open: ContractId 'v1':U:T -> ContractId 'counter':I:Counter =
    \(c: ContractId 'v1':U:T) -> COERCE_CONTRACT_ID @'v1':U:T @'counter':I:Counter c;
  val key: C:Use -> 'v2':U:Key = \(u: C:Use) -> 'v2':U:Key { owner = C:Use {by} u, other = C:Use {by} u, number = 7 };
  val made: C:Use -> 'v1':U:T = \(u: C:Use) -> 'v1':U:T { owner = C:Use {by} u, reader = C:Use {by} u, mode = 7 };
  template (this: User) = {
    signatories Cons @Party [C:User {owner} this] (Nil @Party);
    observers Nil @Party;
    choice @nonConsuming Old (self) (u: C:Use): Int64, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to ubind t: 'v1':U:T <- fetch_template @'v1':U:T (C:Use {cid} u) in upure @Int64 ('v1':U:T {mode} t);
    choice @nonConsuming New (self) (u: C:Use): Optional Text, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to ubind t: 'v2':U:T <- fetch_template @'v2':U:T (C:new (C:Use {cid} u))
         in upure @(Optional Text) ('v2':U:T {extra} t);
    choice @nonConsuming Careful (self) (u: C:Use): Optional Text, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to try @(Optional Text) (exercise @C:User New self u)
         catch e -> Some @(Update (Optional Text)) (upure @(Optional Text) (Some @Text "caught"));
    choice @nonConsuming Count (self) (u: C:Use): Int64, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to exercise_interface @'counter':I:Counter Count (C:open (C:Use {cid} u)) (C:Use {by} u);
    choice @nonConsuming View (self) (u: C:Use): Int64, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to ubind c: 'counter':I:Counter <- fetch_interface @'counter':I:Counter (C:open (C:Use {cid} u))
         in upure @Int64 ('counter':I:View {n} (view_interface @'counter':I:Counter c));
    choice @nonConsuming Local (self) (u: C:Use): Int64, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to ubind c: ContractId 'v1':U:T <- create @'v1':U:T (C:made u);
               s: 'v2':U:Sum <- exercise @'v2':U:T Add (C:new c) ('v2':U:Arg { by = 1, note = None @Text });
               n: Int64 <- exercise @'v2':U:T Close (C:new c) ();
               t: 'v1':U:T <- fetch_template @'v1':U:T c
         in upure @Int64 0;
    choice @nonConsuming ByKey (self) (u: C:Use): Int64, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to ubind a: ContractId 'v1':U:T <- create @'v1':U:T (C:made u);
               found: Optional (List ($Tuple2 (ContractId 'v2':U:T) 'v2':U:T)) <- query_n_by_key @'v2':U:T 5 (C:key u);
               pair: $Tuple2 (ContractId 'v2':U:T) 'v2':U:T <- fetch_by_key @'v2':U:T (C:key u)
         in exercise_by_key @'v2':U:T Close (C:key u) ();
    choice @nonConsuming Cast (self) (u: C:Use): Optional Text, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to upure @(Optional Text) (case from_interface @'counter':I:Counter @'v2':U:T
             (to_interface @'counter':I:Counter @'v1':U:T (C:made u)) of
           None -> Some @Text "none" | Some t -> 'v2':U:T {extra} t);
    choice @nonConsuming Down (self) (u: C:Use): Bool, controllers Cons @Party [C:Use {by} u] (Nil @Party)
      to upure @Bool (case from_interface @'counter':I:Counter @'v1':U:T (to_interface @'counter':I:Counter @'v2':U:T
             ('v2':U:T { owner = C:Use {by} u, reader = C:Use {by} u, mode = 7, extra = Some @Text "x" })) of
           None -> False | Some t -> True);
  };
}`

// versionsTest is a ledger with contracts of several versions.
type versionsTest struct {
	*testing.T
	program *engine.Program
	memory  memory
	// preferred is the selected package; "" for none.
	preferred lf.PackageID
	user      lf.ContractID
}

func newVersions(t *testing.T) *versionsTest {
	t.Helper()
	const library = "5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4"
	packages := ast.Packages{}
	for id, source := range map[lf.PackageID]string{
		library:   `module DA.Types { record @serializable Tuple2 (a: *) (b: *) = { _1: a, _2: b }; }`,
		"counter": counter,
		"v1":      older.Replace(counted), "v2": newer.Replace(counted), "v3": unlike.Replace(counted),
		"else": strings.Replace(older.Replace(counted), "'counted'", "'other'", 1),
		"user": strings.ReplaceAll(user, "$Tuple2", "'"+library+"':DA.Types:Tuple2"),
	} {
		p, err := asttest.Parse(id, ast.V2_3, source)
		require.NoError(t, err, id)
		packages[id] = p
	}
	v := &versionsTest{T: t, program: engine.NewProgram(packages), memory: memory{}, preferred: "v2"}
	v.user = v.create(lf.TypeName{Package: "user", Module: "C", Entity: "User"}, lf.Party("alice"))
	return v
}

func version(id lf.PackageID) lf.TypeName { return lf.TypeName{Package: id, Module: "U", Entity: "T"} }

func (v *versionsTest) submit(command engine.Command) (engine.Interpretation, error) {
	names := map[string]lf.PackageID{"user": "user", "other": "else"}
	if v.preferred != "" {
		names["counted"] = v.preferred
	}
	return v.program.Interpret(v.Context(), engine.Options{}, engine.Environment{
		Host: v.memory, ActAs: actAs("alice", "bob"), EffectiveAt: noon, Packages: names,
		Seed: [32]byte{byte(len(v.memory)), 1},
	}, []engine.Command{command})
}

func (v *versionsTest) create(template lf.TypeName, fields ...engine.Value) lf.ContractID {
	v.Helper()
	argument, err := v.program.NewRecord(template, fields...)
	require.NoError(v, err)
	out, err := v.submit(engine.Create{Template: template, Argument: argument})
	require.NoError(v, err)
	v.memory.commit(out.Transaction)
	id, ok := out.Results[0].(lf.ContractID)
	require.True(v, ok)
	return id
}

// older creates a contract of the older version with a mode of the newer.
func (v *versionsTest) older(mode lf.Int64) lf.ContractID {
	v.Helper()
	return v.create(version("v1"), lf.Party("alice"), lf.Party("bob"), mode)
}

func (v *versionsTest) newer(extra engine.Value) lf.ContractID {
	v.Helper()
	return v.create(version("v2"), lf.Party("alice"), lf.Party("bob"), lf.Int64(0), extra)
}

// use exercises a choice of the user, which uses a contract.
func (v *versionsTest) use(choice string, id lf.ContractID) (engine.Interpretation, error) {
	v.Helper()
	argument, err := v.program.NewRecord(lf.TypeName{Package: "user", Module: "C", Entity: "Use"}, id, lf.Party("alice"))
	require.NoError(v, err)
	of := lf.TypeName{Package: "user", Module: "C", Entity: "User"}
	return v.submit(engine.Exercise{Type: of, Contract: v.user, Choice: choice, Argument: argument})
}

// uses returns the result of such a choice.
func (v *versionsTest) uses(choice string, id lf.ContractID) string {
	v.Helper()
	out, err := v.use(choice, id)
	require.NoError(v, err)
	return show(out.Results[0])
}

// add exercises a choice in a version.
func (v *versionsTest) add(by lf.PackageID, id lf.ContractID, fields ...engine.Value) (engine.Interpretation, error) {
	v.Helper()
	argument, err := v.program.NewRecord(lf.TypeName{Package: by, Module: "U", Entity: "Arg"}, fields...)
	require.NoError(v, err)
	return v.submit(engine.Exercise{Type: version(by), Contract: id, Choice: "Add", Argument: argument})
}

func someText(text lf.Text) engine.Value { return &engine.Optional{Value: text} }

var noText = engine.Value((*engine.Optional)(nil))

func TestVersion_TestPackagesAreWellTyped(t *testing.T) {
	t.Parallel()
	requireWellTyped(t, newVersions(t).program)
}

func TestVersion_RunsTheCodeOfTheCaller(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	id := v.older(7)
	out, err := v.add("v2", id, lf.Int64(3), someText("why"))
	require.NoError(t, err)
	require.Equal(t, `Sum{10, Some "why"}`, show(out.Results[0]), "the code of the newer version")
	node := out.Transaction.Nodes[0]
	require.Equal(t, version("v2"), node.Template)
	require.Equal(t, "counted", node.PackageName)
	require.Equal(t, v.memory[id].Key, node.Key)
	require.Len(t, out.Transaction.Inputs, 1)
	require.Equal(t, version("v1"), out.Transaction.Inputs[0].Template, "the contract is as it was created")

	back := v.newer(noText)
	out, err = v.add("v1", back, lf.Int64(3))
	require.NoError(t, err)
	require.Equal(t, `Sum{3}`, show(out.Results[0]), "and that of the older")

	require.Equal(t, "7", v.uses("Old", id))
	require.Equal(t, "None", v.uses("New", id))
	require.Equal(t, "0", v.uses("Old", back), "what the newer version added holds nothing")
	require.Equal(t, `Some "x"`, v.uses("New", v.newer(someText("x"))))
}

func TestVersion_InterfacesUseThePreferredPackage(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	old, back := v.older(7), v.newer(noText)
	for _, id := range []lf.ContractID{old, back} {
		for preferred, n := range map[lf.PackageID]string{"v1": "1", "v2": "2"} {
			v.preferred = preferred
			require.Equal(t, n, v.uses("Count", id))
			require.Equal(t, n, v.uses("View", id))
			out, err := v.submit(engine.Exercise{
				Type:     lf.TypeName{Package: "counter", Module: "I", Entity: "Counter"},
				Contract: id, Choice: "Count", Argument: lf.Party("alice"),
			})
			require.NoError(t, err)
			require.Equal(t, version(preferred), out.Transaction.Nodes[0].Template)
		}
	}
	v.preferred = ""
	_, err := v.use("Count", old)
	require.True(t, fault.UnresolvedPackageName.Matches(err), "%v", err)
	v.preferred = "counter"
	_, err = v.use("Count", old)
	require.True(t, fault.ContractDoesNotImplementInterface.Matches(err), "%v", err)
}

func TestVersion_ConvertsContractsOfTheSameTransaction(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	_, err := v.use("Local", v.user)
	require.True(t, fault.ContractNotActive.Matches(err), "what one version consumed is no version's to use: %v", err)
	require.Equal(t, "2", v.uses("ByKey", v.user))
	require.Equal(t, "None", v.uses("Cast", v.user))
	_, err = v.use("Down", v.user)
	require.True(t, fault.InterpretationUpgradeErrorTranslationFailed.Matches(err), "%v", err)
	require.Contains(t, resourcesOf(t, err), "NULLABLE_CONTRACT_ID NULL")
}

func resourcesOf(t *testing.T, err error) []string {
	t.Helper()
	refusal, ok := fault.As(err)
	require.True(t, ok)
	var out []string
	for _, resource := range refusal.Resources {
		out = append(out, resource.Type+" "+resource.Value)
	}
	return out
}

func TestVersion_RefusesValuesWithoutAField(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	full := v.newer(someText("x"))
	_, err := v.use("Old", full)
	require.True(t, fault.InterpretationUpgradeErrorTranslationFailed.Matches(err), "%v", err)
	require.ErrorContains(t, err, "field 4 has a value, but v1:U:T has no such field")
	require.Equal(t, []string{
		"NULLABLE_CONTRACT_ID " + string(full), "TEMPLATE_ID v2:U:T", "TEMPLATE_ID v1:U:T",
		`CONTRACT_ARG {"owner":"alice","reader":"bob","mode":"0","extra":"x"}`,
	}, resourcesOf(t, err))
	v.preferred = "v1"
	_, err = v.use("Count", full)
	require.True(t, fault.InterpretationUpgradeErrorTranslationFailed.Matches(err), "%v", err)

	_, err = v.add("v3", full, lf.Int64(1))
	require.True(t, fault.InterpretationUpgradeErrorTranslationFailed.Matches(err), "another type: %v", err)
	_, err = v.add("v3", v.older(7), lf.Int64(1))
	require.ErrorContains(t, err, "field extra of v3:U:T is missing and not Optional")
}

func TestVersion_RefusesChangedContractMetadata(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	for mode, recomputed := range map[lf.Int64][]string{
		2: {"PARTIES alice,bob", "PARTIES "},
		3: {"PARTIES alice", "PARTIES "},
		4: {`NULLABLE_CONTRACT_KEY {"owner":"alice","other":"bob","number":"99"}`},
		5: {"NULLABLE_PARTIES bob"},
	} {
		id := v.older(mode)
		for _, choice := range []string{"New", "Careful", "Count"} {
			_, err := v.use(choice, id)
			require.True(t, fault.InterpretationUpgradeErrorValidationFailed.Matches(err), "mode %d: %v", mode, err)
			require.Subset(t, resourcesOf(t, err), append([]string{
				"CONTRACT_ID " + string(id), "TEMPLATE_ID v1:U:T", "TEMPLATE_ID v2:U:T", "PARTIES alice", "NULLABLE_PARTIES alice",
			}, recomputed...))
		}
		require.Equal(t, show(mode), v.uses("Old", id), "its own version still uses it")
	}
	id := v.older(1)
	_, err := v.use("New", id)
	require.True(t, fault.TemplatePreconditionViolated.Matches(err), "%v", err)
	_, err = v.use("Careful", v.older(6))
	require.ErrorContains(t, err, "UNHANDLED_EXCEPTION/U:Odd", "nothing can catch an exception of the version")

	_, err = v.add("else", id, lf.Int64(1))
	require.True(t, fault.InterpretationUpgradeErrorValidationFailed.Matches(err), "a package of another name: %v", err)
	require.Contains(t, resourcesOf(t, err), "PACKAGE_NAME other")
	_, err = v.submit(engine.Exercise{Type: version("v1"), Contract: v.user, Choice: "Close", Argument: lf.Unit{}})
	require.True(t, fault.WronglyTypedContract.Matches(err), "%v", err)
}

func TestVersion_SharesKeys(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	id := v.older(7)
	key, err := v.program.NewRecord(lf.TypeName{Package: "v2", Module: "U", Entity: "Key"}, lf.Party("alice"),
		lf.Party("bob"), lf.Int64(7))
	require.NoError(t, err)
	out, err := v.submit(engine.ExerciseByKey{Template: version("v2"), Key: key, Choice: "Close", Argument: lf.Unit{}})
	require.NoError(t, err)
	require.Equal(t, []engine.Value{lf.Int64(2)}, out.Results)
	require.Equal(t, id, out.Transaction.Nodes[0].ContractID)
	require.Equal(t, []ledger.ContractID{id}, out.Transaction.Consumed())
}
