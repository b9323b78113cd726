package ledger

import (
	"context"
	"fmt"
)

// Budget is the remaining cost of code in one transaction or view, and the context that ends it.
type Budget struct {
	// Steps and Memory are as the evaluator counts them; memory includes garbage.
	Steps, Memory int64
	// Running is the depth of nested choices.
	Running int

	granted struct{ steps, memory int64 }
	ctx     context.Context //nolint:containedctx // a budget is that of one run, behind interfaces without contexts
}

// Limits of code of uploaded packages in one transaction. These steps take about half a second of a core, in which
// other submissions wait, and are many times what published packages need.
const (
	MaxCodeSteps  = 5_000_000
	MaxCodeMemory = 512 << 20
)

// NewBudget is the budget of one transaction. Its code stops when the context ends.
func NewBudget(ctx context.Context) *Budget { return newBudget(ctx, MaxCodeSteps, MaxCodeMemory) }

func newBudget(ctx context.Context, steps, memory int64) *Budget {
	b := &Budget{Steps: steps, Memory: memory, ctx: ctx}
	b.granted.steps, b.granted.memory = steps, memory
	return b
}

// Granted is the steps and bytes of the whole budget.
func (b *Budget) Granted() (steps, memory int64) { return b.granted.steps, b.granted.memory }

// Context is the context that ends the code.
func (b *Budget) Context() context.Context { return b.ctx }

// Ended is the error of code whose context ended; nil before. It is no refusal.
func (b *Budget) Ended() error {
	if err := b.ctx.Err(); err != nil {
		return fmt.Errorf("interpretation was stopped: %w", err)
	}
	return nil
}

// Cost is the used part, in the unit of [Submission.CommitCost]: a whole budget delays others about as long as the
// commit of the largest transaction.
func (b *Budget) Cost() int64 {
	steps := float64(b.granted.steps-b.Steps) / MaxCodeSteps
	memory := float64(b.granted.memory-b.Memory) / MaxCodeMemory
	return int64(min(max(steps, memory, 0), 1) * MaxCommitCost)
}

// budgetOf is the budget of a transaction, or a new one for a single view outside of transactions.
func budgetOf(tx *Tx) *Budget {
	if tx == nil {
		return ownBudget()
	}
	return tx.budget
}

// ownBudget limits a view outside of transactions by its cost alone.
func ownBudget() *Budget {
	return NewBudget(context.Background()) //nolint:forbidigo // it belongs to no call
}
