package workflows

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

func TestSummary_MemoNamesTheCommands(t *testing.T) {
	t.Parallel()
	exercise := func(choice string) ledger.Command {
		return ledger.Command{Exercise: &ledger.ExerciseCommand{Choice: choice}}
	}
	template := lf.TypeName{Package: "splice-amulet", Module: "Splice.Amulet", Entity: "Amulet"}
	create := ledger.Command{Create: &ledger.CreateCommand{Template: template}}
	both := ledger.Command{CreateAndExercise: &ledger.CreateAndExerciseCommand{Template: template, Choice: "Lock"}}
	byKey := ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{Choice: "Touch"}}
	of := func(commands ...ledger.Command) ledger.Submission { return ledger.Submission{Commands: commands} }
	for want, submissions := range map[string][]ledger.Submission{
		"create Amulet":                 {of(create)},
		"Tap ×3, create Amulet":         {of(exercise("Tap"), create), of(exercise("Tap")), of(exercise("Tap"))},
		"create Amulet and Lock, Touch": {of(both, byKey)},
		"signed Tap":                    {{Signed: signedRoot(t, "Tap")}},
		"signed create Amulet":          {{Signed: signedRoot(t, "")}},
		"":                              {{Signed: &ledger.SignedTransaction{Transaction: []byte("none")}}},
		"A, B, C, D, E ×2, 2 other kinds": {
			of(exercise("A"), exercise("B"), exercise("C"), exercise("D"), exercise("E")),
			of(exercise("E"), exercise("F"), exercise("G")),
		},
	} {
		require.Equal(t, want, commandsOf(submissions))
	}
	long := commandsOf([]ledger.Submission{of(exercise(strings.Repeat("ü", 1<<20)))})
	require.Less(t, len(long), 400)
	require.True(t, utf8.ValidString(long))
}

// signedRoot is a signed transaction whose root exercises a choice, or creates a contract for "".
func signedRoot(t *testing.T, choice string) *ledger.SignedTransaction {
	t.Helper()
	template := &ledgerpb.Identifier{PackageId: "p", ModuleName: "Splice.Amulet", EntityName: "Amulet"}
	root := &ledgerpb.Node{NodeType: &ledgerpb.Node_Create{Create: &ledgerpb.Create{TemplateId: template}}}
	if choice != "" {
		root.NodeType = &ledgerpb.Node_Exercise{Exercise: &ledgerpb.Exercise{TemplateId: template, ChoiceId: choice}}
	}
	below := &ledgerpb.Node{NodeType: &ledgerpb.Node_Exercise{Exercise: &ledgerpb.Exercise{ChoiceId: "Below"}}}
	node := func(id string, node *ledgerpb.Node) *ledgerpb.DamlTransaction_Node {
		return &ledgerpb.DamlTransaction_Node{NodeId: id, VersionedNode: &ledgerpb.DamlTransaction_Node_V1{V1: node}}
	}
	raw, err := proto.Marshal(&ledgerpb.PreparedTransaction{Transaction: &ledgerpb.DamlTransaction{
		Roots: []string{"7"}, Nodes: []*ledgerpb.DamlTransaction_Node{node("8", below), node("7", root)},
	}})
	require.NoError(t, err)
	return &ledger.SignedTransaction{Transaction: raw}
}
