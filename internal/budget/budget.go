// Package budget limits the bytes of the record that one answer holds in memory, and of what the node builds from them.
// A request handler puts a [Budget] into the context; package db takes the bytes of each row from it before it decodes
// the row.
package budget

import (
	"context"
	"sync"

	"github.com/florinledger/florin/ledger/fault"
)

// Lender has the bytes that all open answers share.
type Lender interface {
	// Take lends more bytes, or refuses.
	Take(bytes int64) error
	Give(bytes int64)
}

// Exceeder is a [Lender] that lets one answer at a time exceed the limit of an answer, for a row that is larger.
type Exceeder interface {
	// Exceed grants this, or refuses. The caller calls end when it has sent the answer.
	Exceed() (end func(), err error)
}

const (
	// A row is large above limit/largeShare: smaller rows fit together with what the node builds from them.
	largeShare = 4
	// An answer with a large row may exceed its limit by largeMultiple times the row.
	largeMultiple = 8
)

// Budget limits what one answer holds at the same time. It is safe for concurrent use; nil has no limit.
type Budget struct {
	limit   int64
	refusal error
	lender  Lender
	// isPart reports whether the lender, not this budget, has the limit.
	isPart bool

	mu   sync.Mutex
	held int64
	// borrowed is the part that the lender counts: all, unless the answer exceeds the limit of an answer.
	borrowed int64
	// large is the size of the largest large row; 0 for none. end is the function of [Exceeder]; nil while the answer
	// does not exceed its limit.
	large    int64
	end      func()
	released bool
}

// New makes a budget of limit bytes. It borrows from the lender when an answer takes them; a nil lender lends any
// number. The caller calls Release when it has sent the answer.
func New(limit int64, lender Lender) *Budget {
	return &Budget{limit: limit, lender: lender, refusal: fault.AnswerTooLarge.New(
		"The answer needs more than %d bytes of the record, the limit for one answer.", limit)}
}

// Take takes bytes. The error is ANSWER_TOO_LARGE above the limit, or the lender's.
func (b *Budget) Take(bytes int64) error { return b.take(bytes, false) }

// spareShare is the part of an answer that [Budget.TakeSpare] leaves.
const spareShare = 4

// TakeSpare takes bytes for an optional part of an answer, and leaves a quarter of the budget for the required parts.
// If it refuses, the answer lacks only the optional part.
func (b *Budget) TakeSpare(bytes int64) error {
	if b == nil {
		return nil
	}
	whole := b
	for whole.isPart {
		whole, _ = whole.lender.(*Budget)
	}
	if whole.Held()+bytes > whole.limit-whole.limit/spareShare {
		return whole.refusal
	}
	return b.Take(bytes)
}

// TakeRow takes the bytes of a row. With an [Exceeder] as lender, a large row may exceed the limit, so that clients can
// read every row of the record.
func (b *Budget) TakeRow(bytes int64) error { return b.take(bytes, true) }

func (b *Budget) take(bytes int64, row bool) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if row && bytes > b.limit/largeShare {
		b.large = max(b.large, bytes)
	}
	if !b.isPart && b.held+bytes > b.limit {
		if err := b.exceed(bytes); err != nil {
			return err
		}
	}
	if b.lender != nil && !b.released && b.end == nil {
		if err := borrow(b.lender, bytes, row); err != nil {
			return err
		}
		b.borrowed += bytes
	}
	b.held += bytes
	return nil
}

func borrow(lender Lender, bytes int64, row bool) error {
	if whole, ok := lender.(*Budget); ok {
		return whole.take(bytes, row)
	}
	return lender.Take(bytes)
}

// exceed raises the limit of an answer with a large row. The caller holds the lock.
func (b *Budget) exceed(bytes int64) error {
	lender, ok := b.lender.(Exceeder)
	if !ok || b.large == 0 || b.released || b.held+bytes > b.limit+largeMultiple*b.large {
		return b.refusal
	}
	if b.end != nil {
		return nil
	}
	end, err := lender.Exceed()
	if err == nil {
		b.end = end
	}
	return err
}

// Give returns bytes that the answer does not hold any more.
func (b *Budget) Give(bytes int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.give(bytes)
}

func (b *Budget) give(bytes int64) {
	b.held -= bytes
	if back := b.borrowed - b.held; back > 0 {
		b.borrowed = b.held
		if !b.released {
			b.lender.Give(back)
		}
	}
}

// Keep returns all bytes and takes these instead: the size of the finished answer.
func (b *Budget) Keep(bytes int64) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	b.give(b.held)
	b.mu.Unlock()
	return b.Take(bytes)
}

// Shrink returns all above these bytes: the size of the encoded answer.
func (b *Budget) Shrink(bytes int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held > bytes {
		b.give(b.held - bytes)
	}
}

// Release returns everything. A later Take has no lender.
func (b *Budget) Release() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.give(b.held)
	b.released = true
	if b.end != nil {
		b.end()
		b.end = nil
	}
}

// Held is how many bytes are held now; 0 for nil.
func (b *Budget) Held() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// HasRoom reports whether most of the budget is left: pages of answers end when it is not.
func (b *Budget) HasRoom() bool {
	const pageShare = 4
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held < b.limit/pageShare
}

type contextKey struct{}

// With is a context whose reads take from the budget.
func With(ctx context.Context, b *Budget) context.Context {
	return context.WithValue(ctx, contextKey{}, b)
}

// Unbounded is a context whose reads take from no budget: for reads in bounded portions that the answer does not keep.
func Unbounded(ctx context.Context) context.Context { return With(ctx, nil) }

// Of is the budget of a context, nil for none.
func Of(ctx context.Context) *Budget {
	b, _ := ctx.Value(contextKey{}).(*Budget)
	return b
}
