package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
	"github.com/florinledger/florin/ledger/lf"
)

// sayMore edits the package of notes: a note has an optional text, which Lend sets.
var sayMore = []string{
	"record Note = { owner: Party, reader: Party, text: Text };",
	"record Note = { owner: Party, reader: Party, text: Text, more: Optional Text };",
	"create @N:Note (N:Note { this with reader = N:Lend {to_} arg })",
	`create @N:Note (N:Note { N:Note { this with more = Some @Text "more" } with reader = N:Lend {to_} arg })`,
}

// readersSign edits the package of notes: the reader is a signatory, too.
var readersSign = []string{
	"signatories Cons @Party [N:Note {owner} this] (Nil @Party);\n\t\tobservers Cons",
	"signatories Cons @Party [N:Note {owner} this, N:Note {reader} this] (Nil @Party);\n\t\tobservers Cons",
}

// ofVersions runs a script with a second version of its package, which the script vets and unvets.
func ofVersions(t *testing.T, body string, edits ...string) (script.Report, []string) {
	t.Helper()
	packages, main := scripttest.Packages(t, `module M {
		val second: Unit = H:Packages { packages =
			Cons @Unit [H:PackageName { name = "test", version = "2.0.0" }] (Nil @Unit) };
		val without: (Unit -> Unit) -> Unit = \(next: Unit -> Unit) -> H:ask "UnvetPackages" 1 M:second next;
		val with: (Unit -> Unit) -> Unit = \(next: Unit -> Unit) -> H:ask "VetPackages" 1 M:second next;
		val lend: Party -> Unit = \(to_: Party) -> to_any @N:Lend (N:Lend { to_ = to_ });
		val test: LL:Script Unit = H:script (\(u: Unit) -> H:party "alice" (\(alice: Party) -> H:party "bob" (\(bob: Party) ->
			`+body+`))); }`)
	scripttest.AddVersion(t, packages, "second", "2.0.0", edits...)
	suite, err := script.NewSuite(packages)
	require.NoError(t, err)
	report := suite.Run(t.Context(), script.Find(main, packages)[0], script.Options{})
	if report.Failure != nil {
		t.Fatalf("%+v", *report.Failure)
	}
	var messages []string
	for _, message := range report.Messages {
		messages = append(messages, message.Text)
	}
	return report, messages
}

func TestVersions_UseTheVettedPackage(t *testing.T) {
	t.Parallel()
	report, messages := ofVersions(t, `
		M:without (\(x: Unit) -> H:submit alice (H:create alice bob "of the first") (\(first: Unit) ->
		M:with (\(x: Unit) -> H:submit alice (H:create alice bob "of the second") (\(second: Unit) ->
		H:submit alice (H:exercise (H:created first) H:tear) (\(gone: Unit) ->
		M:without (\(x: Unit) -> H:submit alice (H:exercise (H:created second) H:tear) (\(gone: Unit) ->
		H:done ())))))))`, sayMore...)
	require.Equal(t, []string{"torn: old", "torn: old"}, messages)
	var templates []lf.PackageID
	for _, transaction := range report.Transactions {
		templates = append(templates, transaction.Tree.Nodes[0].Template.Package)
	}
	require.Equal(t, []lf.PackageID{"test", "second", "second", "test"}, templates)
	require.Empty(t, report.Contracts)
}

func TestVersions_ReportUpgradeErrors(t *testing.T) {
	t.Parallel()
	_, messages := ofVersions(t, `
		H:submit alice (H:create alice bob "hello") (\(first: Unit) ->
		H:submit alice (H:exercise (H:created first) (M:lend bob)) (\(lent: Unit) -> (case lent of
			C:CommandResult:ExerciseResult more -> M:without (\(x: Unit) ->
		H:expect H:try alice (H:exercise more H:tear) (\(e: Unit) -> H:sayError e (
		H:expect H:mustFail alice (H:exercise more H:tear) (\(e: Unit) -> H:sayError e (H:done ()))))))))`, sayMore...)
	require.Equal(t, []string{"some", "TranslationFailed", "some", "TranslationFailed"}, messages)

	_, messages = ofVersions(t, `
		M:without (\(x: Unit) -> H:submit alice (H:create alice bob "hello") (\(first: Unit) -> M:with (\(x: Unit) ->
		H:expect H:try alice (H:exercise (H:created first) H:tear) (\(e: Unit) -> H:sayError e (H:done ())))))`,
		readersSign...)
	require.Equal(t, []string{"2", "ValidationFailed"}, messages)
}
