package budget

import (
	"context"
	"errors"
	"math"
)

const (
	// portionBytes is how much of the record is read at once, and portionShare the part of a small budget.
	portionBytes = 1 << 20
	portionShare = 4
)

var errPortion = errors.New("the portion is full")

// smaller is by how much fewer elements a portion is tried again with that was too large.
const smaller = 4

// Portions reads a list that goes on, a portion at a time: as many elements as fit.
type Portions struct {
	// max is how many elements a portion may have, and next how many the next one is tried with.
	max, next int32
}

// NewPortions makes portions of up to max elements.
func NewPortions(max int32) *Portions { return &Portions{max: max, next: max} }

// Read reads a portion with read, which is told how many elements to read at most. More reports whether there may be
// others behind them. Call release when nothing of the elements is needed any more; without it they count until the
// budget is released.
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

// Each visits the elements of a list that goes on, portion by portion, until visit says that it has seen enough. What a
// visit reads with its context counts until it returns, and its portion until all of it was visited: one answer may
// visit any number. Who keeps something takes it from the budget of ctx.
func Each[T any](
	ctx context.Context, p *Portions, read func(ctx context.Context, limit int32) ([]T, error),
	visit func(ctx context.Context, element T) (wanted bool, err error),
) error {
	for {
		page, more, release, err := Read(ctx, p, read)
		if err != nil {
			return err
		}
		wanted, err := visitAll(ctx, page, visit)
		if release(); err != nil || !wanted || !more {
			return err
		}
	}
}

func visitAll[T any](
	ctx context.Context, page []T, visit func(ctx context.Context, element T) (wanted bool, err error),
) (wanted bool, err error) {
	for _, element := range page {
		part := Of(ctx).part()
		wanted, err := visit(With(ctx, part), element)
		if part.Release(); err != nil || !wanted {
			return false, err
		}
	}
	return true, nil
}

// Part is a context whose reads count in the budget of ctx until release, for what may turn out to be nothing that is
// kept.
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
