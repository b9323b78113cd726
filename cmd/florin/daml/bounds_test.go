package daml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// largeReport is a report beyond every limit.
func largeReport() script.Report {
	const n = 1200
	text := strings.Repeat("é", 8<<10)
	out := script.Report{Omitted: 7, Failure: &script.Failure{Code: "CODE", Message: strings.Repeat("line\n", 4<<10)}}
	tree := ledger.Transaction{Roots: []int32{0}}
	for i := range int32(n) { // each node below the one before it
		name := fmt.Sprintf("M:f%d", i)
		frame := script.Frame{Definition: name, At: ast.Location{Module: "M", Start: ast.Position{Line: i}}}
		party := ledger.Party(fmt.Sprintf("party-%d", i))
		out.Failure.Calls, out.Failure.Script = append(out.Failure.Calls, frame), append(out.Failure.Script, frame)
		out.Messages = append(out.Messages, script.Message{Text: fmt.Sprint(i, text)})
		out.Parties = append(out.Parties, party)
		out.Contracts = append(out.Contracts, ledger.Contract{
			ID: ledger.ContractID(name), Signatories: []ledger.Party{"party-0", party},
			Payload: json.RawMessage(`"` + text + `"`),
		})
		node := ledger.TxNode{ID: i, Kind: ledger.EventCreate, ContractID: "00", Signatories: out.Parties}
		if i < n-1 {
			node.Kind, node.Children, node.Choice = ledger.EventExercise, []int32{i + 1}, text
			node.ActingParties, node.Interface = out.Parties, &lf.TypeName{Module: "M", Entity: text}
		}
		tree.Nodes = append(tree.Nodes, node)
	}
	out.Failure.Submission = &script.Transaction{ActAs: out.Parties, ReadAs: out.Parties, Tree: tree}
	return out
}

func TestReport_HasLimitsAndCountsTheRest(t *testing.T) {
	t.Parallel()
	one := suiteOfWallet(t)
	r := result{job: job{one, one.scripts[0]}, report: largeReport()}
	const maxReport = 6 << 20
	var text strings.Builder
	writeFailure(&text, r)
	require.Less(t, text.Len(), maxReport)
	require.True(t, utf8.ValidString(text.String()), "texts are cut between characters")
	for _, said := range []string{
		"… 720 lines left out …", "… 2350 places left out …", "… 1000 nodes left out …",
		"… 1144 messages before these left out …", "and 1190 more, reading as", "party-0: 1200 contracts", "and 1180 more",
		"and 1150 parties more", "1199é", "create : 00, signed by party-0",
	} {
		require.Contains(t, text.String(), said)
	}

	var printed bytes.Buffer
	p := printer{command: &TestCommand{JSON: true}, out: &printed}
	p.result(r)
	require.NoError(t, p.err)
	require.Less(t, printed.Len(), maxReport)
	var read shownResult
	require.NoError(t, json.Unmarshal(printed.Bytes(), &read))
	require.Equal(t, map[string]int{
		"messages": 1144, "places": 2300, "parties": 1150, "contracts": 1180, "payloads": 69,
		"nodes": 1000, "node_parties": 235100,
	}, read.LeftOut)
	nodes := read.Failure.Nodes
	require.Len(t, nodes, 200)
	require.Len(t, read.Failure.Transaction, 201, "200 nodes and a line that counts the others")
	require.Empty(t, nodes[99].Children, "a node that is left out is no child")
	require.Equal(t, []int32{1199}, nodes[198].Children)
	require.EqualValues(t, 1199, nodes[199].ID, "the failed node")

	var report bytes.Buffer
	require.NoError(t, writeJUnit(&report, []*suite{one}, []result{r}, omissions{}))
	require.Less(t, report.Len(), 2*maxReport)
}
