package daml

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
	"github.com/florinledger/florin/ledger"
)

// wallet is the source of the places in walletTests.
const wallet = `module Wallet where

import Daml.Script

template Note
  with
    owner : Party
    text : Text
  where
    signatory owner
    choice HandOver : ContractId Note
      with
        newOwner : Party
      controller owner
      do
        create this with owner = newOwner

handOver : Script ()
handOver = script do
  alice <- allocateParty "alice"
  bob <- allocateParty "bob"
  note <- submit alice do
    createCmd Note with owner = alice; text = "hello"
  debug "now alice hands it over"
  submit alice do
    exerciseCmd note HandOver with newOwner = bob
  pure ()

write : Script ()
write = script do
  alice <- allocateParty "alice"
  submit alice do
    createCmd Note with owner = alice; text = "mine"
  pure ()
`

const walletTests = `
module Wallet {
	record HandOver = { newOwner: Party };
	record Note = { owner: Party, text: Text };
	template (this: Note) = {
		signatories Cons @Party [Wallet:Note {owner} this] (Nil @Party);
		observers Nil @Party;
		choice HandOver (self) (arg: Wallet:HandOver): ContractId Wallet:Note,
			controllers Cons @Party [Wallet:Note {owner} this] (Nil @Party)
			to loc(Wallet, 15, 8, 15, 41) create @Wallet:Note (
				Wallet:Note { this with owner = Wallet:HandOver {newOwner} arg });
	};
	record SrcLoc = { srcLocPackage: Text, srcLocModule: Text, srcLocFile: Text, srcLocStartLine: Int64,
		srcLocStartCol: Int64, srcLocEndLine: Int64, srcLocEndCol: Int64 };
	val note: Party -> Text -> Unit = \(owner: Party) (text: Text) -> H:meta (H:Command:Create (H:Create {
		argC = A:AnyTemplate { getAnyTemplate = to_any @Wallet:Note (Wallet:Note { owner = owner, text = text }) } }));
	val pass: Unit -> Party -> Unit = \(note: Unit) (to_: Party) -> H:meta (H:Command:Exercise (H:Exercise {
		tplId = H:rep (type_rep @Wallet:Note), cId = note,
		argE = H:choice (to_any @Wallet:HandOver (Wallet:HandOver { newOwner = to_ })) }));
	val at: Int64 -> Unit -> Unit = \(line: Int64) (s: Unit) -> H:Submission { s with sLocation = Some @Unit (
		T:Tuple2 @Unit @Unit { _1 = "submit", _2 = Wallet:SrcLoc { srcLocPackage = "main", srcLocModule = "Wallet",
			srcLocFile = "Wallet.daml", srcLocStartLine = line, srcLocStartCol = 2, srcLocEndLine = ADD_INT64 line 1,
			srcLocEndCol = 49 } }) };
	val submit: Int64 -> Party -> Unit -> (Unit -> Unit) -> Unit =
		\(line: Int64) (actor: Party) (command: Unit) (next: Unit -> Unit) ->
		H:submits (Cons @Unit [Wallet:at line (H:submission actor (Nil @Party) (Nil @Unit) H:mustSucceed
			(Cons @Unit [command] (Nil @Unit)))] (Nil @Unit)) (\(all: List Unit) -> next (H:results (H:first all)));
	val handOver: LL:Script Unit = H:script (\(u: Unit) ->
		loc(Wallet, 19, 2, 19, 32) H:party "alice" (\(alice: Party) -> H:party "bob" (\(bob: Party) ->
		Wallet:submit 21 alice (Wallet:note alice "hello") (\(note: Unit) ->
		loc(Wallet, 23, 2, 23, 33) H:say "now alice hands it over" (
		Wallet:submit 24 alice (Wallet:pass (H:created note) bob)
			(\(note: Unit) -> loc(Wallet, 26, 2, 26, 9) H:done ()))))));
	val write: LL:Script Unit = H:script (\(u: Unit) -> H:party "alice" (\(alice: Party) ->
		loc(Wallet, 31, 2, 32, 52) Wallet:submit 31 alice (Wallet:note alice "mine") (\(note: Unit) -> H:done ())));
}`

func suiteOfWallet(t *testing.T) *suite {
	t.Helper()
	packages, main := scripttest.Packages(t, walletTests)
	runner, err := script.NewSuite(packages)
	require.NoError(t, err)
	runner.Cover(main.ID)
	return &suite{
		file: &file{
			path: "wallet.dar", dar: &archive.DAR{Main: main, Packages: []*ast.Package{main}}, packages: packages,
			source: func(module string) (string, bool) { return wallet, module == "Wallet" },
		},
		runner: runner, scripts: script.Find(main, packages),
	}
}

func runAll(t *testing.T, one *suite) []result {
	t.Helper()
	var jobs []job
	for _, found := range one.scripts {
		jobs = append(jobs, job{one, found})
	}
	var out []result
	for r := range run(t.Context(), jobs, options{timeout: time.Minute}) {
		r.took = 2 * time.Millisecond // for the same output each time
		out = append(out, r)
	}
	return out
}

// printed is the output of a command for results.
func printed(t *testing.T, command *TestCommand, one *suite, results []result) string {
	t.Helper()
	var out bytes.Buffer
	p := printer{command: command, out: &out, bold: func(text string) string { return text }}
	for _, r := range results {
		p.result(r)
	}
	if command.Coverage {
		p.coverage([]coverage{one.coverage(results)})
	}
	require.Equal(t, 1, p.end(results, omissions{}, time.Second))
	require.NoError(t, p.err)
	return out.String()
}

// golden compares a text with a file, which the guide shows, too.
func golden(t *testing.T, name, text string) {
	t.Helper()
	expected, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	require.Equal(t, string(expected), text)
	guide, err := os.ReadFile("../../../docs/guides/testing-daml.md")
	require.NoError(t, err)
	require.Contains(t, string(guide), text)
}

func TestTestCommand_ShowsWhereAndWhyAScriptFails(t *testing.T) {
	t.Parallel()
	one := suiteOfWallet(t)
	golden(t, "failure.golden", printed(t, &TestCommand{}, one, runAll(t, one)))
}

func TestTestCommand_PrintsCoverage(t *testing.T) {
	t.Parallel()
	one := suiteOfWallet(t)
	text := printed(t, &TestCommand{Coverage: true}, one, runAll(t, one))
	_, covered, ok := strings.Cut(text, "\n\n"+"coverage")
	if !ok {
		_, covered, ok = strings.Cut(text, "coverage")
	}
	require.True(t, ok)
	golden(t, "coverage.golden", "coverage"+covered)
	var page bytes.Buffer
	require.NoError(t, writeHTML(&page, []coverage{one.coverage(runAll(t, one))}))
	require.Contains(t, page.String(), `<span class="ran"><span class="number">32</span>  submit alice do</span>`)
	require.Contains(t, page.String(), `<span class="not"><span class="number">27</span>  pure ()</span>`)
	require.Contains(t, page.String(), "Wallet:Note")
}

func TestTestCommand_PrintsJSON(t *testing.T) {
	t.Parallel()
	one := suiteOfWallet(t)
	results := runAll(t, one)
	lines := strings.Split(strings.TrimSpace(printed(t, &TestCommand{JSON: true}, one, results)), "\n")
	require.Len(t, lines, 3)
	var failed shownResult
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &failed))
	require.Equal(t, "Wallet:handOver", failed.Script)
	require.False(t, failed.OK)
	require.Equal(t, "DAML_AUTHORIZATION_ERROR", failed.Failure.Code)
	submits := shownPlace{Definition: "submit", Module: "Wallet", Line: 25, Column: 3}
	require.Equal(t, []shownPlace{submits}, failed.Failure.Script)
	require.True(t, placeOf(script.Frame{Definition: "M:f", Defined: true}).Defined)
	require.Len(t, failed.Failure.Views["alice"], 1)
	require.Len(t, failed.Failure.Excerpts, 2)
	require.Equal(t, "it fails here", failed.Failure.Excerpts[1].Title)
	require.EqualValues(t, 16, failed.Failure.Excerpts[1].Line)
	require.Contains(t, failed.Failure.Excerpts[1].Lines, "> 16 |         create this with owner = newOwner")
	require.Len(t, failed.Failure.Transaction, 1)
	require.Contains(t, failed.Failure.Transaction[0], "exercise HandOver on Wallet:Note")
	require.Len(t, failed.Failure.Nodes, 1)
	require.Equal(t, "HandOver", failed.Failure.Nodes[0].Choice)
	require.Equal(t, []ledger.Party{"alice"}, failed.Failure.Nodes[0].ActingParties)
	require.Equal(t, "now alice hands it over", failed.Messages[0].Text)
	require.JSONEq(t, `{"passed":1,"failed":1,"milliseconds":1000}`, lines[2])

	var report bytes.Buffer
	require.NoError(t, writeJUnit(&report, []*suite{one}, results, omissions{
		files: []refusedFile{{"no.dar", errors.New("no such file")}},
	}))
	var read junitSuites
	require.NoError(t, xml.Unmarshal(report.Bytes(), &read))
	require.Equal(t, 3, read.Tests)
	require.Equal(t, 1, read.Errors)
	require.Equal(t, "no such file", read.Suites[1].Cases[0].Error.Message)
	require.Equal(t, 1, read.Failures)
	require.Equal(t, "DAML_AUTHORIZATION_ERROR", read.Suites[0].Cases[0].Failure.Type)
	require.Nil(t, read.Suites[0].Cases[1].Failure)
}

func TestTestCommand_SelectsScriptsByName(t *testing.T) {
	t.Parallel()
	for pattern, expected := range map[string]bool{
		"": true, "write": true, "Wallet:": true, "*:write": true, "writ*": false, "Other": false, "W*e": true,
		"Wallet:?rite": true, "?rite": false,
	} {
		require.Equal(t, expected, (&TestCommand{Only: []string{"none", pattern}}).matches("Wallet:write"), pattern)
	}
	s := session{command: &TestCommand{DAR: []string{"wallet.dar"}, Only: []string{"writes"}}}
	err := s.explainNoScripts([]*suite{suiteOfWallet(t)})
	require.ErrorContains(t, err, `no script of wallet.dar has "writes" in its name`)
	require.ErrorContains(t, err, "Did you mean write?")
	require.Equal(t, console.ExitFailed, console.CodeOf(err))
}

func TestTestCommand_EndsAScriptAtItsTimeout(t *testing.T) {
	t.Parallel()
	packages, main := scripttest.Packages(t, `module M {
		val forever: LL:Script Unit = H:script (\(u: Unit) -> M:loop ());
		val loop: Unit -> Unit = \(u: Unit) -> M:loop u;
		val late: LL:Script Unit = H:script (\(u: Unit) -> H:done ());
		val fails: LL:Script Unit = H:script (\(u: Unit) -> ERROR @Unit "no luck");
	}`)
	runner, err := script.NewSuite(packages)
	require.NoError(t, err)
	one := &suite{file: &file{path: "m.dar", dar: &archive.DAR{Main: main}}, runner: runner}
	scripts := script.Find(main, packages)
	require.Len(t, scripts, 3)
	for _, found := range scripts { // one without an end, one that ends too late, and one that fails by itself
		r := job{one, found}.run(t.Context(), options{timeout: time.Nanosecond})
		require.NotNil(t, r.report.Failure, found.Name.Name)
		if found.Name.Name == "fails" {
			require.Contains(t, r.report.Failure.Message, "no luck")
		} else {
			require.Contains(t, r.report.Failure.Message, "takes longer than 1ns")
		}
	}
}

func TestTestCommand_ReportsARefusedFileAndRunsOthers(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "report.xml")
	var out bytes.Buffer
	s := session{out: &out, notes: io.Discard, command: &TestCommand{
		DAR: []string{"none.dar", "nothing.dar"}, JSON: true, JUnit: reportFile(report), Timeout: time.Minute, Memory: 1,
	}}
	require.Equal(t, console.ExitFailed, console.CodeOf(s.run(t.Context())))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3)
	require.Contains(t, lines[0], `"dar":"none.dar"`)
	require.Contains(t, lines[1], `"dar":"nothing.dar"`)
	require.Contains(t, lines[2], `"files_refused":2`)
	written, err := os.ReadFile(report)
	require.NoError(t, err)
	require.Contains(t, string(written), `errors="2"`)
}

func TestTestCommand_DoesNotCountInterruptedScripts(t *testing.T) {
	t.Parallel()
	one := suiteOfWallet(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("terminated signal received"))
	var jobs []job
	for _, found := range one.scripts {
		jobs = append(jobs, job{one, found})
	}
	for r := range run(ctx, jobs, options{timeout: time.Minute}) {
		require.True(t, r.cut)
	}
	err := interrupted(ctx, omissions{scripts: jobs})
	require.EqualError(t, err, "interrupted: 2 scripts not run to the end")
	require.Equal(t, console.ExitTerminated, console.CodeOf(err))
	cause, stop := context.WithCancel(t.Context())
	stop()
	require.Equal(t, console.ExitInterrupted, console.CodeOf(interrupted(cause, omissions{scripts: jobs})))

	var report bytes.Buffer
	require.NoError(t, writeJUnit(&report, []*suite{one}, nil, omissions{scripts: jobs}))
	var read junitSuites
	require.NoError(t, xml.Unmarshal(report.Bytes(), &read))
	require.Equal(t, 2, read.Tests)
	require.Equal(t, 2, read.Skipped)
	require.Contains(t, read.Suites[0].Cases[0].Skipped.Message, "interrupted")
}

func TestTestCommand_LeavesNoSuccessReportWhenInterrupted(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	report := filepath.Join(t.TempDir(), "report.xml")
	for json, last := range map[bool]string{
		true:  `{"failed":0,"files_not_read":2,"milliseconds":\d+,"passed":0}`,
		false: "0 passed, 0 failed, 2 files not read",
	} {
		var out, notes bytes.Buffer
		s := session{out: &out, notes: &notes, command: &TestCommand{
			DAR: []string{"a.dar", "b.dar"}, JSON: json, JUnit: reportFile(report), Timeout: time.Minute,
		}}
		err := s.run(ended)
		require.True(t, console.IsSilent(err))
		require.Equal(t, "florin: interrupted: 2 files not read\n", notes.String())
		require.Equal(t, console.ExitInterrupted, console.CodeOf(err))
		require.Regexp(t, "^"+last+"\n$", out.String())
		written, err := os.ReadFile(report)
		require.NoError(t, err)
		require.Contains(t, string(written), `errors="2"`)
	}
}

func TestTestCommand_EndsAWatchWithItsContext(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	watch := TestCommand{DAR: []string{"none.dar"}, Watch: true, Timeout: time.Minute, JSON: true}
	err := watch.Run(ended)
	require.Equal(t, console.ExitInterrupted, console.CodeOf(err))
	require.True(t, console.IsSilent(err))
	watch.Only = []string{"[*"}
	require.Equal(t, console.ExitUsage, console.CodeOf(watch.Run(t.Context())))
}

func TestTestCommand_RefusesReportPathsInUse(t *testing.T) {
	t.Parallel()
	here := t.TempDir()
	at := func(name string) string { return filepath.Join(here, name) }
	require.NoError(t, os.WriteFile(at("my.dar"), []byte("dar"), 0o600))
	require.NoError(t, os.Symlink(at("my.dar"), at("link")))
	require.NoError(t, os.Mkdir(at("sub"), 0o700))
	for _, refused := range []struct {
		junit, html, says string
	}{
		{at("my.dar"), "", "is one of the tested DAR files"},
		{"", at("sub/../my.dar"), "is one of the tested DAR files"},
		{at("link"), "", "is one of the tested DAR files"},
		{at("other.dar"), "", "is one of the tested DAR files"}, // the DAR file does not exist yet
		{at("x.out"), at("sub/../x.out"), "is also the file of --junit"},
		{at("none/x.xml"), "", "there is no directory"},
		{at("my.dar/x.xml"), "", "there is no directory"},
		{at("sub"), "", "is a directory"},
	} {
		command := TestCommand{
			DAR: []string{at("my.dar"), at("other.dar")}, Timeout: 1, JUnit: reportFile(refused.junit),
			HTML: reportFile(refused.html),
		}
		err := command.Run(t.Context())
		require.ErrorContains(t, err, refused.says)
		require.Equal(t, console.ExitUsage, console.CodeOf(err))
	}
	left, err := os.ReadFile(at("my.dar"))
	require.NoError(t, err)
	require.Equal(t, "dar", string(left))
	require.NoError(t, (&TestCommand{
		DAR: []string{at("my.dar")}, Timeout: 1, JUnit: reportFile(at("x.xml")), HTML: reportFile(at("x.html")),
	}).check())
	var unset reportFile
	require.ErrorContains(t, unset.UnmarshalText(nil), "the name of a file is missing")
}

func TestTestCommand_RefusesOptionsWithoutEffect(t *testing.T) {
	t.Parallel()
	for _, command := range []TestCommand{
		{Timeout: 0}, {Timeout: -1}, {Timeout: 1, Only: []string{"[*"}},
	} {
		require.Equal(t, console.ExitUsage, console.CodeOf(command.check()))
	}
	require.NoError(t, (&TestCommand{Timeout: 1}).check())
}
