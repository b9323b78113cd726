package budget

import (
	"context"
	"errors"
	"math"
)

// portionBytes is how much of the record is read at once.
const portionBytes = 1 << 20

// errPortion says that a portion is full.
var errPortion = errors.New("more than is read at once")

// smaller is by how much fewer elements a portion is tried again with that was too large.
const smaller = 4

// Portions reads a list that goes on, a portion at a time: as many elements as fit.
type Portions struct {
	// most is how many elements a portion has at most, and next how many the next one is tried with.
	most, next int32
}

// NewPortions makes portions of up to most elements.
func NewPortions(most int32) *Portions { return &Portions{most: most, next: most} }

// Read reads a portion with read, which is told how many elements to read at most. More reports whether there may be
// others behind them. Call release when nothing of the elements is needed any more; without it they count until the
// budget is released.
func Read[T any](
	ctx context.Context, p *Portions, read func(ctx context.Context, limit int32) ([]T, error),
) (elements []T, more bool, release func(), err error) {
	for {
		part := &Budget{limit: portionBytes, refusal: errPortion}
		if whole := Of(ctx); whole != nil {
			part.lender = whole
		}
		if p.next == 1 { // one element is read however large it is, if the budget has room for it
			part.limit = math.MaxInt64 / 2
		}
		elements, err = read(With(ctx, part), p.next)
		if err == nil {
			more = len(elements) >= int(p.next)
			if part.held < portionBytes/smaller {
				p.next = min(p.most, 2*p.next)
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
