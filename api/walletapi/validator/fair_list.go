package validator

import (
	"cmp"
	"maps"
	"slices"

	"github.com/florinledger/florin/ledger"
)

// FairList picks the contracts of a list without pages, limited in number and in bytes. It takes contracts oldest
// first. If there are too many, each maker has an equal share of both limits, for the newest of its contracts, so that
// a maker of thousands of contracts, or of large ones, cannot hide those of others.
type FairList[T any] struct {
	limit  int
	makers map[ledger.Party]*makerItems[T]
	seen   int
	kept   int
	// Bytes is the size of the picked contracts.
	Bytes   int64
	exclude []ledger.Party
}

// makerItems are the picked items of a maker.
type makerItems[T any] struct {
	items []numberedItem[T]
	bytes int64
}

type numberedItem[T any] struct {
	number int
	bytes  int64
	item   T
}

// NewFairList makes a fair list. The excluded parties do not count as makers: the party of the list, and the DSO, which
// signs for everybody.
func NewFairList[T any](limit int, exclude ...ledger.Party) *FairList[T] {
	return &FairList[T]{limit: limit, makers: map[ledger.Party]*makerItems[T]{}, exclude: exclude}
}

// Add adds an item with its contract.
func (s *FairList[T]) Add(item T, contract ledger.Contract) {
	makers := slices.DeleteFunc(slices.Clone(contract.Signatories), func(p ledger.Party) bool {
		return slices.Contains(s.exclude, p)
	})
	var maker ledger.Party // only the first, so that a group of makers counts once
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

// drop removes the oldest item of the maker with the most; if several have the most, of the one with the older item.
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
	largest.items[0] = numberedItem[T]{} // release the dropped item
	if largest.items = largest.items[1:]; len(largest.items) == 0 {
		delete(s.makers, most)
	}
}

// ByMaker returns the picked items of each maker, newest first. Makers with few items come first.
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

// Items returns the picked items, oldest first.
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
