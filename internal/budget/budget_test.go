package budget_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger/fault"
)

type purse struct{ left int64 }

var errEmpty = errors.New("empty")

func (p *purse) Take(bytes int64) error {
	if bytes > p.left {
		return errEmpty
	}
	p.left -= bytes
	return nil
}

func (p *purse) Give(bytes int64) { p.left += bytes }

func TestBudget_HoldsAtMostItsLimit(t *testing.T) {
	t.Parallel()
	lender := &purse{150}
	one := budget.New(100, lender)
	require.NoError(t, one.Take(100))
	err := one.Take(1)
	require.True(t, fault.AnswerTooLarge.Matches(err))
	require.ErrorContains(t, err, "more than 100 bytes")
	other := budget.New(100, lender)
	require.NoError(t, other.Take(50))
	require.ErrorIs(t, other.Take(1), errEmpty)
	one.Give(1)
	require.NoError(t, other.Take(1))
	require.NoError(t, one.Keep(40), "the encoded answer replaces its rows")
	require.Equal(t, int64(150-40-51), lender.left)
	one.Release()
	other.Release()
	require.Equal(t, int64(150), lender.left)
	require.NoError(t, one.Take(10))
	require.Equal(t, int64(150), lender.left, "a released budget borrows nothing")
	var none *budget.Budget
	require.NoError(t, errors.Join(none.Take(1), none.Keep(1)))
	none.Give(1)
	none.Release()
	require.True(t, none.HasRoom())
}

// hall lets one answer at a time hold more.
type hall struct {
	purse

	taken bool
}

func (h *hall) Exceed() (end func(), err error) {
	if h.taken {
		return nil, errEmpty
	}
	h.taken = true
	return func() { h.taken = false }, nil
}

func TestTakeRow_LetsOneAnswerExceedForALargeRow(t *testing.T) {
	t.Parallel()
	lender := &hall{purse: purse{250}}
	one, other := budget.New(100, lender), budget.New(100, lender)
	require.NoError(t, one.Take(60))
	require.NoError(t, budget.Each(budget.With(t.Context(), one), budget.NewPortions(10),
		func(ctx context.Context, _ int32) ([]int, error) { return []int{1}, budget.Of(ctx).TakeRow(400) },
		func(ctx context.Context, _ int) (bool, error) { return false, budget.Of(ctx).TakeRow(500) }))
	require.Equal(t, int64(60), one.Held())
	require.True(t, lender.taken)
	require.Equal(t, int64(190), lender.left, "it borrows nothing beyond its limit")
	require.False(t, one.HasRoom(), "a page ends after it")
	require.True(t, fault.AnswerTooLarge.Matches(one.Take(100+8*500)))
	require.NoError(t, other.TakeRow(90))
	require.ErrorIs(t, other.TakeRow(90), errEmpty, "one at a time")
	require.NoError(t, one.Keep(1000))
	one.Release()
	require.False(t, lender.taken)
	require.NoError(t, other.TakeRow(90))
	other.Release()
	require.False(t, lender.taken)
	require.Equal(t, int64(250), lender.left)

	small := budget.New(100, lender)
	for range 4 {
		require.NoError(t, small.TakeRow(25))
	}
	require.True(t, fault.AnswerTooLarge.Matches(small.TakeRow(1)), "many small rows are no large one")
	var none *budget.Budget
	require.NoError(t, none.TakeRow(1))
}

func TestRead_ReadsAllRowsInPortions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64Range(1, 3<<20)), 0, 300).Draw(t, "sizes")
		lender := &purse{4 << 20}
		ctx := budget.With(context.Background(), budget.New(4<<20, lender))
		var read []int64
		portions := budget.NewPortions(100)
		for more := true; more; {
			var page []int64
			var release func()
			var err error
			page, more, release, err = budget.Read(ctx, portions, func(ctx context.Context, limit int32) ([]int64, error) {
				var found []int64
				for _, size := range sizes[len(read):min(len(sizes), len(read)+int(limit))] {
					if err := budget.Of(ctx).Take(size); err != nil {
						return nil, err
					}
					found = append(found, size)
				}
				return found, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, page...)
			release()
			if lender.left != 4<<20 {
				t.Fatalf("%d bytes were not given back", 4<<20-lender.left)
			}
		}
		if len(read) != len(sizes) {
			t.Fatalf("read %d of %d rows", len(read), len(sizes))
		}
	})
}

func TestRead_RefusesPortionOverTheBudget(t *testing.T) {
	t.Parallel()
	ctx := budget.With(t.Context(), budget.New(1000, nil))
	_, _, _, err := budget.Read(ctx, budget.NewPortions(10), func(ctx context.Context, _ int32) ([]int, error) {
		return nil, budget.Of(ctx).Take(1001)
	})
	require.True(t, fault.AnswerTooLarge.Matches(err))
	_, _, _, err = budget.Read(t.Context(), budget.NewPortions(10),
		func(context.Context, int32) ([]int, error) { return nil, errEmpty })
	require.ErrorIs(t, err, errEmpty)
}

func TestEach_GivesBackWhatAVisitReads(t *testing.T) {
	t.Parallel()
	const (
		limit    = 4 << 20
		elements = 400
		beside   = limit / 8 // of each visit: together 200 MiB, fifty times as much as an answer may hold
		kept     = 10
	)
	lender := &purse{limit}
	ctx := budget.With(t.Context(), budget.New(limit, lender))
	visited, read := 0, int64(0)
	take := func(ctx context.Context, bytes int64) error {
		read += bytes
		return budget.Of(ctx).Take(bytes)
	}
	portion := func(ctx context.Context, limit int32) ([]int64, error) {
		found := make([]int64, min(int(limit), elements-visited))
		return found, take(ctx, int64(len(found))*1000)
	}
	err := budget.Each(ctx, budget.NewPortions(100), portion, func(part context.Context, _ int64) (bool, error) {
		visited++
		if err := budget.Of(ctx).Take(kept); err != nil {
			return false, err
		}
		return true, take(part, beside)
	})
	require.NoError(t, err)
	require.Equal(t, elements, visited)
	require.Greater(t, read, int64(100<<20))
	require.Equal(t, int64(limit-elements*kept), lender.left, "it holds only what the visits keep")

	err = budget.Each(ctx, budget.NewPortions(100), func(context.Context, int32) ([]int64, error) {
		return []int64{1, 2, 3}, nil
	}, func(part context.Context, element int64) (bool, error) {
		if element == 2 {
			return true, take(part, limit)
		}
		return true, nil
	})
	require.True(t, fault.AnswerTooLarge.Matches(err), "a visit has the limit of the answer")
	require.Equal(t, int64(limit-elements*kept), lender.left, "a refused visit gives everything back")
	require.NoError(t, budget.Each(t.Context(), budget.NewPortions(1),
		func(context.Context, int32) ([]int64, error) { return []int64{1}, nil },
		func(ctx context.Context, _ int64) (bool, error) {
			require.Nil(t, budget.Of(ctx), "without a budget the visits have none")
			return false, nil
		}))
}

func TestTakeSpare_LeavesAQuarterForTheRest(t *testing.T) {
	t.Parallel()
	whole := budget.New(100, nil)
	ctx, release := budget.Part(budget.With(t.Context(), whole))
	require.NoError(t, budget.Of(ctx).TakeSpare(75))
	require.True(t, fault.AnswerTooLarge.Matches(budget.Of(ctx).TakeSpare(1)))
	require.NoError(t, budget.Of(ctx).Take(25))
	require.Equal(t, int64(100), whole.Held())
	release()
	require.NoError(t, whole.TakeSpare(75))
	var none *budget.Budget
	require.NoError(t, none.TakeSpare(1))
}
