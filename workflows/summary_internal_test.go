package workflows

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

func TestTheMemoOfAWorkflowSaysWhatItsCommandsAre(t *testing.T) {
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
		"signed transaction":            {{Signed: &ledger.SignedTransaction{}}},
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
