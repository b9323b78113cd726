package walletapi

import (
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger"
)

// share picks from contracts, which come the oldest first, as many as a list without pages shows. Where there are more,
// those who made them have equal shares, of their newest: nobody who makes thousands hides what others have made.
type share[T any] struct {
	limit   int
	makers  map[string][]numbered[T]
	seen    int
	kept    int
	exclude []ledger.Party
}

type numbered[T any] struct {
	number int
	item   T
}

// newShare makes a share for a list of a party's. The party itself, and the DSO, who signs for everybody, do not count
// among the makers.
func newShare[T any](limit int, exclude ...ledger.Party) *share[T] {
	return &share[T]{limit: limit, makers: map[string][]numbered[T]{}, exclude: exclude}
}

// add takes an item with the signatories of its contract.
func (s *share[T]) add(item T, signatories []ledger.Party) {
	makers := slices.DeleteFunc(slices.Clone(signatories), func(p ledger.Party) bool {
		return slices.Contains(s.exclude, p)
	})
	maker := strings.Join(ledger.Strings(makers), "\x00")
	s.makers[maker] = append(s.makers[maker], numbered[T]{s.seen, item})
	s.seen++
	if s.kept++; s.kept <= s.limit {
		return
	}
	most := maker
	for other, items := range s.makers {
		if more := len(items) - len(s.makers[most]); more > 0 || more == 0 && items[0].number < s.makers[most][0].number {
			most = other
		}
	}
	s.kept--
	if s.makers[most] = s.makers[most][1:]; len(s.makers[most]) == 0 {
		delete(s.makers, most)
	}
}

// items are those that were picked, the oldest first.
func (s *share[T]) items() []T {
	var all []numbered[T]
	for _, items := range s.makers {
		all = append(all, items...)
	}
	slices.SortFunc(all, func(a, b numbered[T]) int { return a.number - b.number })
	picked := make([]T, len(all))
	for i, one := range all {
		picked[i] = one.item
	}
	return picked
}
