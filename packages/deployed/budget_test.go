package deployed_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// countdown is a context that ends after some calls of Err.
type countdown struct {
	context.Context //nolint:containedctx // it is a context

	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// fetching is a choice that fetches its contract again and again, in runs of few steps.
const fetching = `choice @nonConsuming Loop (self) (a: N:None_): Unit, controllers $P:one (N:Note {owner} this)
      to N:fetches 0 self;
    implements N:Readable`

func TestUploadedCode_EndsWithItsContext(t *testing.T) {
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
			ctx := &countdown{Context: t.Context(), left: 12}
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

func TestView_AnswerHasOneBudget(t *testing.T) {
	t.Parallel()
	endless := strings.Replace(notes, "N:View { text = N:Note {text} this }",
		`N:View {
			text = case (EQUAL @Text "spin" (N:Note {text} this)) of True -> N:spin "" | False -> N:Note {text} this }`, 1)
	endless = strings.Replace(endless, "  val loop:",
		"  val spin: Text -> Text = \\(t: Text) -> N:spin t;\n  val loop:", 1)
	n := deploy(t, nil, parse(t, packageID(1), endless))
	honest := n.Active[n.created(alice, "#notes:N:Note", note)]
	costly := n.Active[n.created(alice, "#notes:N:Note", strings.Replace(note, "hello", "spin", 1))]
	through, refusal := n.Packages.ResolveTemplate(name("#notes:N:Readable"), nil)
	require.Nil(t, refusal)
	ctx := ledger.WithViews(t.Context())
	view := func() (cause string) {
		_, ok, err := n.Packages.View(ctx, costly, through)
		require.True(t, ok)
		refused(t, err, fault.InterpretationTimeExceeded)
		return refusalIn(t, err).Cause
	}
	const whole = ledger.MaxAnswerSteps/ledger.MaxViewSteps - 2 // each may take a little more before it ends
	for range whole {
		require.Contains(t, view(), "250000 steps")
	}
	last := ""
	for range 4 {
		last = view()
	}
	require.Contains(t, last, "more than 2000 steps")
	payload, ok, err := n.Packages.View(ctx, honest, through)
	require.NoError(t, err)
	require.True(t, ok)
	require.JSONEq(t, `{"text":"hello"}`, string(payload), "a cheap view works beside expensive ones")

	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err = n.Packages.View(ended, honest, through)
	require.ErrorIs(t, err, context.Canceled)
}

func TestDecide_RecordsCodeCostOfRefusals(t *testing.T) {
	t.Parallel()
	n := deploy(t, nil, parse(t, packageID(1), notes))
	id := n.created(alice, "#notes:N:Note", note)
	yes := func(ledger.Party) (bool, error) { return true, nil }
	decide := func(choice string) ledger.Completion {
		commands, refusal := n.Packages.PrepareCommands(
			[]ledger.Command{exercise("#notes:N:Note", id, choice, `{}`)}, nil)
		require.Nil(t, refusal)
		decision, err := ledger.Decide(ledger.Submission{
			Key: "key", CommandID: "1", ActAs: []ledger.Party{"alice::1220aa"}, Commands: commands, ReceivedAt: n.Now,
		}, ledger.Position{Offset: 1, RecordTime: n.Now}, ledger.Circumstances{
			Packages: n.Packages, Store: n, IsLocal: yes, IsKnown: yes,
			MaySubmit:     func(ledger.Party) bool { return true },
			Deduplication: ledger.DeduplicationRules{Now: n.Now, Maximum: time.Hour},
		})
		require.NoError(t, err)
		return decision.Completion
	}
	cheap, costly := decide("Twice"), decide("Loop")
	require.True(t, cheap.Accepted(), "%v", cheap.Refusal)
	require.Less(t, cheap.CodeCost, int64(1<<10))
	require.True(t, fault.InterpretationTimeExceeded.Matches(costly.Refusal))
	require.Equal(t, int64(ledger.MaxCommitCost), costly.CodeCost)
	require.Empty(t, costly.Refusal.Category.Retry(), "a retry costs as much again")
}
