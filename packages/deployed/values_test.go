package deployed_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
)

// kinds is a package with values of every kind, and contracts with keys.
const kinds = `metadata ( kinds : '1.0.0' )
module V {
  record @serializable Leg = { amount: Numeric 2, to_: Optional (Optional Party) };
  variant @serializable Shape (a: *) = Round: a | Square: V:Leg;
  enum @serializable Color = Red | Green;
  record @serializable All = { owner: Party, i: Int64, n0: Numeric 0, n10: Numeric 10, n37: Numeric 37, t: Text,
    b: Bool, d: Date, ts: Timestamp, u: Unit, c: V:Color, s: V:Shape Int64, legs: List V:Leg, tm: TextMap Int64,
    gm: GenMap V:Color (Numeric 2), o: Optional Text, oo: Optional (Optional Int64), id: Optional (ContractId V:All) };
  record @serializable Same = { all: V:All };
  template (this: All) = {
    signatories $P:one (V:All {owner} this);
    observers $P:none;
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (V:All {owner} this) to upure @Unit ();
    choice @nonConsuming Same (self) (a: V:Same): V:All, controllers $P:one (V:All {owner} this)
      to upure @V:All (V:Same {all} a);
  };
  record @serializable Key = { owner: Party, n: Int64 };
  record @serializable Keyed = { owner: Party, n: Int64 };
  record @serializable Find = { n: Int64 };
  template (this: Keyed) = {
    signatories $P:one (V:Keyed {owner} this);
    observers $P:none;
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (V:Keyed {owner} this) to upure @Unit ();
    choice @nonConsuming Exists (self) (a: V:Find): Bool, controllers $P:one (V:Keyed {owner} this)
      to ubind found: Optional (ContractId V:Keyed) <-
           lookup_by_key @V:Keyed (V:Key { owner = V:Keyed {owner} this, n = V:Find {n} a })
         in upure @Bool (case found of Some c -> True | None -> False);
    choice @nonConsuming End (self) (a: V:Find): Unit, controllers $P:one (V:Keyed {owner} this)
      to exercise_by_key @V:Keyed Archive (V:Key { owner = V:Keyed {owner} this, n = V:Find {n} a }) ($P:Archive {});
    key @V:Key (V:Key { owner = V:Keyed {owner} this, n = V:Keyed {n} this }) (\(k: V:Key) -> $P:one (V:Key {owner} k));
  };
}
`

const everything = `{"owner":"alice::1220aa","i":"-9223372036854775808","n0":"12345678901234567890123456789012345678",
	"n10":"0.0000000001","n37":"1.0000000000000000000000000000000000001","t":"é\u003c","b":true,"d":"2026-03-01",
	"ts":"2026-03-01T10:00:00.000001Z","u":{},"c":"Green","s":{"tag":"Round","value":"3"},
	"legs":[{"amount":"1.50","to_":[["alice::1220aa"]]},{"amount":"-2.00"},{"amount":"0.00","to_":[[]]}],
	"tm":{"a":"1","b":"2"},"gm":[["Green","1.00"],["Red","2.00"]],"o":"x","oo":[["7"]],
	"id":"00aa00aa00aa00aa00aa00aa00aa00aa00aa00aa00aa00aa00aa00aa00aa00aa00"}`

func TestUploadedTemplate_ReadsAndWritesEveryKindOfValue(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), kinds))
	id := n.created(alice, "#kinds:V:All", everything)
	require.JSONEq(t, everything, string(n.Active[id].Payload))
	same := n.accepted(alice, exercise("#kinds:V:All", id, "Same", `{"all":`+everything+`}`))
	require.JSONEq(t, everything, result(same), "the engine changes nothing")
}

func TestUploadedTemplate_RefusalNamesPlaceAndType(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), kinds))
	id := n.created(alice, "#kinds:V:All", everything)
	for place, value := range map[string]string{
		"all.legs[1].amount": `"-2.001"`, "all.n0": `"1.5"`, "all.n37": `"10"`, "all.c": `"Blue"`,
		"all.s":        `{"tag":"Flat","value":1}`,
		"all.gm[0][1]": `"x"`, "all.legs[0].to_[0]": `7`, "all.ts": `"yesterday"`,
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			argument := spoil(t, everything, place, value)
			_, err := n.SubmitCommands(alice, exercise("#kinds:V:All", id, "Same", argument))
			refused(t, err, fault.InvalidArgument)
			require.ErrorContains(t, err, "at 'choiceArgument."+place)
		})
	}
}

// spoil puts another value in a place of a JSON document.
func spoil(t *testing.T, document, place, value string) string {
	t.Helper()
	var whole any
	require.NoError(t, json.Unmarshal([]byte(`{"all":`+document+`}`), &whole))
	var put any
	require.NoError(t, json.Unmarshal([]byte(value), &put))
	steps := strings.FieldsFunc(place, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	at := whole
	for i, step := range steps {
		last := i == len(steps)-1
		switch inner := at.(type) {
		case map[string]any:
			if last {
				inner[step] = put
			}
			at = inner[step]
		case []any:
			index, err := strconv.Atoi(step)
			require.NoError(t, err)
			if last {
				inner[index] = put
			}
			at = inner[index]
		}
	}
	out, err := json.Marshal(whole)
	require.NoError(t, err)
	return string(out)
}

func TestUploadedTemplate_FindsContractsByKey(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), kinds))
	keyed := func(n int) string { return fmt.Sprintf(`{"owner":"alice::1220aa","n":"%d"}`, n) }
	first := n.created(alice, "#kinds:V:Keyed", keyed(1))
	n.created(alice, "#kinds:V:Keyed", keyed(2))
	require.JSONEq(t, keyed(1), string(n.Active[first].Key.Value))
	_, err := n.SubmitCommands(alice, create("#kinds:V:Keyed", keyed(2)))
	refused(t, err, fault.DuplicateContractKey)
	find := func(choice string, number int) (ledger.Transaction, error) {
		return n.SubmitCommands(alice, exercise("#kinds:V:Keyed", first, choice, fmt.Sprintf(`{"n":"%d"}`, number)))
	}
	for number, want := range map[int]string{2: "true", 3: "false"} {
		tx, err := find("Exists", number)
		require.NoError(t, err)
		require.Equal(t, want, result(tx))
	}
	ended, err := find("End", 2)
	require.NoError(t, err)
	require.True(t, ended.Nodes[1].ByKey)
	_, err = find("End", 2)
	refused(t, err, fault.ContractKeyNotFound)
	n.accepted(alice, ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{
		Template: name("#kinds:V:Keyed"), Key: []byte(keyed(1)), Choice: "Archive", Argument: []byte(`{}`),
	}})
	require.Empty(t, n.Active)
}

// prepare makes the message to sign for a command.
func (n node) prepare(by ledger.Party, command ledger.Command) *prepared.Transaction {
	n.Helper()
	commands, refusal := n.Packages.PrepareCommands([]ledger.Command{command}, nil)
	require.Nil(n, refusal)
	tx, err := ledger.Interpret(ledger.Submission{ActAs: []ledger.Party{by}, Commands: commands}, ledger.Environment{
		Packages: n.Packages, Store: n, EffectiveAt: n.Now, Seed: [32]byte{7},
	})
	require.NoError(n, err)
	built, err := prepared.Build(n.Packages, tx, prepared.Metadata{
		ActAs: []ledger.Party{by}, CommandID: "command-1", SynchronizerID: prepared.SynchronizerID("global::1220ee", 35, 0),
		TransactionUUID: "4c6471d3-4e09-49dd-addf-6cd90e19c583", PreparationTime: n.Now,
	})
	require.NoError(n, err)
	return built
}

// execute runs a signed message, and checks that the result is the same.
func (n node) execute(raw []byte) error {
	message, err := prepared.Decode(raw)
	require.NoError(n, err)
	execution, refusal := message.Execution(n.Packages)
	if refusal != nil {
		return refusal
	}
	tx, err := ledger.Interpret(ledger.Submission{
		ActAs: execution.Metadata.ActAs, Commands: []ledger.Command{execution.Command}, Disclosed: execution.Inputs,
		Preference: execution.Preference,
	}, ledger.Environment{Packages: n.Packages, Store: n, EffectiveAt: n.Now, Prepared: &execution.Run})
	if err != nil {
		return err
	}
	return message.Verify(n.Packages, tx)
}

func TestSignedTransaction_OfUploadedTemplatesIsExecuted(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), kinds), parse(t, packageID(2), notes))
	all := n.created(alice, "#kinds:V:All", everything)
	note := n.created(alice, "#notes:N:Note", note)
	for name, command := range map[string]ledger.Command{
		"every kind of value":  exercise("#kinds:V:All", all, "Same", `{"all":`+everything+`}`),
		"a key":                create("#kinds:V:Keyed", `{"owner":"alice::1220aa","n":"1"}`),
		"fetches":              exercise("#notes:N:Note", note, "Twice", `{}`),
		"through an interface": exercise("#notes:N:Readable", note, "Read", `{"reader":"alice::1220aa"}`),
		"a caught exception":   exercise("#notes:N:Note", note, "Catch", `{"creates":false}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inner := node{TB: t, Ledger: n.Ledger}
			require.NoError(t, inner.execute(inner.prepare("alice::1220aa", command).Bytes()))
		})
	}
}

func TestSignedTransaction_KeepsItsPackageVersion(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(3), counted), parse(t, packageID(11), release("1.0.0", "", "$P:none")))
	id := n.created(alice, "#accounts:A:Account", plain)
	signed := n.prepare("alice::1220aa", exercise("#counted:C:Counted", id, "Who", `{}`)).Bytes()
	n.upload(parse(t, packageID(3), counted), parse(t, packageID(11), release("1.0.0", "", "$P:none")),
		parse(t, packageID(12), release("1.1.0", "", "$P:none")))
	require.Equal(t, `"1.1.0"`, result(n.accepted(alice, exercise("#counted:C:Counted", id, "Who", `{}`))))
	require.NoError(t, n.execute(signed))
}

func TestUploadedCode_CostIsBoundedPerTransaction(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), spinning))
	id := n.created(alice, "#spinning:L:Spin", `{"owner":"alice::1220aa"}`)
	spin := func(times, each int) error {
		_, err := n.SubmitCommands(alice, exercise("#spinning:L:Spin", id, "Spin",
			fmt.Sprintf(`{"times":"%d","each":"%d"}`, times, each)))
		return err
	}
	require.NoError(t, spin(20, 1000))
	started := time.Now()
	refused(t, spin(50, ledger.MaxCodeSteps/20), fault.InterpretationTimeExceeded)
	require.Less(t, time.Since(started), time.Minute, "fifty exercises take no more than one")
	refused(t, spin(101, 1), fault.DamlInterpretationError)
}

// spinning is a package whose choice works for a while and exercises itself.
const spinning = `metadata ( spinning : '1.0.0' )
module L {
  record @serializable Spin = { owner: Party };
  record @serializable Times = { times: Int64, each: Int64 };
  template (this: Spin) = {
    signatories $P:one (L:Spin {owner} this);
    observers $P:none;
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (L:Spin {owner} this) to upure @Unit ();
    choice @nonConsuming Spin (self) (a: L:Times): Int64, controllers $P:one (L:Spin {owner} this)
      to case LESS_EQ @Int64 (L:Times {times} a) 0 of
           True -> upure @Int64 0
         | False -> case L:down (L:Times {each} a) of _ ->
             exercise @L:Spin Spin self (L:Times { a with times = SUB_INT64 (L:Times {times} a) 1 });
  };
  val down: Int64 -> Int64 = \(n: Int64) -> case LESS_EQ @Int64 n 0 of True -> 0 | False -> L:down (SUB_INT64 n 1);
}
`
