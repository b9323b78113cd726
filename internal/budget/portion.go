package budget

import (
	"context"
	"errors"
	"math"
)

const (
	// portionBytes is the size of a portion; of a small budget, a portion is 1/portionShare.
	portionBytes = 1 << 20
	portionShare = 4
)

var errPortion = errors.New("the portion is full")

// A portion that was too large is tried again with 1/smaller of its elements.
const smaller = 4

// Portions reads a long list in portions that fit into a budget.
type Portions struct {
	// max is the most elements of a portion, next the number to try next.
	max, next int32
}

// NewPortions makes portions of up to max elements.
func NewPortions(max int32) *Portions { return &Portions{max: max, next: max} }

// Read reads a portion with read, which gets the most elements to read. more reports whether the list may continue.
// Call release when the elements are not in use any more; without it they count until the end of the budget.
func Read[T any](
	ctx context.Context, p *Portions, read func(ctx context.Context, limit int32) ([]T, error),
) (elements []T, more bool, release func(), err error) {
	for {
		part := &Budget{limit: portionBytes, refusal: errPortion}
		if whole := Of(ctx); whole != nil {
			part.lender, part.limit = whole, min(portionBytes, whole.limit/portionShare)
		}
		full := part.limit
		if p.next == 1 { // one element is read however large it is, if the budget has room for it
			part.limit = math.MaxInt64 / 2
		}
		elements, err = read(With(ctx, part), p.next)
		if err == nil {
			more = len(elements) >= int(p.next)
			if part.held < full/smaller {
				p.next = min(p.max, 2*p.next)
			}
			return elements, more, part.Release, nil
		}
		part.Release()
		if !errors.Is(err, errPortion) {
			return nil, false, nil, err
		}
		p.next = max(1, p.next/smaller)
	}
}

// Each visits the elements of a long list, portion by portion, until visit returns that it has enough. The reads of a
// visit count until it returns, and a portion counts until the visits of all its elements: so one answer can visit any
// number. A visit that keeps something must take it from the budget of ctx.
func Each[T any](
	ctx context.Context, p *Portions, read func(ctx context.Context, limit int32) ([]T, error),
	visit func(ctx context.Context, element T) (goOn bool, err error),
) error {
	for {
		page, more, release, err := Read(ctx, p, read)
		if err != nil {
			return err
		}
		goOn, err := visitAll(ctx, page, visit)
		if release(); err != nil || !goOn || !more {
			return err
		}
	}
}

func visitAll[T any](
	ctx context.Context, page []T, visit func(ctx context.Context, element T) (goOn bool, err error),
) (goOn bool, err error) {
	for _, element := range page {
		part := Of(ctx).part()
		goOn, err := visit(With(ctx, part), element)
		if part.Release(); err != nil || !goOn {
			return false, err
		}
	}
	return true, nil
}

// Part is a context whose reads count in the budget of ctx until release, for results that the answer may drop.
func Part(ctx context.Context) (reading context.Context, release func()) {
	part := Of(ctx).part()
	return With(ctx, part), part.Release
}

// part is a budget that takes what it holds from this one; nil for nil.
func (b *Budget) part() *Budget {
	if b == nil {
		return nil
	}
	return &Budget{limit: b.limit, lender: b, isPart: true}
}
