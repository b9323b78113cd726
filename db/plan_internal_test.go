package db

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlan_LeavesContractingStepsUntilNeeded(t *testing.T) {
	t.Parallel()
	base, expand := Step{Version: 1, Name: "1"}, Step{Version: 141, Name: "141"}
	contract, later := Step{Version: 142, Name: "142", Contracts: true}, Step{Version: 143, Name: "143"}
	last := Step{Version: 144, Name: "144", Contracts: true}
	all := []Step{base, expand, contract, later, last}
	for name, test := range map[string]struct {
		applied        []Step
		contract       bool
		now, remaining []Step
	}{
		"an empty database gets everything":  {nil, false, all, []Step{}},
		"later steps need a contracting one": {all[:1], false, all[1:4], all[4:]},
		"no later step needs the last one":   {all[:4], false, []Step{}, all[4:]},
		"a contraction applies it too":       {all[:4], true, all[4:], []Step{}},
		"nothing is left":                    {all, true, []Step{}, []Step{}},
		"steps applied in another order":     {[]Step{base, last, later}, false, []Step{expand}, []Step{contract}},
	} {
		applied := map[int64]bool{}
		for _, step := range test.applied {
			applied[step.Version] = true
		}
		now, remaining := plan(all, applied, test.contract)
		require.ElementsMatch(t, test.now, now, name)
		require.ElementsMatch(t, test.remaining, remaining, name)
	}
	later.Anytime = true
	now, remaining := plan([]Step{base, expand, contract, later, last}, map[int64]bool{base.Version: true}, false)
	require.Equal(t, []Step{expand, later}, now, "a step with Anytime does not need the contracting step")
	require.Equal(t, []Step{contract, last}, remaining)
}
