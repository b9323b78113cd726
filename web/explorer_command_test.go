package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/test/apitest"
)

// things is a package whose template has fields of many types.
const things = `metadata ( 'things' : '1.0.0' )
module T {
  record @serializable Archive = {};
  record @serializable Size = { width: Int64, height: Numeric 10 };
  variant @serializable State = Fresh: Unit | Sold: T:Size;
  enum @serializable Colour = Red | Blue;
  record @serializable Thing = { owner: Party, name: Text, size: T:Size, state: T:State, colour: T:Colour,
    isNew: Bool, made: Date, note: Option Text, spare: Option T:Size, friends: List Party, marks: TextMap Int64,
    deep: List T:Size };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  template (this: Thing) = {
    precondition True;
    signatories T:one (T:Thing {owner} this);
    observers Nil @Party;
    choice Archive (self) (a: T:Archive): Unit, controllers T:one (T:Thing {owner} this) to upure @Unit ();
  };
}
`

func TestCommand_CreatesAndExercises(t *testing.T) {
	t.Parallel()
	_, alice, bob := noted(t)
	party, reader := alice.partyID(), bob.partyID()
	alice.open("/explorer/templates/%23notes:N:Note").open(alice.linkOn("/explorer/templates/"))
	form := alice.path
	require.True(t, strings.HasSuffix(form, "/create"), form)
	alice.shows("Create Note", "Act as", "owner Party", "text Text", "Preview")
	require.Contains(t, alice.text, `list="mine"`)

	alice.press("/create", "act", party, "f.owner", "alice", "f.reader", reader, "f.text", "<b>buy milk")
	require.Equal(t, http.StatusOK, alice.status, alice.text)
	require.Contains(t, alice.path, "/create/preview?", "a reload repeats only the dry run")
	alice.shows("Do this?", "alice creates Note", "buy milk", "bytes of the node's traffic", "CreateCommand")
	preview := alice.path
	alice.open(alice.linkOn(form + "?"))
	_, typed := alice.form("/create")
	require.Equal(t, "<b>buy milk", typed.Get("f.text"))
	require.Equal(t, party, typed.Get("f.owner"))

	alice.open(preview)
	path, submit := alice.form("/create/submit")
	alice.press("/create/submit").shows("Done: Create Note.", "alice created Note")
	update := alice.path
	alice.open(preview).press("/create/submit").shows("It was done before.") // back, and once more
	alice.load(alice.request(http.MethodPost, path, submit)).shows("It was done before.", "alice created Note")

	note := alice.open(update).linkOn("/explorer/contracts/")
	alice.open(note).shows("Exercise", "Share", "owner", "alice", "Party", "text <b>buy milk Text")
	alice.open(alice.linkOn(note+"/exercise/Share")).shows("Share", "which archives it", "reader Party")
	alice.press("/exercise/Share", "act", party, "f.reader", "nobody")
	require.Equal(t, http.StatusNotFound, alice.status, "there is no such party")
	_, typed = alice.form("/exercise/Share")
	require.Equal(t, "nobody", typed.Get("f.reader"), "what was typed is still there")
	alice.press("/exercise/Share", "act", party, "f.reader", reader).shows("Note:Share by alice on #", "is archived")
	alice.press("/exercise/Share/submit").shows("Done: Share.", "Note:Share by alice")

	// bob sees the new note, but may not share it.
	shared := bob.open("/explorer/contracts?template=note").shows("buy milk+").linkOn("/explorer/contracts/00")
	bob.open(shared+"/exercise/Share").press("/exercise/Share", "act", reader, "f.reader", reader)
	require.GreaterOrEqual(t, bob.status, http.StatusBadRequest)
	bob.shows("Share", "authoriz")
	alice.open(note + "/exercise/Nothing").shows("The contract has no such choice.")
	alice.open(note)
	require.NotContains(t, alice.words(), "Exercise", "the contract is archived")
}

func TestCommand_MakesFormsFromTypes(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	upload(t, api, things)
	alice := window(t, serve(t, options(t, api.Handler))).as("alice")
	party := alice.partyID()
	alice.open("/explorer/templates/%23things:T:Thing/create").shows("size Size", "width Int", "height Decimal", "colour Colour",
		"Is there one?", "Which one", "One on each line.", "One pair on each line, as JSON.", "deep [Size] As JSON.")
	typed := []string{
		"act", party, "f.owner", party, "f.name", "a thing", "f.size.width", "3", "f.size.height", "1.5", "f.state", "Sold",
		"f.state.Sold.width", "4", "f.state.Sold.height", "2", "f.colour", "Blue", "f.isNew", "true", "f.made", "2026-11-27",
		"f.note", "", "f.spare?", "no", "f.friends", "alice\r\n\r\n" + party, "f.marks", `["a b", "7"]`,
		"f.deep", `[{"width": 1, "height": "2.0"}]`,
	}
	alice.press("/create", typed...)
	require.Equal(t, http.StatusOK, alice.status, alice.words())
	alice.shows("Do this?", `"tag": "Sold"`, `"a b": "7"`, `"note": null`, `"spare": null`, `"colour": "Blue"`)
	alice.press("/create/submit").shows("Done: Create Thing.")
	alice.open(alice.linkOn("/explorer/contracts/")).shows("a thing", "2026-11-27", "Colour", "Optional Size", "TextMap Int")

	for name, change := range map[string][3]string{
		"no JSON": {"f.deep", "[", "The field deep is not JSON."}, "no pair": {"f.marks", `["a"]`, "is not a key with a value"},
		"empty": {"f.made", "", "The field made is empty."}, "no constructor": {"f.state", "Lost", "has no constructor"},
	} {
		alice.open("/explorer/templates/%23things:T:Thing/create").
			press("/create", append(append([]string{}, typed...), change[0], change[1])...)
		require.Equal(t, http.StatusUnprocessableEntity, alice.status, name)
		alice.shows(change[2])
		_, values := alice.form("/create")
		require.Equal(t, "a thing", values.Get("f.name"), name)
	}
	long := append(append([]string{}, typed...), "f.name", strings.Repeat("long ", 1000))
	alice.open("/explorer/templates/%23things:T:Thing/create").press("/create", long...).shows("Do this?")
	require.True(t, strings.HasSuffix(alice.path, "/create"), "a long address is no redirect")
	form := "/explorer/templates/%23things:T:Thing/create"
	alice.open(form + "/preview?args={}")
	require.NotContains(t, alice.path, "/preview", "an address without a key leads to the form")
	alice.open(form + "/preview?once=x").shows("not JSON, or has a name twice")
	twice := url.Values{"once": {"x"}, "act": {party}, "args": {`{"name":"shown","name":"done"}`}}
	alice.open(form + "/preview?" + twice.Encode()).shows("has a name twice")
	alice.open(form).press("/create", append(typed, "f.marks", "[\"a\", \"1\"]\n[\"a\", \"2\"]")...).shows("has a name twice")
}

func TestCommand_NeedsARightToAct(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	upload(t, api, dartest.Notes("notes", "1.0.0", ""))
	of := options(t, api.Handler)
	server := serve(t, of)
	alice := window(t, server).as("alice")
	api.Call(apitest.LedgerUser, http.MethodPost, "/v2/users", map[string]any{
		"user": map[string]any{"id": "rita", "primaryParty": "", "isDeactivated": false, "identityProviderId": ""},
		"rights": []any{map[string]any{"kind": map[string]any{"CanReadAs": map[string]any{"value": map[string]any{
			"party": alice.partyID(),
		}}}}},
	}).OK(nil)
	rita := window(t, server)
	rita.open("/explorer").press("/wallet/sign-in", "user", "", "token", token(t, "rita"))
	rita.open("/explorer/templates/%23notes:N:Note/create").shows("You have no right to act as a party")
	require.Equal(t, http.StatusForbidden, rita.status)
}
