package e2e_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/daml"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
	"github.com/florinledger/florin/ledger"
)

// scriptsOfNotes are scripts that use an uploaded package of notes, PKG.
const scriptsOfNotes = `module X {
	val note: Party -> Party -> Text -> Unit = \(owner: Party) (reader: Party) (text: Text) ->
		A:AnyTemplate { getAnyTemplate = to_any @PKG:N:Note (PKG:N:Note { owner = owner, reader = reader, text = text }) };
	val create: Party -> Party -> Text -> Unit = \(owner: Party) (reader: Party) (text: Text) ->
		H:meta (H:Command:Create (H:Create { argC = X:note owner reader text }));
	val rep: Unit = H:rep (type_rep @PKG:N:Note);
	val share: Party -> Unit = \(to_: Party) -> A:AnyChoice {
		getAnyChoice = to_any @PKG:N:Share (PKG:N:Share { reader = to_ }), getAnyChoiceTemplateTypeRep = X:rep };
	val exercise: Unit -> Party -> Unit = \(cid: Unit) (to_: Party) -> H:meta (H:Command:Exercise (H:Exercise {
		tplId = X:rep, cId = cid, argE = X:share to_ }));
	val both: Party -> Unit = \(owner: Party) -> H:meta (H:Command:CreateAndExercise (H:Both {
		tplArgCE = X:note owner owner "both", choiceArgCE = X:share owner }));
	val query: Party -> Unit -> Unit = \(p: Party) (cid: Unit) -> H:Query { parties = Cons @Party [p] (Nil @Party),
		tplId = X:rep, cid = cid, interfaceId = X:rep };
	val exercised: Unit -> Unit = \(r: Unit) -> case r of
		C:CommandResult:ExerciseResult v -> v | _ -> ERROR @Unit "result";
	val first: List Unit -> Unit = \(all: List Unit) -> case H:first all of
		T:Either:Right r -> r | T:Either:Left l -> ERROR @Unit "left";
	val sizes: Unit -> Unit -> Unit = \(t: Unit) (next: Unit) ->
		H:say (INT64_TO_TEXT (H:count (TT:TransactionTree {rootEvents} t))) next;
}
`

// scriptsOfFaces are scripts that use the package of faces.
const scriptsOfFaces = `module Y {
	val create: Party -> Text -> Unit = \(owner: Party) (text: Text) -> H:meta (H:Command:Create (H:Create {
		argC = A:AnyTemplate { getAnyTemplate = to_any @FACES:Mask (FACES:Mask { owner = owner, text = text }) } }));
	val query: Party -> Unit -> Unit = \(p: Party) (cid: Unit) -> H:Query { parties = Cons @Party [p] (Nil @Party),
		tplId = H:rep (type_rep @FACES:Mask), cid = cid, interfaceId = H:rep (type_rep @FACES:Face) };
}
`

// faces is a package with an interface and a template that shows it.
const faces = `metadata ( 'faces' : '1.0.0' )
module F {
	record @serializable View = { text: Text };
	interface (this: Face) = { viewtype F:View; };
	record @serializable Archive = {};
	record @serializable Mask = { owner: Party, text: Text };
	val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
	template (this: Mask) = {
		precondition True;
		signatories F:one (F:Mask {owner} this);
		observers Nil @Party;
		choice Archive (self) (a: F:Archive): Unit, controllers F:one (F:Mask {owner} this) to upure @Unit ();
		implements F:Face { view = F:View { text = APPEND_TEXT "shown: " (F:Mask {text} this) }; };
	};
}
`

// nodeScripts runs scripts, given as expressions, on a node with the notes.
type nodeScripts struct {
	t     *testing.T
	node  *upNode
	notes dartest.Package
	faces dartest.Package
	bytes []byte
}

// runs runs a script of a type, and returns its report and its messages.
func (o nodeScripts) runs(kind, body string, options script.Options) (script.Report, []string) {
	o.t.Helper()
	named := "'" + string(o.notes.ID) + "'"
	face := "'" + string(o.faces.ID) + "':F:"
	packages, main := scripttest.Packages(o.t, strings.NewReplacer(
		"PKG", named, "FACES:", face, "TT:", "'library':Daml.Script.Internal.Questions.TransactionTree:").Replace(
		scriptsOfNotes+scriptsOfFaces+"module M { val test: "+kind+" = "+body+"; }"))
	dar, err := archive.ReadDAR(o.bytes, archive.Options{})
	require.NoError(o.t, err)
	for _, p := range dar.Packages {
		packages[p.ID] = p
	}
	suite, err := script.NewSuite(packages)
	require.NoError(o.t, err)
	found, _, ok := script.Named(main, packages, "M", "test")
	require.True(o.t, ok)
	options.Node, options.User = daml.OfNode(o.node.admin()), "ledger-api-user"
	_, err = rand.Read(options.Seed[:])
	require.NoError(o.t, err)
	report := suite.Run(o.t.Context(), found, options)
	var said []string
	for _, message := range report.Messages {
		said = append(said, message.Text)
	}
	return report, said
}

// passes runs a script that passes.
func (o nodeScripts) passes(body string) []string {
	o.t.Helper()
	report, said := o.runs("LL:Script Unit", `H:script (\(u: Unit) -> `+body+`)`, script.Options{})
	require.Nil(o.t, report.Failure, "%+v", report.Failure)
	return said
}

// fails runs a script that fails.
func (o nodeScripts) fails(body string) *script.Failure {
	o.t.Helper()
	report, _ := o.runs("LL:Script Unit", `H:script (\(u: Unit) -> `+body+`)`, script.Options{})
	require.NotNil(o.t, report.Failure)
	return report.Failure
}

// TestScript_RunsAgainstANode runs each kind of question of scripts against a node.
func TestScript_RunsAgainstANode(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--clock", "static")
	notes := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ""))
	masks := dartest.Compile(t, faces)
	o := nodeScripts{t, n, notes, masks, dartest.DAR(t, notes, masks)}
	require.NoError(t, n.admin().UploadDAR(t.Context(), o.bytes))
	t.Run("contracts", o.contracts)
	t.Run("views", o.views)
	t.Run("refusals", o.refusals)
	t.Run("parties", o.parties)
	t.Run("users", o.users)
	t.Run("packages", o.packages)
	t.Run("time", o.time)
	t.Run("values", o.values)
}

func (o nodeScripts) contracts(t *testing.T) {
	o.t = t
	said := o.passes(`
		H:party "ann" (\(ann: Party) -> H:party "ben" (\(ben: Party) -> H:party "cid" (\(cid: Party) ->
		H:submit ann (X:create ann ann "hello") (\(r: Unit) ->
		H:submits (Cons @Unit [H:submission ann (Nil @Party) (Nil @Unit) H:mustSucceed
			(Cons @Unit [X:exercise (H:created r) ben] (Nil @Unit))] (Nil @Unit)) (\(all: List Unit) ->
		X:sizes (T:Tuple2 @Unit @Unit {_2} (X:first all)) (
		H:ask "QueryContractId" 1 (X:query ben (X:exercised (H:first (T:Tuple2 @Unit @Unit {_1} (X:first all)))))
			(\(found: Unit) -> (case found of None -> ERROR @Unit "none" | Some t ->
		H:ask "QueryContractId" 1 (X:query cid (H:created r)) (\(found: Unit) -> (case found of
			Some t -> ERROR @Unit "seen" | None -> (
		H:ask "QueryACS" 1 (X:query ann ()) (\(found: List Unit) -> H:say (INT64_TO_TEXT (H:count found)) (
		H:ask "QueryACS" 1 (X:query ben ()) (\(found: List Unit) -> H:say (INT64_TO_TEXT (H:count found)) (
		H:ask "QueryContractId" 1 (X:query ann (H:created r)) (\(found: Unit) -> (case found of
			Some t -> ERROR @Unit "there" | None ->
		H:submit ann (X:create ann ann "more") (\(r: Unit) ->
		H:ask "QueryContractId" 1 (X:query ann (H:created r)) (\(found: Unit) -> (case found of
			None -> ERROR @Unit "gone" | Some t ->
		H:submits (Cons @Unit [H:submission ann (Nil @Party) (Cons @Unit [H:Disclosure {
				templateId = (), contractId = H:created r, blob = T:Tuple3 @Unit @Unit @Unit {_3} t }] (Nil @Unit))
			H:try (Cons @Unit [X:both ann] (Nil @Unit))] (Nil @Unit))
			(\(all: List Unit) -> H:sayError (H:first all) (H:done ()))))))))))))))))))))))`)
	require.Equal(t, []string{"1", "1", "1", "succeeded"}, said)
}

func (o nodeScripts) views(t *testing.T) {
	o.t = t
	said := o.passes(`H:party "lea" (\(lea: Party) -> H:party "max" (\(max: Party) ->
		H:submit lea (Y:create lea "one") (\(first: Unit) -> H:submit lea (Y:create lea "two") (\(second: Unit) ->
		H:ask "QueryInterface" 1 (Y:query lea ()) (\(found: List Unit) -> H:say (INT64_TO_TEXT (H:count found)) (
		(case T:Tuple2 @Unit @Unit {_2} (H:first found) of None -> ERROR @Unit "no view" | Some view ->
		H:say (FACES:View {text} view) (
		H:ask "QueryInterfaceContractId" 1 (Y:query lea (H:created second)) (\(found: Unit) -> (case found of
			None -> ERROR @Unit "no view" | Some view -> H:say (FACES:View {text} view) (
		H:ask "QueryInterfaceContractId" 1 (Y:query max (H:created second)) (\(found: Unit) -> H:sayHas found (
			H:done ())))))))))))))`)
	require.Equal(t, []string{"shown: one", "2", "shown: two", "none"}, said)
}

func (o nodeScripts) refusals(t *testing.T) {
	o.t = t
	said := o.passes(`
		H:party "dan" (\(dan: Party) -> H:party "eve" (\(eve: Party) ->
		H:submit dan (X:create dan dan "hello") (\(r: Unit) ->
		H:expect H:try eve (X:create dan eve "not mine") (\(e: Unit) -> H:sayError e (
		H:expect H:mustFail eve (X:exercise (H:created r) eve) (\(e: Unit) -> H:sayError e (H:done ())))))))`)
	require.Equal(t, []string{"AuthorizationError", "NotFound"}, said)
	failure := o.fails(`H:party "fay" (\(fay: Party) -> H:party "gus" (\(gus: Party) ->
		H:submit fay (X:create gus fay "no") (\(r: Unit) -> H:done ())))`)
	require.Equal(t, "DAML_AUTHORIZATION_ERROR", failure.Code)
	failure = o.fails(`H:party "hal" (\(hal: Party) ->
		H:expect H:mustFail hal (X:create hal hal "yes") (\(r: Unit) -> H:done ()))`)
	require.Contains(t, failure.Message, "Expected submit to fail but it succeeded, and stays on the ledger")
	failure = o.fails(`H:party "ivy" (\(ivy: Party) -> H:submit ivy (H:create ivy ivy "hello") (\(r: Unit) -> H:done ()))`)
	require.Contains(t, failure.Message, `No package with the name "test"`, "no such package was uploaded")
}

func (o nodeScripts) parties(t *testing.T) {
	o.t = t
	jan, err := o.node.admin().AllocateParty(t.Context(), "jan", "")
	require.NoError(t, err)
	failure := o.fails(`H:party "jan" (\(jan: Party) -> H:done ())`)
	require.Contains(t, failure.Message, "already exists")
	require.Contains(t, failure.Hint, "--party jan")
	again := `H:ask "AllocateParty" 2 (H:Allocate { requestedName = "jan", idHint = "", participants = Nil @Text })
		(\(jan: Party) -> H:submit jan (X:create jan jan "mine") (\(r: Unit) -> H:say (PARTY_TO_TEXT jan) (H:done ())))`
	require.Regexp(t, `^'?jan-[0-9a-f]{8}::1220`, o.passes(again)[0])
	require.NoError(t, o.node.admin().GrantRights(t.Context(), "ledger-api-user", client.CanActAs(jan)))
	report, said := o.runs("LL:Script Unit", `H:script (\(u: Unit) -> `+again+`)`,
		script.Options{Parties: map[string]ledger.Party{"jan": ledger.Party(jan)}})
	require.Nil(t, report.Failure, "%+v", report.Failure)
	require.Contains(t, said[0], jan)
	require.Equal(t, []string{"ok"}, o.passes(
		`H:ask "ListKnownParties" 1 (H:Nothing { }) (\(all: List Unit) ->
			H:must (GREATER @Int64 (H:count all) 4) "parties" (H:say "ok" (H:done ())))`))
}

func (o nodeScripts) users(t *testing.T) {
	o.t = t
	said := o.passes(`H:party "kim" (\(kim: Party) ->
		let rights: List Unit = Cons @Unit [U:UserRight:CanActAs kim] (Nil @Unit) in
		H:ask "CreateUser" 1 (H:user "kim-app" (Nil @Unit)) (\(made: Unit) -> H:sayHas made (
		H:ask "CreateUser" 1 (H:user "kim-app" (Nil @Unit)) (\(made: Unit) -> H:sayHas made (
		H:ask "GrantUserRights" 1 (H:user "kim-app" rights) (\(added: Unit) -> H:sayCount added (
		H:ask "GrantUserRights" 1 (H:user "kim-app" rights) (\(added: Unit) -> H:sayCount added (
		H:ask "ListUserRights" 1 (H:user "kim-app" rights) (\(has: Unit) -> H:sayCount has (
		H:ask "RevokeUserRights" 1 (H:user "kim-app" rights) (\(gone: Unit) -> H:sayCount gone (
		H:ask "DeleteUser" 1 (H:user "kim-app" rights) (\(gone: Unit) -> H:sayHas gone (
		H:ask "GetUser" 1 (H:user "kim-app" rights) (\(found: Unit) -> H:sayHas found (
		H:ask "ListAllUsers" 1 (H:Nothing { }) (\(all: List Unit) ->
			H:must (GREATER @Int64 (H:count all) 1) "users" (H:done ())))))))))))))))))))`)
	require.Equal(t, []string{"some", "none", "1", "0", "1", "1", "some", "none"}, said)
}

func (o nodeScripts) packages(t *testing.T) {
	o.t = t
	vet := func(question string) string {
		return `H:ask "` + question + `" 1 (H:Packages { packages = Cons @Unit [H:PackageName {
			name = "notes", version = "1.0.0" }] (Nil @Unit) }) (\(u: Unit) -> `
	}
	o.passes(`H:ask "ListVettedPackages" 1 (H:Nothing { }) (\(all: List Unit) ->
		H:must (GREATER @Int64 (H:count all) 10) "packages" (H:done ()))`)
	o.passes(vet("UnvetPackages") + "H:done ())")
	require.Empty(t, versionsOf(person{t: t, node: o.node}, "notes"))
	o.passes(vet("VetPackages") + "H:done ())")
	require.Equal(t, []string{"1.0.0"}, versionsOf(person{t: t, node: o.node}, "notes"))
	failure := o.fails(`H:ask "ListAllPackages" 1 (H:Nothing { }) (\(all: List Unit) -> H:done ())`)
	require.Contains(t, failure.Message, "a node lists vetted packages only")
	require.Equal(t, "Use listVettedPackages.", failure.Hint)
}

func (o nodeScripts) time(t *testing.T) {
	o.t = t
	said := o.passes(`H:ask "SetTime" 1 (H:Time { time = 2090-01-01T00:00:00.000000Z }) (\(u: Unit) ->
		H:ask "GetTime" 1 (H:Nothing { }) (\(now: Timestamp) -> H:say (TIMESTAMP_TO_TEXT now) (H:done ())))`)
	require.Equal(t, []string{"2090-01-01T00:00:00Z"}, said)
	failure := o.fails(`H:ask "SetTime" 1 (H:Time { time = 2022-01-01T00:00:00.000000Z }) (\(u: Unit) -> H:done ())`)
	require.Contains(t, failure.Message, "cannot set it back to")
}

// values are arguments and results of scripts.
func (o nodeScripts) values(t *testing.T) {
	o.t = t
	const echo = `\(text: Text) -> H:script (\(u: Unit) -> H:done (APPEND_TEXT text "!"))`
	report, _ := o.runs("Text -> LL:Script Text", echo, script.Options{Input: json.RawMessage(`"hi"`), Output: true})
	require.Nil(t, report.Failure, "%+v", report.Failure)
	require.JSONEq(t, `"hi!"`, string(report.Result))
	report, _ = o.runs("Text -> LL:Script Text", echo, script.Options{Input: json.RawMessage(`7`)})
	require.Contains(t, report.Failure.Message, "the input of M:test: ")
	const opaque = `H:script (\(u: Unit) -> H:done (\(x: Text) -> x))`
	report, _ = o.runs("LL:Script (Text -> Text)", opaque, script.Options{Output: true})
	require.Contains(t, report.Failure.Message, "the result of M:test cannot be written: ")
}
