package daml

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
)

const (
	aliceParty = "alice::1220aa"
	bobParty   = "bob::1220aa"
	farParty   = "far::1220ff"
)

func TestSimulationText_ShowsTheTreeTheViewsAndTheCost(t *testing.T) {
	t.Parallel()
	var run client.DryRun
	require.NoError(t, json.Unmarshal([]byte(`{"nodes":[
		{"nodeId":0,"kind":"exercise","choice":"Share","consuming":true,"contractId":"00aa","templateId":"11:N:Note",
		 "interfaceId":"12:I:Shared","actingParties":["alice::1220aa"],"signatories":["alice::1220aa"]},
		{"nodeId":1,"parentNodeId":0,"kind":"fetch","contractId":"00aa","templateId":"11:N:Note",
		 "actingParties":["alice::1220aa"]},
		{"nodeId":2,"parentNodeId":0,"kind":"create","contractId":"00bb","templateId":"11:N:Note",
		 "signatories":["alice::1220aa"],"observers":["far::1220ff"]}],
		"views":[{"party":"alice::1220aa","nodeIds":[0,1,2]},{"party":"far::1220ff","nodeIds":[2]}],
		"costEstimation":{"totalTrafficCostEstimation":512}}`), &run))
	require.Equal(t, `The submission would be accepted, for 512 bytes of traffic. Nothing was written.

  the transaction, by alice, bob
    exercise Share through I:Shared on N:Note 00aa, by alice
    ├ fetch N:Note 00aa, by alice
    └ create N:Note 00bb, signed by alice

  what each party would see
    alice: all of it
    `+client.PartyFor(aliceParty, farParty)+`: 1 of 3 nodes
      create N:Note 00bb, signed by alice`, simulationText(run, []string{aliceParty, bobParty}))
}

func TestTraceText_SkipsTheStandardLibrary(t *testing.T) {
	t.Parallel()
	trace := client.RefusalTrace{
		Calls: []client.CodePlace{
			{Definition: "DA.Assert:fail", PackageID: "99", PackageName: "daml-stdlib", Module: "DA.Assert", Line: 3, Column: 1},
			{Definition: "N:check", PackageID: "11", PackageName: "notes", Module: "N", Line: 12, Column: 5},
			{Definition: "choice N:Note:Share", PackageID: "11", PackageName: "notes", Module: "N", Line: 30, Column: 1, IsDefinition: true},
		},
		Nodes: []client.TransactionNode{{Kind: "exercise", Choice: "Share", ContractID: "00aa", TemplateID: "11:N:Note"}},
	}
	require.Equal(t, `The submission would be refused. Nothing was written.

  it fails here: N:check at N:12:5

  call stack, the innermost first
    DA.Assert:fail at DA.Assert:3:1
    N:check at N:12:5
    choice N:Note:Share, defined at N:30:1

  the transaction until then, by alice
    exercise Share on N:Note 00aa, by `, traceText(trace, "no", []string{aliceParty}, nil))
	require.Contains(t, traceText(client.RefusalTrace{}, "no", nil, nil), "nothing")

	main, err := asttest.Parse("11", ast.V2_1, "metadata ( notes : '1.0.0' ) module N { val one: Int64 = 1; }")
	require.NoError(t, err)
	sources := &file{dar: &archive.DAR{Main: main}, source: func(module string) (string, bool) {
		return strings.Repeat("line\n", 11) + "  assert False\nline", module == "N"
	}}
	require.Contains(t, traceText(trace, "no", []string{aliceParty}, sources), "    > 12 |   assert False\n")
}

func TestTraceText_FindsTheTextOfARefusalWithoutLines(t *testing.T) {
	t.Parallel()
	trace := client.RefusalTrace{Calls: []client.CodePlace{{Definition: "N:Note:Share:choice"}}}
	main, err := asttest.Parse("11", ast.V2_1, "metadata ( notes : '1.0.0' ) module N { val one: Int64 = 1; }")
	require.NoError(t, err)
	text := "module N where\n  assertMsg \"Enough\" (a > 0)\n  assertMsg \"Not \\\"mine\\\"\" b\n"
	sources := &file{dar: &archive.DAR{Main: main}, source: func(module string) (string, bool) { return text, module == "N" }}
	require.Contains(t, traceText(trace, "error category 9: Enough", nil, sources), `
  the package keeps no line of it, its text is here: N:2:13
      1 | module N where
    > 2 |   assertMsg "Enough" (a > 0)
`)
	require.Contains(t, traceText(trace, `error category 9: Not "mine"`, nil, sources), `    > 3 |`)
	require.NotContains(t, traceText(trace, "error category 9: Other", nil, sources), "here")
	text += "  choice Share : ()\n  assertMsg \"Enough\" c\n"
	require.Contains(t, traceText(trace, "error category 9: Enough", nil, sources), "> 5 |", "the line of the choice")
	text += `  assertMsg "Enough" d`
	require.NotContains(t, traceText(trace, "error category 9: Enough", nil, sources), "here", "two lines have the text")
}

func TestSimulateCommand_ReadsTheFileAndTheSources(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "commands.json")
	for content, refusal := range map[string]string{
		"[]": "is not a JSON object of commands", "": "is not a JSON object of commands",
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		command := SimulateCommand{}
		command.File = path
		require.ErrorContains(t, command.Run(t.Context()), refusal)
	}
	require.NoError(t, os.WriteFile(path, []byte(`{"commands":[]}`), 0o600))
	command := SimulateCommand{DAR: path}
	command.File = path
	require.ErrorContains(t, command.Run(t.Context()), "DAR_PARSE_ERROR")
	require.Equal(t, []string{"a"}, actingIn(map[string]any{"actAs": []any{"a", 7}}))
	require.Empty(t, strings.Join(actingIn(map[string]any{}), ""))
}
