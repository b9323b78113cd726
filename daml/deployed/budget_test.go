package deployed_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// brief is a context that ends when it was looked at so often.
type brief struct {
	context.Context
	left int
}

func (b *brief) Err() error {
	if b.left--; b.left < 0 {
		return context.Canceled
	}
	return nil
}

// fetching is a choice that fetches its contract again and again, in runs of few steps.
const fetching = `choice @nonConsuming Loop (self) (a: N:None_): Unit, controllers $P:one (N:Note {owner} this)
      to N:fetches 0 self;
    implements N:Readable`

func TestCodeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	begin, loop, _ := strings.Cut(notes, "choice @nonConsuming Loop")
	_, end, _ := strings.Cut(loop, "implements N:Readable")
	fetches := begin + fetching + strings.TrimSuffix(strings.TrimSpace(end), "}") + `
  val fetches: Int64 -> ContractId N:Note -> Update Unit = \(n: Int64) (c: ContractId N:Note) ->
    ubind x: N:Note <- fetch_template @N:Note c in N:fetches (ADD_INT64 n 1) c;
}
`
	for name, test := range map[string]struct {
		source string
		most   int64
	}{
		"in one long run":        {notes, 100_000},
		"among many short runs":  {fetches, 2_000},
		"before the first steps": {notes, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := deploy(t, nil, parse(t, packageID(1), test.source))
			id := n.created(alice, "#notes:N:Note", note)
			commands, refusal := n.Packages.PrepareCommands(
				[]ledger.Command{exercise("#notes:N:Note", id, "Loop", `{}`)}, nil)
			require.Nil(t, refusal)
			ctx := &brief{Context: t.Context(), left: 12}
			if test.most == 0 {
				ctx.left = 0
			}
			budget := ledger.NewBudget(ctx)
			_, err := ledger.Interpret(ledger.Submission{ActAs: []ledger.Party{"alice::1220aa"}, Commands: commands},
				ledger.Environment{Packages: n.Packages, Store: n, EffectiveAt: n.Now, Budget: budget})
			require.ErrorIs(t, err, context.Canceled)
			_, isRefusal := fault.As(err)
			require.False(t, isRefusal, "it says nothing about the commands")
			require.LessOrEqual(t, ledger.MaxCodeSteps-budget.Steps, test.most)
		})
	}
}
