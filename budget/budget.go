// Package budget bounds how many bytes are read from the record, and made of that, for one answer. Whoever serves a
// request puts a [Budget] into its context; package db takes the bytes of every row from it before it decodes them.
package budget

import (
	"context"
	"sync"

	"github.com/florinledger/florin/fault"
)

// Lender has the bytes that all answers in the making may hold together.
type Lender interface {
	// Take lends so many bytes more, or refuses.
	Take(bytes int64) error
	Give(bytes int64)
}

// Budget is what one answer may hold at once. It is safe for concurrent use; nil bounds nothing.
type Budget struct {
	limit   int64
	refusal error
	lender  Lender

	mu       sync.Mutex
	held     int64
	released bool
}

// New makes a budget of so many bytes, which are borrowed as they are taken; a nil lender lends any number. Release it
// when the answer has been sent.
func New(limit int64, lender Lender) *Budget {
	return &Budget{limit: limit, lender: lender, refusal: fault.AnswerTooLarge.New(
		"To answer this takes more than %d bytes of the record, the most for one answer.", limit)}
}

// Take takes bytes. The error is the refusal of what holds more than one answer may, or the lender's.
func (b *Budget) Take(bytes int64) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held+bytes > b.limit {
		return b.refusal
	}
	if b.lender != nil && !b.released {
		if err := b.lender.Take(bytes); err != nil {
			return err
		}
	}
	b.held += bytes
	return nil
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
	if b.lender != nil && !b.released {
		b.lender.Give(bytes)
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

// Release gives back everything. What is taken after that is taken from nobody.
func (b *Budget) Release() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.give(b.held)
	b.released = true
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

// Of is the budget of a context, nil for none.
func Of(ctx context.Context) *Budget {
	b, _ := ctx.Value(contextKey{}).(*Budget)
	return b
}
