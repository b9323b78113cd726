// Package budget bounds how many bytes are read from the record, and made of that, for one answer. Whoever serves a
// request puts a [Budget] into its context; package db takes the bytes of every row from it before it decodes them.
package budget

import (
	"context"
	"sync"

	"github.com/florinledger/florin/ledger/fault"
)

// Lender has the bytes that all answers in the making may hold together.
type Lender interface {
	// Take lends so many bytes more, or refuses.
	Take(bytes int64) error
	Give(bytes int64)
}

// Exceeder is a [Lender] that lets one answer at a time hold more than answers may, for a row that is too large for
// them.
type Exceeder interface {
	// Exceed begins it, or refuses. Call end when the answer has been sent.
	Exceed() (end func(), err error)
}

const (
	// largeShare is the part of an answer above which a row is large: smaller ones fit with what is made of them.
	largeShare = 4
	// largeMultiple is how many times its size the answer may hold beyond its limit that is made of a large row.
	largeMultiple = 8
)

// Budget is what one answer may hold at once. It is safe for concurrent use; nil bounds nothing.
type Budget struct {
	limit   int64
	refusal error
	lender  Lender
	// isPart: what is taken is taken from the lender, which has the limit.
	isPart bool

	mu   sync.Mutex
	held int64
	// borrowed is what of it the lender counts: all, unless the answer holds more than answers may.
	borrowed int64
	// large is the largest of the large rows; 0 for none. End is what ends that the answer holds more; nil while it does
	// not.
	large    int64
	end      func()
	released bool
}

// New makes a budget of so many bytes, which are borrowed as they are taken; a nil lender lends any number. Release it
// when the answer has been sent.
func New(limit int64, lender Lender) *Budget {
	return &Budget{limit: limit, lender: lender, refusal: fault.AnswerTooLarge.New(
		"The answer needs more than %d bytes of the record, the limit for one answer.", limit)}
}

// Take takes bytes. The error is the refusal of what holds more than one answer may, or the lender's.
func (b *Budget) Take(bytes int64) error { return b.take(bytes, false) }

// spareShare is the part of an answer that [Budget.TakeSpare] leaves.
const spareShare = 4

// TakeSpare takes the bytes of what an answer can do without, and leaves a part of it for what it cannot: who refuses
// to take more loses that alone.
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

// TakeRow takes the bytes of a row. A large one may be shown though the answer then holds more than others, if the
// lender is an [Exceeder]: what is in the record can be read.
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

// exceed lets an answer with a large row hold so much more than others. The caller holds the lock.
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

// Give gives bytes back that nobody holds any more.
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

// Keep gives back all that was taken, and takes so many bytes instead: those of the answer that was made of it.
func (b *Budget) Keep(bytes int64) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	b.give(b.held)
	b.mu.Unlock()
	return b.Take(bytes)
}

// Shrink gives back what is held beyond so many bytes: those of the answer in the form in which it is sent.
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

// Release gives back everything. What is taken after that is taken from nobody.
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

// Unbounded is a context whose reads take from no budget: for what reads in portions that are bounded by themselves,
// and keeps nothing of them for the answer.
func Unbounded(ctx context.Context) context.Context { return With(ctx, nil) }

// Of is the budget of a context, nil for none.
func Of(ctx context.Context) *Budget {
	b, _ := ctx.Value(contextKey{}).(*Budget)
	return b
}
