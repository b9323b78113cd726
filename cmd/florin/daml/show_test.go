package daml

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/ledger/lf"
)

// library has the part of the script library that defines the type of scripts.
const library = `module Daml.Script.Internal.LowLevel { record Script (a: *) = { dummy: Unit }; }`

const notes = `
module N {
  record @serializable View = { text: Text };
  interface (this: Readable) = {
    viewtype N:View;
    method read: Party -> List Text;
    choice @nonConsuming Read (self) (reader: Party): Text
      , controllers Cons @Party [reader] (Nil @Party)
      to upure @Text "";
  };
  enum @serializable Mood = Glad | Sad;
  record Pair (a: *) = { one: a, moods: List N:Mood };
  variant Shape = Dot: Unit | Circle: Numeric 10 | Box: N:Shape.Box;
  record Shape.Box = { width: Int64 };
  record @serializable Pass = { to_: Party, gifts: List (ContractId N:Note) };
  record @serializable Note = { owner: Party, text: Text };
  template (this: Note) = {
    signatories Cons @Party [N:Note {owner} this] (Nil @Party);
    observers Nil @Party;
    choice Pass (self) (arg: N:Pass): ContractId N:Note
      , controllers Cons @Party [N:Pass {to_} arg] (Nil @Party)
      to create @N:Note this;
    implements N:Readable { view = N:View { text = "" }; method read = \(p: Party) -> Nil @Text; };
    key @Text (N:Note {text} this) (\(k: Text) -> Nil @Party);
  };
  val test: 'script':Daml.Script.Internal.LowLevel:Script Unit =
    ERROR @('script':Daml.Script.Internal.LowLevel:Script Unit) "";
  val $made: 'script':Daml.Script.Internal.LowLevel:Script Unit = N:test;
  val param: Text -> 'script':Daml.Script.Internal.LowLevel:Script Unit =
    \(t: Text) -> N:test;
}
`

func fileOfNotes(t *testing.T) *file {
	t.Helper()
	scripts, err := asttest.Parse("script", ast.V2_1, library)
	require.NoError(t, err)
	scripts.Name = "daml-script"
	main := asttest.Package(t, notes)
	return &file{
		path: "notes.dar", dar: &archive.DAR{Main: main, Packages: []*ast.Package{scripts, main}, SDK: "3.4.11"},
		packages: ast.Packages{main.ID: main, scripts.ID: scripts},
		source:   func(string) (string, bool) { return "", false },
	}
}

func TestShow_PrintsAPackage(t *testing.T) {
	t.Parallel()
	read := fileOfNotes(t)
	shown := describe(read, read.dar.Main)
	require.Equal(t, `test 1.0.0 (Daml-LF 2.3, built by SDK 3.4.11)
package id test

1 template
  N:Note { owner : Party, text : Text }
    key Text
    implements N:Readable
    choice Pass { to_ : Party, gifts : [ContractId Note] } -> ContractId Note

1 interface
  N:Readable, view View
    method read : Party -> [Text]
    nonconsuming choice Read {} -> Text

4 other data types
  N:Mood = Glad | Sad
  N:Pair a { one : a, moods : [Mood] }
  N:Shape = Dot | Circle Decimal | Box { width : Int }
  N:View { text : Text }

1 script
  N:test

1 other package in the archive; * it refers to
  * script  2.1  daml-script 1.0.0`, shown.text())
	require.Equal(t, []string{
		"N:Note", "N:Readable", "N:Mood", "N:Pair", "N:Shape", "N:View", "N:test",
	}, shown.names())
	require.Equal(t, []shownRef{{"script", "daml-script", "1.0.0", "2.1", true}}, shown.Packages)
}

func TestShow_FindsAPackageByNameOrIDPrefix(t *testing.T) {
	t.Parallel()
	read := fileOfNotes(t)
	for name, expected := range map[string]lf.PackageID{"": "test", "daml-script": "script", "scr": "script"} {
		found, err := read.find(name)
		require.NoError(t, err)
		require.Equal(t, expected, found.ID)
	}
	_, err := read.find("daml-scrip")
	require.ErrorContains(t, err, "notes.dar has no package \"daml-scrip\"")
	require.ErrorContains(t, err, "Did you mean daml-script?")
	read.dar.Packages = append(read.dar.Packages, &ast.Package{ID: "scripts", Name: "other"})
	_, err = read.find("scr")
	require.ErrorContains(t, err, `notes.dar has 2 packages "scr": script, scripts`)
}

func TestShow_NamesAMissingSource(t *testing.T) {
	t.Parallel()
	read := fileOfNotes(t)
	read.dar.Main.Modules = append(read.dar.Main.Modules, &ast.Module{Name: "A.Long.Name"})
	read.source = func(module string) (string, bool) { return "", module == "N" || module == "A.Long.Name" }
	err := (&showCommand{Source: "Zzz"}).printSource(read, read.dar.Main, io.Discard)
	require.ErrorContains(t, err, "It has the sources of A.Long.Name, N.")
	err = (&showCommand{Source: "A.long.name"}).printSource(read, read.dar.Main, io.Discard)
	require.ErrorContains(t, err, "Did you mean A.Long.Name?")
	var out strings.Builder
	err = (&showCommand{Source: "N"}).printSource(read, read.dar.Packages[0], &out)
	require.ErrorContains(t, err, "notes.dar has no sources of package daml-script 1.0.0")
	require.Empty(t, out.String(), "the main package has a module of this name")
}

func TestShow_PrintsTypesAsInSources(t *testing.T) {
	t.Parallel()
	tuple := &ast.TyCon{Name: lf.TypeName{Module: "DA.Types", Entity: "Tuple2"}}
	party, number := &ast.TyBuiltin{Type: ast.Party}, ast.Apply(&ast.TyBuiltin{Type: ast.Numeric}, &ast.TyNat{Value: 10})
	list := &ast.TyBuiltin{Type: ast.List}
	for text, of := range map[string]ast.Type{
		"Decimal":                     number,
		"Numeric 2":                   ast.Apply(&ast.TyBuiltin{Type: ast.Numeric}, &ast.TyNat{Value: 2}),
		"(Party, [Decimal])":          ast.Apply(tuple, party, ast.Apply(list, number)),
		"[((Party, Party), Decimal)]": ast.Apply(list, ast.Apply(tuple, ast.Apply(tuple, party, party), number)),
		"Tuple2 Party":                ast.Apply(tuple, party),
	} {
		require.Equal(t, text, typeText(of))
	}
}

func TestShow_RefusesAFileThatIsNoDAR(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "no.dar")
	require.NoError(t, os.WriteFile(path, []byte("no"), 0o600))
	_, err := readFile(path, archive.Options{})
	require.ErrorContains(t, err, "not a zip archive")
	_, err = readFile(path+"x", archive.Options{})
	require.ErrorContains(t, err, "no such file")
}

func TestShow_EscapesControlCharacters(t *testing.T) {
	t.Parallel()
	read := fileOfNotes(t)
	read.source = func(string) (string, bool) { return "module N\x1b[2J where\r\n\ttext = \"\u202e\"\n", true }
	var out strings.Builder
	require.NoError(t, (&showCommand{Source: "N"}).printSource(read, read.dar.Main, &out))
	require.Equal(t, "module N·[2J where\n  text = \"·\"\n", out.String())

	cause := errors.New("one\x1b[2J\ntwo")
	err := refused("a\x1b.dar", cause)
	require.EqualError(t, err, "a·.dar: one·[2J\ntwo")
	require.ErrorIs(t, err, cause)
}

func TestShow_PrintsASourceAsJSON(t *testing.T) {
	t.Parallel()
	read := fileOfNotes(t)
	read.source = func(string) (string, bool) { return "module N where\n\tx = \"\u202e\"\n", true }
	var out strings.Builder
	show := showCommand{Source: "N", Output: console.Output{JSON: true}}
	require.NoError(t, show.printSource(read, read.dar.Main, &out))
	require.JSONEq(t, `{"module": "N", "source": "module N where\n\tx = \"\u202e\"\n"}`, out.String(), "as it is")
}
