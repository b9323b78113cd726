package daml

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/packages/upload"
)

func darFile(t *testing.T, name, source string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, dartest.Build(t, source), 0o600))
	return path
}

func emptyChecker(t *testing.T) *darChecker {
	t.Helper()
	builtIn, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	return &darChecker{has: upload.Ledger{BuiltIn: builtIn, Uploaded: ast.Packages{}}}
}

func TestCheckCommand_ChecksEachFileOnTopOfThoseBefore(t *testing.T) {
	t.Parallel()
	first := darFile(t, "first.dar", dartest.Notes("notes", "1.0.0", ""))
	breaking := darFile(t, "breaking.dar",
		strings.Replace(dartest.Notes("notes", "1.1.0", ""), "choice Share", "choice Show", 1))
	again := darFile(t, "again.dar", dartest.Notes("notes", "1.0.0", ", mood: Optional Text"))
	second := darFile(t, "second.dar", dartest.Notes("notes", "1.1.0", ", mood: Optional Text"))
	command := checkCommand{Files: []string{first, breaking, again, second}}

	var out bytes.Buffer
	err := command.each(t.Context(), emptyChecker(t), &out)
	require.Equal(t, first+": fine\n"+breaking+": refused\n"+again+": refused\n"+second+": fine\n", out.String())
	require.Equal(t, console.ExitFailed, console.CodeOf(err))
	require.ErrorContains(t, err, breaking+": NOT_VALID_UPGRADE_PACKAGE")
	require.ErrorContains(t, err, again+": KNOWN_PACKAGE_VERSION")

	out.Reset()
	command.JSON = true
	require.Error(t, command.each(t.Context(), emptyChecker(t), &out))
	var shown []checkResult
	require.NoError(t, json.Unmarshal(out.Bytes(), &shown))
	require.Len(t, shown, 4)
	require.Contains(t, shown[1].Error, "lacks choice Share")
}

func TestCheckCommand_AsksTheNode(t *testing.T) {
	t.Parallel()
	notes := darFile(t, "notes.dar", dartest.Notes("notes", "1.0.0", ""))
	others := darFile(t, "others.dar", dartest.Notes("others", "1.0.0", ""))
	command := checkCommand{Files: []string{notes, others}}
	for answer, test := range map[string]struct {
		err     error
		printed string
	}{
		"refused": {console.Fail(console.ExitFailed, "", "too old"), notes + ": refused\n" + others + ": fine\n"},
		"gone":    {console.Fail(console.ExitNoNode, "", "no node answers"), ""},
		"other":   {console.Fail(console.ExitFailed, "", "it is no node"), ""},
	} {
		var out bytes.Buffer
		checker, asked := emptyChecker(t), 0
		checker.ask = func([]byte) ([]client.CheckedTemplate, bool, error) {
			if asked++; asked == 1 {
				return nil, answer == "refused", test.err
			}
			return nil, false, nil
		}
		err := command.each(t.Context(), checker, &out)
		require.Equal(t, test.printed, out.String(), answer)
		require.ErrorContains(t, err, notes+": ")
		require.Equal(t, console.CodeOf(test.err), console.CodeOf(err), answer)
	}
}

func TestCheckCommand_FailsForContractsThatAVersionCannotUse(t *testing.T) {
	t.Parallel()
	notes := darFile(t, "notes.dar", dartest.Notes("notes", "2.0.0", ""))
	checker := emptyChecker(t)
	checker.ask = func([]byte) ([]client.CheckedTemplate, bool, error) {
		return []client.CheckedTemplate{
			{Template: "22:N:Note", PackageName: "notes", Contracts: 12, Unreadable: 3, Reasons: []client.UnreadableReason{{
				Code: "TEMPLATE_PRECONDITION_VIOLATED", Cause: "Interpretation error: Error: it fails", Contracts: 3,
				Example: "00ab",
			}}},
			{Template: "22:N:Other", PackageName: "notes", Contracts: 2},
		}, false, nil
	}
	command := checkCommand{Files: []string{notes}}
	var out bytes.Buffer
	err := command.each(t.Context(), checker, &out)
	require.Equal(t, notes+`: loses contracts
  #notes:N:Note: 12 active contracts, 3 not usable
    3: TEMPLATE_PRECONDITION_VIOLATED, such as contract 00ab
      it fails
  #notes:N:Other: 2 active contracts, all usable
`, out.String())
	require.Equal(t, console.ExitFailed, console.CodeOf(err))
	require.ErrorContains(t, err, notes+": commands could no longer use 3 of 14 active contracts")
}
