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
	// Explains: failures know the places of tail calls, too, which costs more memory.
	Explains bool

	granted  struct{ steps, memory int64 }
	isLocked bool
	ctx      context.Context //nolint:containedctx // a budget is that of one run, behind interfaces without contexts
	pacer    Pacer
	// told are the steps and memory that the pacer knows.
	told struct{ steps, memory int64 }
}

// Pacer lets long code wait, so that ordinary work never does.
type Pacer interface {
	// Work is called while code runs, with the steps and bytes since the last call. It may wait. The error is the cause
	// of the end of the context.
	Work(ctx context.Context, steps, bytes int64) error
	// Rest is called when code has ended. More code may follow.
	Rest() error
}

type pacerKey struct{}

// WithPacer is a context whose code the pacer lets wait. Only one evaluation at a time may run in it.
func WithPacer(ctx context.Context, pacer Pacer) context.Context {
	return context.WithValue(ctx, pacerKey{}, pacer)
}

// Limits of code of uploaded packages in one transaction: many times what published packages need.
const (
	MaxCodeSteps  = 5_000_000
	MaxCodeMemory = 512 << 20
)

// Limits of code in one transaction while other submissions wait for the head lock. Longer code is interpreted ahead of
// the lock, see [InterpretAhead].
const (
	maxLockedSteps  = 20_000
	maxLockedMemory = 16 << 20
)

// readSteps are the steps that a read of the store by code counts as: it takes about as long.
const readSteps = 500

// NewBudget is the budget of one transaction. Its code stops when the context ends. Call Close after the last run.
func NewBudget(ctx context.Context) *Budget { return newBudget(ctx, MaxCodeSteps, MaxCodeMemory) }

// NewLockedBudget is a budget for code that runs under the head lock. When it is exhausted, its transaction is not
// decided.
func NewLockedBudget(ctx context.Context) *Budget {
	b := newBudget(ctx, maxLockedSteps, maxLockedMemory)
	b.isLocked = true
	return b
}

func newBudget(ctx context.Context, steps, memory int64) *Budget {
	b := &Budget{Steps: steps, Memory: memory, ctx: ctx}
	b.granted.steps, b.granted.memory = steps, memory
	b.told = b.granted
	b.pacer, _ = ctx.Value(pacerKey{}).(Pacer)
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

// Pace lets running code wait for its turn. It is called after some thousand steps, with those that are left. The error
// is the cause of the end of the context.
func (b *Budget) Pace(steps, memory int64) error {
	if b.pacer == nil {
		return nil
	}
	usedSteps, usedMemory := b.told.steps-steps, b.told.memory-memory
	b.told.steps, b.told.memory = steps, memory
	return b.pacer.Work(b.ctx, usedSteps, usedMemory)
}

// IsPaceDue reports whether code has run for so many steps since the last call of [Budget.Pace].
func (b *Budget) IsPaceDue(steps int64) bool { return b.pacer != nil && b.told.steps-b.Steps >= steps }

// Close ends the runs of the budget. The error is the cause of the end of the context.
func (b *Budget) Close() error {
	if b.pacer == nil {
		return nil
	}
	return b.pacer.Rest()
}

// payRead charges a read of the store, if code asked for it.
func (b *Budget) payRead() {
	if b.Running > 0 {
		b.Steps -= readSteps
	}
}

// IsTooShort reports whether code under the head lock needed more than the budget.
func (b *Budget) IsTooShort() bool { return b.isLocked && (b.Steps <= 0 || b.Memory < 0) }

// Cost is the used part, in the unit of [Submission.CommitCost]: a whole budget takes about as long as the commit of the
// largest transaction.
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
