package adversary

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// spoil replaces a random value of a body.
func (m maker) spoil(body any) any {
	switch value := body.(type) {
	case map[string]any:
		if len(value) == 0 || m.oneIn(8) {
			return m.strange()
		}
		keys := sortedKeys(value)
		key := pick(m.random, keys)
		if m.oneIn(8) {
			delete(value, key)
			return value
		}
		value[key] = m.spoil(value[key])
		return value
	case []any:
		switch {
		case len(value) == 0:
			return []any{m.strange()}
		case m.oneIn(4): // the same value many times
			return repeat(value[0], pick(m.random, []int{2, 300, 9_000}))
		}
		at := m.random.IntN(len(value))
		value[at] = m.spoil(value[at])
		return value
	default:
		return m.strange()
	}
}

func repeat(value any, times int) []any {
	list := make([]any, times)
	for i := range list {
		list[i] = value
	}
	return list
}

func (m maker) strange() any {
	return pick(m.random, []any{
		nil, true, "", "\x00", json.Number("1e400"), json.Number("-9223372036854775808"), json.Number("9223372036854775807"),
		json.Number("0.1"),
		[]any{},
		object{},
		pick(m.random, hostileTexts()), "9999-12-31T23:59:59.999999Z",
		"99999999999999999999999999999999.99999999999", "-1", pick(m.random, m.known.parties()),
		strings.Repeat("[", 300),
		[]any{[]any{[]any{}}},
		pick(m.random, m.known.users),
	})
}

// deal is the card at an index of a deck that is shuffled again after its last card. It depends only on its arguments,
// so that a part of a run deals the same cards.
func deal(seed uint64, name string, index, cards int) int {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	shuffled := newRandom(seed, hash.Sum64()+uint64(index/cards)).Perm(cards)
	return shuffled[index%cards]
}

func newRandom(seed, part uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, part)) //nolint:gosec // runs are repeated from their seed; nothing here is secret
}

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
