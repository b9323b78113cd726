package deployed_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func named(source string) string {
	return strings.ReplaceAll(source, "$P", "'"+string(preludeID)+"':P")
}

// notes is a package with notes that their owner shows, gives away, reads and archives.
const notes = `metadata ( notes : '1.0.0' )
module N {
  record @serializable View = { text: Text };
  record @serializable Read = { reader: Party };
  interface (this: Readable) = {
    viewtype N:View;
    method text: Text;
    choice Archive (self) (a: $P:Archive): Unit, controllers signatory_interface @N:Readable this to upure @Unit ();
    choice @nonConsuming Read (self) (a: N:Read): Text, controllers $P:one (N:Read {reader} a)
      to upure @Text (APPEND_TEXT (call_method @N:Readable text this) "!");
  };
  record @serializable Note = { owner: Party, reader: Party, text: Text };
  record @serializable Pass = { to_: Party };
  record @serializable Try = { creates: Bool };
  record @serializable None_ = {};
  template (this: Note) = {
    precondition EQUAL @Bool False (EQUAL @Text "" (N:Note {text} this));
    signatories $P:one (N:Note {owner} this);
    observers $P:two (N:Note {reader} this) (N:Note {owner} this);
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (N:Note {owner} this) to upure @Unit ();
    choice Pass (self) (a: N:Pass): ContractId N:Note
      , controllers $P:two (N:Note {owner} this) (N:Pass {to_} a)
      to create @N:Note (N:Note { N:Note { this with owner = N:Pass {to_} a } with
        text = APPEND_TEXT (N:Note {text} this) "+" });
    choice @nonConsuming Twice (self) (a: N:None_): Text
      , controllers $P:one (N:Note {owner} this)
      , observers $P:one (N:Note {reader} this)
      to ubind n: N:Note <- fetch_template @N:Note self;
               t: Text <- exercise_interface @N:Readable Read (COERCE_CONTRACT_ID @N:Note @N:Readable self)
                            (N:Read { reader = N:Note {owner} this })
         in upure @Text (APPEND_TEXT (N:Note {text} n) t);
    choice @nonConsuming Throw (self) (a: N:Try): Unit, controllers $P:one (N:Note {owner} this)
      to case N:Try {creates} a of
           True -> (ubind c: ContractId N:Note <- create @N:Note this
             in throw @(Update Unit) @$P:E ($P:E { message = "created" }))
         | False -> (ubind n: N:Note <- fetch_template @N:Note self
             in throw @(Update Unit) @$P:E ($P:E { message = "read" }));
    choice @nonConsuming Catch (self) (a: N:Try): Text, controllers $P:one (N:Note {owner} this)
      to try @Text (ubind u: Unit <- exercise @N:Note Throw self a in upure @Text "no exception")
         catch e -> case from_any_exception @$P:E e of
           Some x -> Some @(Update Text) (upure @Text ($P:E {message} x)) | None -> None @(Update Text);
    choice @nonConsuming Loop (self) (a: N:None_): Int64, controllers $P:one (N:Note {owner} this)
      to upure @Int64 (N:loop 0);
    implements N:Readable { view = N:View { text = N:Note {text} this }; method text = N:Note {text} this; };
  };
  val loop: Int64 -> Int64 = \(n: Int64) -> N:loop (ADD_INT64 n 1);
}
`

const (
	note = `{"owner":"alice::1220aa","reader":"bob::1220bb","text":"hello"}`
)

func TestUploadedTemplate_CreatesAndExercises(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), notes))
	id := n.created(alice, "#notes:N:Note", note)
	require.JSONEq(t, note, string(n.Active[id].Payload))
	require.Equal(t, "notes", n.Active[id].PackageName)
	require.Equal(t, []ledger.Party{"bob::1220bb"}, n.Active[id].Observers)

	passed := n.accepted(both, exercise("#notes:N:Note", id, "Pass", `{"to_":"bob::1220bb"}`))
	require.Len(t, passed.Nodes, 2)
	require.Equal(t, `"`+string(passed.Nodes[1].ContractID)+`"`, result(passed))
	require.NotContains(t, n.Active, id)
	require.Equal(t, []ledger.ContractID{id}, passed.Consumed())

	_, err := n.SubmitCommands(bob, exercise("#notes:N:Note", passed.Nodes[1].ContractID, "Twice", `{}`))
	require.NoError(t, err)
}

func TestUploadedTemplate_WorksThroughAnInterface(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), notes))
	id := n.created(alice, "#notes:N:Note", note)
	tree := n.accepted(alice, exercise("#notes:N:Note", id, "Twice", `{}`))
	require.Equal(t, `"hellohello!"`, result(tree))
	require.Equal(t, []ledger.EventKind{ledger.EventExercise, ledger.EventFetch, ledger.EventExercise},
		[]ledger.EventKind{tree.Nodes[0].Kind, tree.Nodes[1].Kind, tree.Nodes[2].Kind})
	require.Equal(t, []ledger.Party{"bob::1220bb"}, tree.Nodes[0].ChoiceObservers)
	require.Equal(t, "N:Readable", tree.Nodes[2].Interface.QualifiedName())

	view, err := n.View(t.Context(), id, "#notes:N:Readable")
	require.NoError(t, err)
	require.JSONEq(t, `{"text":"hello"}`, string(view))
	n.accepted(alice, exercise("#notes:N:Readable", id, "Archive", `{}`))
	require.Empty(t, n.Active)
}

func refused(t *testing.T, err error, code fault.Code) {
	t.Helper()
	require.Equal(t, code.ID, refusalIn(t, err).Code, "%v", err)
}

func refusalIn(t *testing.T, err error) *fault.Fault {
	t.Helper()
	refusal, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	return refusal
}

func TestUploadedTemplate_EnforcesItsRules(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), notes))
	_, err := n.SubmitCommands(bob, create("#notes:N:Note", note))
	refused(t, err, fault.DamlAuthorizationError)
	_, err = n.SubmitCommands(alice, create("#notes:N:Note", strings.Replace(note, "hello", "", 1)))
	refused(t, err, fault.TemplatePreconditionViolated)
	id := n.created(alice, "#notes:N:Note", note)
	_, err = n.SubmitCommands(bob, exercise("#notes:N:Note", id, "Twice", `{}`))
	refused(t, err, fault.DamlAuthorizationError)
	_, err = n.SubmitCommands(alice, exercise("#notes:N:Note", id, "Thrice", `{}`))
	refused(t, err, fault.InvalidArgument)
}

func TestUploadedCode_CatchesExceptionsOutsideTheChoice(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), notes))
	id := n.created(alice, "#notes:N:Note", note)
	tree := n.accepted(alice, exercise("#notes:N:Note", id, "Catch", `{"creates":false}`))
	require.Equal(t, `"read"`, result(tree))
	require.Len(t, tree.Nodes, 1, "the rolled back part has no nodes")

	_, err := n.SubmitCommands(alice, exercise("#notes:N:Note", id, "Catch", `{"creates":true}`))
	refused(t, err, fault.DamlEffectfulRollbackError)
	_, err = n.SubmitCommands(alice, exercise("#notes:N:Note", id, "Throw", `{"creates":false}`))
	refused(t, err, fault.DamlFailure)
	refusal := refusalIn(t, err)
	require.Equal(t, "UNHANDLED_EXCEPTION/P:E", refusal.Context["error_id"])
	require.Contains(t, refusal.Cause, "read")
	require.Regexp(t, `^    in choice [0-9a-f]{8}:N:Note:Throw on contract [0-9a-f]{10} \(#0\)
    in exercise command [0-9a-f]{8}:N:Note:Throw on contract [0-9a-f]{10}\.$`, refusal.Context["exercise_trace"])
}

func TestUploadedCode_EndlessLoopIsRefused(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), notes))
	id := n.created(alice, "#notes:N:Note", note)
	_, err := n.SubmitCommands(alice, exercise("#notes:N:Note", id, "Loop", `{}`))
	refused(t, err, fault.InterpretationTimeExceeded)
}
