//go:build long

package e2e_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
)

// A user whose code never ends holds up nobody: while it runs, another user's tap is decided, balances are read and the
// node is ready. Each of the endless commands ends in a stored refusal.
func TestCode_CostsItsCallerOnly(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	require.NoError(t, n.admin().UploadDAR(t.Context(), dartest.Build(t, dartest.Traps)))
	dso := findDSO(t, n.endpoint)
	greedy, modest := newAccount(t, n.endpoint, dso, "greedy", "greedy"), newAccount(t, n.endpoint, dso, "modest", "modest")
	coin, err := modest.FindCoin(t.Context(), dso)
	require.NoError(t, err)
	n.onboard(t, "reader")

	trap, err := greedy.SubmitAndWaitForTransaction(t.Context(), client.Commands{
		CommandID: "trap", ActAs: greedy.parties, Commands: []client.Command{{Create: &client.Create{
			TemplateID: "#traps:T:Trap", CreateArguments: map[string]any{"owner": greedy.party()},
		}}},
	})
	require.NoError(t, err)
	const commands = 24
	names := make([]string, commands)
	for i := range names {
		names[i] = fmt.Sprintf("endless-%d", i)
		require.NoError(t, greedy.Submit(t.Context(), client.Commands{
			CommandID: names[i], ActAs: greedy.parties, Commands: []client.Command{{Exercise: &client.Exercise{
				TemplateID: "#traps:T:Trap", ContractID: trap.Created("T:Trap")[0].ContractID,
				Choice: []string{"Loop", "Double", "Grow", "Deep"}[i%4], ChoiceArgument: map[string]any{},
			}}},
		}))
	}
	tap, err := modest.SubmitAndWait(t.Context(), modest.tap(coin, "tap", 10))
	require.NoError(t, err)
	require.Equal(t, "0.0000000000", n.spendable(t, "reader"))
	answer, err := http.Get(n.url + "/readyz")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	later := 0
	for _, name := range names {
		completion := greedy.awaitCompletion(t, name)
		require.Regexp(t, "INTERPRETATION_TIME_EXCEEDED|DAML_INTERPRETATION_ERROR", completion.Status.Message)
		if completion.Offset > tap.CompletionOffset {
			later++
		}
	}
	require.Greater(t, later, commands/2, "the tap was decided before most of them")
}
