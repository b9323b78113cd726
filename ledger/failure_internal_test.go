package ledger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

func TestExerciseTrace_KeepsInnermostChoicesAndCommand(t *testing.T) {
	t.Parallel()
	name := lf.TypeName{Package: "0123456789abcdef", Module: "M", Entity: "T"}
	for _, depth := range []int{1, maxTraced, maxTraced + 1, maxCallDepth} {
		failure := fault.UserFailure(categoryState, generalError, "no", nil)
		for node := depth - 1; node >= 0; node-- {
			require.Equal(t, error(failure), inExercise(failure, int32(node), "00aabbccddeeff", name, "C"))
		}
		command := ExerciseCommand{Template: name, Contract: "00aabbccddeeff", Choice: "C"}
		_ = inExerciseCommand(failure, Command{Exercise: &command})
		var want []string
		for i := range min(depth, maxTraced) {
			want = append(want, fmt.Sprintf("    in choice 01234567:M:T:C on contract 00aabbccdd (#%d)", depth-1-i))
		}
		if depth > maxTraced {
			want = append(want, "    ...")
		}
		want = append(want, "    in exercise command 01234567:M:T:C on contract 00aabbccdd.")
		require.Equal(t, strings.Join(want, "\n"), failure.Context[exerciseTrace])
	}
	other := fault.DamlInterpretationError.New("no")
	_ = inExercise(other, 0, "00aa", name, "C")
	require.Empty(t, other.Context[exerciseTrace])
}
