package walletapi

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// Whoever makes thousands of contracts takes no place from those who make few.
func TestListsWithoutPagesShareTheirPlaces(t *testing.T) {
	t.Parallel()
	const limit, dso, mine = 100, ledger.Party("DSO::1220"), ledger.Party("me::1220")
	random := rand.New(rand.NewPCG(1, 2))
	s := newFairList[string](limit, dso, mine)
	var honest, all []string
	for i := range 5000 {
		maker, item := ledger.Party("mallory::1220"), fmt.Sprint("m", i)
		if random.IntN(100) == 0 && len(honest) < limit/2 {
			maker, item = ledger.Party(fmt.Sprint("honest::", i%7)), fmt.Sprint("h", i)
			honest = append(honest, item)
		}
		all = append(all, item)
		s.add(item, ledger.Contract{Signatories: []ledger.Party{dso, maker, mine}})
	}
	picked := s.items()
	require.Len(t, picked, limit)
	require.Subset(t, picked, honest)
	require.Equal(t, all[len(all)-1], picked[limit-1], "the newest is there, and the last")
	require.NotEmpty(t, honest)
}

// Nobody gets more places by making contracts with accomplices, in however many ways.
func TestAccomplicesAreNoFurtherMakers(t *testing.T) {
	t.Parallel()
	const limit = 10
	s := newFairList[string](limit)
	s.add("honest", ledger.Contract{Signatories: []ledger.Party{"honest::1220"}})
	for i := range 1000 {
		makers := []ledger.Party{"a::1220"}
		for j := range 10 {
			if i>>j&1 == 1 {
				makers = append(makers, ledger.Party(fmt.Sprint("b", j)))
			}
		}
		s.add("planted", ledger.Contract{Signatories: makers})
	}
	require.Contains(t, s.items(), "honest")
}

func TestAListThatIsShortIsWhole(t *testing.T) {
	t.Parallel()
	s := newFairList[int](3)
	for i := range 3 {
		s.add(i, ledger.Contract{Signatories: []ledger.Party{"a::1220"}})
	}
	require.Equal(t, []int{0, 1, 2}, s.items())
	s.add(3, ledger.Contract{Signatories: []ledger.Party{"b::1220"}})
	require.Equal(t, []int{1, 2, 3}, s.items())
}

// Whoever makes large contracts takes no more room from others than who makes many.
func TestNobodyFillsAListWithLargeContracts(t *testing.T) {
	t.Parallel()
	s := newFairList[string](maxContracts)
	add := func(item string, maker ledger.Party, size int) {
		s.add(item, ledger.Contract{Signatories: []ledger.Party{maker}, Payload: make([]byte, size)})
		require.LessOrEqual(t, s.bytes, int64(listBytes))
	}
	var honest []string
	for i := range 900 {
		add(fmt.Sprint("m", i), "mallory::1220", ledger.MaxContractBytes)
		if i%10 == 0 {
			honest = append(honest, fmt.Sprint("h", i))
			add(honest[len(honest)-1], "honest::1220", 2000)
		}
	}
	require.Subset(t, s.items(), honest)
	require.Greater(t, len(s.items()), len(honest)+listBytes/ledger.MaxContractBytes-5)
	huge := newFairList[int](maxContracts)
	huge.add(1, ledger.Contract{Payload: make([]byte, 2*listBytes)})
	require.Equal(t, []int{1}, huge.items(), "one is always there")
}
