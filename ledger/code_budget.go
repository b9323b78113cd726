package ledger

import (
	"context"
	"fmt"
)

// Budget is what is left of what code may cost in one transaction, or in one view, and until when it may run.
type Budget struct {
	// Steps and Memory are as the evaluator counts them; memory counts what is no longer needed, too.
	Steps, Memory int64
	// Running is how many choices are being performed within one another.
	Running int

	granted struct{ steps, memory int64 }
	ctx     context.Context //nolint:containedctx // a budget is that of one run, behind interfaces without contexts
}

// What code of uploaded packages may cost in one transaction. So many steps take about half a second of a core, for
// which a submission may hold up others, and are many times what published packages need.
const (
	MaxCodeSteps  = 5_000_000
	MaxCodeMemory = 512 << 20
)

// NewBudget is the budget of one transaction. Code that takes from it is broken off when the context ends.
func NewBudget(ctx context.Context) *Budget { return newBudget(ctx, MaxCodeSteps, MaxCodeMemory) }

func newBudget(ctx context.Context, steps, memory int64) *Budget {
	b := &Budget{Steps: steps, Memory: memory, ctx: ctx}
	b.granted.steps, b.granted.memory = steps, memory
	return b
}

// Granted is how many steps and bytes there were in the beginning.
func (b *Budget) Granted() (steps, memory int64) { return b.granted.steps, b.granted.memory }

// Context is the one that ends the code.
func (b *Budget) Context() context.Context { return b.ctx }

// Ended is the error of code that was broken off because nobody waits for it any more; nil while somebody may. It is no
// refusal, and says nothing about the code.
func (b *Budget) Ended() error {
	if err := b.ctx.Err(); err != nil {
		return fmt.Errorf("interpretation was stopped: %w", err)
	}
	return nil
}

// Cost is what was taken, in the unit of [Submission.CommitCost]: code that takes all that there is holds up others for
// about as long as the commit of the largest transaction.
func (b *Budget) Cost() int64 {
	steps := float64(b.granted.steps-b.Steps) / MaxCodeSteps
	memory := float64(b.granted.memory-b.Memory) / MaxCodeMemory
	return int64(min(max(steps, memory, 0), 1) * MaxCommitCost)
}

// budgetOf is the budget of a transaction; one for a single reading where there is none.
func budgetOf(tx *Tx) *Budget {
	if tx == nil {
		return ownBudget()
	}
	return tx.budget
}

// ownBudget is for those who gave none: a reading outside of all transactions ends by what it costs.
func ownBudget() *Budget {
	return NewBudget(context.Background()) //nolint:forbidigo // it belongs to no call
}
