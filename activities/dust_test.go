package activities_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// The index finds dust, and the rule of the coin burns it. Above two coins a round the rule rounds the quotient to ten
// places first, and the database may find the coin a round later, but never earlier.
func TestDust_IndexMatchesTheRuleOfTheCoin(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	amounts := aroundTheEnd()
	coins := storeCoins(t, record, amounts)
	foundBy := func(round int64) []ledger.ContractID {
		stored, err := record.Dust(t.Context(), round, math.MaxInt32)
		require.NoError(t, err)
		ids := make([]ledger.ContractID, len(stored))
		for i, contract := range stored {
			ids[i] = contract.ID
		}
		return ids
	}
	latest, two := foundBy(math.MaxInt64), decimal.MustParse("2")
	ends := 0
	for i, amount := range amounts {
		end, never, err := amount.ExpiryRound()
		if err != nil || never {
			require.NotContains(t, latest, coins[i], "%v has no end", amount)
			continue
		}
		ends++
		if end > math.MinInt64 {
			require.NotContains(t, foundBy(end-1), coins[i], "%v is dust in round %d", amount, end)
		}
		if amount.RatePerRound.Rate.Cmp(two) <= 0 {
			require.Contains(t, foundBy(end), coins[i], "%v is dust in round %d", amount, end)
		} else if end < math.MaxInt64 {
			require.Contains(t, foundBy(end+1), coins[i], "%v is dust in round %d", amount, end)
		}
	}
	require.Greater(t, ends, len(amounts)/2)
	require.Less(t, ends, len(amounts), "some never end")
}

// aroundTheEnd are amounts that the fee uses up exactly at, just before and just after a round, amounts of any size,
// and some that are never dust.
func aroundTheEnd() []coin.ExpiringAmount {
	random := rand.New(rand.NewPCG(1, 2))
	var amounts []coin.ExpiringAmount
	add := func(amount, rate decimal.Decimal, created int64) {
		if amount.Sign() > 0 {
			amounts = append(amounts, coin.ExpiringAmount{
				InitialAmount: amount, RatePerRound: coin.RatePerRound{Rate: rate}, CreatedAt: coin.Round{Number: created},
			})
		}
	}
	least := decimal.MustParse("0.0000000001")
	for _, text := range []string{
		"0.0000000001", "0.0000000003", "0.00380518", "0.0038051800", "1", "1.9999999999", "3", "30000000000.0000000007",
	} {
		rate := decimal.MustParse(text)
		for _, rounds := range []int64{1, 263, 1 << 40} {
			exact, err := rate.Mul(decimal.FromInt(rounds))
			if err != nil {
				continue
			}
			below, _ := exact.Sub(least)
			above, _ := exact.Add(least)
			for _, amount := range []decimal.Decimal{below, exact, above} {
				add(amount, rate, random.Int64N(1000))
			}
		}
		digits := fmt.Sprintf("%d.%010d", random.Int64N(1<<random.IntN(62)+1), random.Int64N(10_000_000_000))
		add(decimal.MustParse(digits), rate, random.Int64N(1<<40))
	}
	add(decimal.MustParse("1"), decimal.Decimal{}, 3)
	add(decimal.MustParse("1000"), decimal.MustParse("0.5"), math.MaxInt64-100)
	add(decimal.MustParse("9999999999999999999999999999"), least, 0)
	return amounts
}

func storeCoins(t *testing.T, record *db.DB, amounts []coin.ExpiringAmount) []ledger.ContractID {
	t.Helper()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	name, err := ledger.TemplateName[coin.Amulet](packages)
	require.NoError(t, err)
	entries := db.Entries{Head: db.Head{Offset: 1, RecordTime: testTime()}}
	var ids []ledger.ContractID
	for i, amount := range amounts {
		payload, err := ledger.Encode(packages, coin.Amulet{DSO: alice, Owner: bob, Amount: amount})
		require.NoError(t, err)
		id := ledger.ContractID(fmt.Sprintf("00%064x", i))
		ids = append(ids, id)
		entries.Created = append(entries.Created, db.NewContract{
			Offset: 1, NodeID: int32(i),
			Contract: ledger.Contract{
				ID: id, Template: name, Payload: payload, InNetwork: true, CreatedAt: testTime(),
				Signatories: slices.Sorted(slices.Values([]ledger.Party{alice, bob})),
			},
		})
	}
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.LockHead(t.Context()); err != nil {
			return err
		}
		return tx.Append(t.Context(), entries)
	}))
	return ids
}
