package validator

import (
	"cmp"
	"maps"
	"slices"

	"github.com/florinledger/florin/ledger"
)

// FairList picks from contracts, which come the oldest first, as many as a list without pages shows: so many, and so
// many bytes. Where there are more, those who made them have equal shares of both, of their newest: nobody who makes
// thousands, or large ones, hides what others have made.
type FairList[T any] struct {
	limit  int
	makers map[ledger.Party]*makerItems[T]
	seen   int
	kept   int
	// Bytes are those of the contracts that were picked.
	Bytes   int64
	exclude []ledger.Party
}

// makerItems is what somebody made and what was picked of it.
type makerItems[T any] struct {
	items []numberedItem[T]
	bytes int64
}

type numberedItem[T any] struct {
	number int
	bytes  int64
	item   T
}

// NewFairList makes a fair list of a party's. The party itself, and the DSO, who signs for everybody, do not count
// among the makers.
func NewFairList[T any](limit int, exclude ...ledger.Party) *FairList[T] {
	return &FairList[T]{limit: limit, makers: map[ledger.Party]*makerItems[T]{}, exclude: exclude}
}

// Add takes an item with its contract.
func (s *FairList[T]) Add(item T, contract ledger.Contract) {
	makers := slices.DeleteFunc(slices.Clone(contract.Signatories), func(p ledger.Party) bool {
		return slices.Contains(s.exclude, p)
	})
	var maker ledger.Party // the first: who makes contracts with many others together counts once
	if len(makers) > 0 {
		maker = slices.Min(makers)
	}
	if s.makers[maker] == nil {
		s.makers[maker] = &makerItems[T]{}
	}
	size := ListedBytes(contract)
	by := s.makers[maker]
	by.items = append(by.items, numberedItem[T]{s.seen, size, item})
	by.bytes += size
	s.Bytes += size
	s.seen++
	s.kept++
	for s.kept > s.limit {
		s.drop(maker, func(m *makerItems[T]) int64 { return int64(len(m.items)) })
	}
	for s.Bytes > MaxListBytes && s.kept > 1 {
		s.drop(maker, func(m *makerItems[T]) int64 { return m.bytes })
	}
}

// drop removes the oldest item of the maker with the most; among equals, of the one whose oldest item is older.
func (s *FairList[T]) drop(maker ledger.Party, measure func(*makerItems[T]) int64) {
	if s.makers[maker] == nil {
		for maker = range s.makers {
			break
		}
	}
	most := maker
	for other, m := range s.makers {
		more := measure(m) - measure(s.makers[most])
		if more > 0 || more == 0 && m.items[0].number < s.makers[most].items[0].number {
			most = other
		}
	}
	largest := s.makers[most]
	s.kept--
	s.Bytes -= largest.items[0].bytes
	largest.bytes -= largest.items[0].bytes
	largest.items[0] = numberedItem[T]{} // what was dropped is not held by the list's array
	if largest.items = largest.items[1:]; len(largest.items) == 0 {
		delete(s.makers, most)
	}
}

// ByMaker are the picked items of each maker, the newest first. Makers come in order of how many there are of theirs,
// the fewest first.
func (s *FairList[T]) ByMaker() [][]T {
	makers := slices.SortedFunc(maps.Keys(s.makers), func(a, b ledger.Party) int {
		return cmp.Or(cmp.Compare(len(s.makers[a].items), len(s.makers[b].items)), cmp.Compare(a, b))
	})
	all := make([][]T, len(makers))
	for i, maker := range makers {
		for _, one := range slices.Backward(s.makers[maker].items) {
			all[i] = append(all[i], one.item)
		}
	}
	return all
}

// Items are those that were picked, the oldest first.
func (s *FairList[T]) Items() []T {
	var all []numberedItem[T]
	for _, m := range s.makers {
		all = append(all, m.items...)
	}
	slices.SortFunc(all, func(a, b numberedItem[T]) int { return cmp.Compare(a.number, b.number) })
	picked := make([]T, len(all))
	for i, one := range all {
		picked[i] = one.item
	}
	return picked
}
