package daml

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
)

// Lines count from 0 in loc, and from 1 in the output.
const failingScripts = `
module Wallet {
	val assert: Text -> Unit = \(message: Text) -> loc(Wallet, 3, 0, 3, 9) (H:ask "FailWithStatus" 1 (H:Status {
		status = F:FailureStatus { errorId = "ID", category = 9, message = message, meta = TEXTMAP_EMPTY @Text } }) H:done);
	val aborts: LL:Script Unit = H:script (\(u: Unit) -> loc(Wallet, 19, 2, 19, 32) (H:party "alice" (\(a: Party) ->
		loc(Wallet, 21, 2, 21, 9) (Wallet:assert "not so"))));
	val divide: Int64 -> Int64 = \(n: Int64) -> loc(Wallet, 12, 4, 12, 9) (DIV_INT64 1 n);
	val divides: LL:Script Unit = H:script (\(u: Unit) -> H:party "alice" (\(a: Party) ->
		loc(Wallet, 23, 2, 23, 9) (H:say (INT64_TO_TEXT (loc(Wallet, 24, 4, 24, 9) (Wallet:divide 0))) (H:done ()))));
}`

func TestSource_ShowsTheLineThatFails(t *testing.T) {
	t.Parallel()
	packages, main := scripttest.Packages(t, failingScripts)
	runner, err := script.NewSuite(packages)
	require.NoError(t, err)
	one := &suite{
		file: &file{
			path: "wallet.dar", dar: &archive.DAR{Main: main, Packages: []*ast.Package{main}}, packages: packages,
			source: func(module string) (string, bool) { return wallet, module == "Wallet" },
		},
		runner: runner, scripts: script.Find(main, packages),
	}
	results := runAll(t, one)
	require.Len(t, results, 2)
	for _, r := range results {
		var text strings.Builder
		for _, place := range one.places(r) {
			line(&text, 0, "%s: %s", place.title, placeText(place.Frame))
		}
		require.Equal(t, map[string]string{
			"aborts":  "it fails here: Wallet:assert at Wallet:4:1\nthe script is here: Wallet:aborts at Wallet:22:3\n",
			"divides": "it fails here: Wallet:divide at Wallet:13:5\nthe script is here: Wallet:divides at Wallet:25:5\n",
		}[r.script.Name.Name], text.String())
	}
}
