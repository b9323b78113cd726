package validator

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// A maker of thousands of contracts takes no place from the others.
func TestFairList_SharesPlacesAmongMakers(t *testing.T) {
	t.Parallel()
	const limit, dso, mine = 100, ledger.Party("DSO::1220"), ledger.Party("me::1220")
	random := rand.New(rand.NewPCG(1, 2))
	s := NewFairList[string](limit, dso, mine)
	var honest, all []string
	for i := range 5000 {
		maker, item := ledger.Party("mallory::1220"), fmt.Sprint("m", i)
		if random.IntN(100) == 0 && len(honest) < limit/2 {
			maker, item = ledger.Party(fmt.Sprint("honest::", i%7)), fmt.Sprint("h", i)
			honest = append(honest, item)
		}
		all = append(all, item)
		s.Add(item, ledger.Contract{Signatories: []ledger.Party{dso, maker, mine}})
	}
	picked := s.Items()
	require.Len(t, picked, limit)
	require.Subset(t, picked, honest)
	require.Equal(t, all[len(all)-1], picked[limit-1], "the newest is there, and the last")
	require.NotEmpty(t, honest)
}

// A maker gets no more places by making contracts together with others.
func TestFairList_AccomplicesGetNoExtraPlaces(t *testing.T) {
	t.Parallel()
	const limit = 10
	s := NewFairList[string](limit)
	s.Add("honest", ledger.Contract{Signatories: []ledger.Party{"honest::1220"}})
	for i := range 1000 {
		makers := []ledger.Party{"a::1220"}
		for j := range 10 {
			if i>>j&1 == 1 {
				makers = append(makers, ledger.Party(fmt.Sprint("b", j)))
			}
		}
		s.Add("planted", ledger.Contract{Signatories: makers})
	}
	require.Contains(t, s.Items(), "honest")
}

func TestFairList_KeepsAllItemsBelowLimit(t *testing.T) {
	t.Parallel()
	s := NewFairList[int](3)
	for i := range 3 {
		s.Add(i, ledger.Contract{Signatories: []ledger.Party{"a::1220"}})
	}
	require.Equal(t, []int{0, 1, 2}, s.Items())
	s.Add(3, ledger.Contract{Signatories: []ledger.Party{"b::1220"}})
	require.Equal(t, []int{1, 2, 3}, s.Items())
}

// A maker of large contracts takes no more room than a maker of many.
func TestFairList_SharesBytesAmongMakers(t *testing.T) {
	t.Parallel()
	s := NewFairList[string](MaxContracts)
	add := func(item string, maker ledger.Party, size int) {
		s.Add(item, ledger.Contract{Signatories: []ledger.Party{maker}, Payload: make([]byte, size)})
		require.LessOrEqual(t, s.Bytes, int64(MaxListBytes))
	}
	var honest []string
	for i := range 900 {
		add(fmt.Sprint("m", i), "mallory::1220", ledger.MaxContractBytes)
		if i%10 == 0 {
			honest = append(honest, fmt.Sprint("h", i))
			add(honest[len(honest)-1], "honest::1220", 2000)
		}
	}
	require.Subset(t, s.Items(), honest)
	large := ListedBytes(ledger.Contract{Payload: make([]byte, ledger.MaxContractBytes)})
	small := ListedBytes(ledger.Contract{Payload: make([]byte, 2000)})
	room := (MaxListBytes - int64(len(honest))*small) / large
	require.Greater(t, len(s.Items()), len(honest)+int(room)-5)
	huge := NewFairList[int](MaxContracts)
	huge.Add(1, ledger.Contract{Payload: make([]byte, 2*MaxListBytes)})
	require.Equal(t, []int{1}, huge.Items(), "one is always there")
}
