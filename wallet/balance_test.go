package wallet_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet"
)

func held(text, rate string, createdAt int64) wallet.Holding {
	return wallet.Holding{Amount: coin.ExpiringAmount{
		InitialAmount: decimal.MustParse(text), CreatedAt: coin.Round{Number: createdAt},
		RatePerRound: coin.RatePerRound{Rate: decimal.MustParse(rate)},
	}}
}

func locked(h wallet.Holding) wallet.Holding {
	h.Locked = true
	return h
}

func TestHoldingFee_GrowsWithRounds(t *testing.T) {
	t.Parallel()
	const rate = "0.00380518"
	for name, example := range map[string]struct {
		holding wallet.Holding
		round   int64
		fee     string
	}{
		"seventeen rounds after its creation": {held("100", rate, 1), 18, "0.0646880600"},
		"fifteen rounds after its creation":   {held("100", rate, 3), 18, "0.0570777000"},
		"in the round of its creation":        {held("100", rate, 18), 18, "0.0000000000"},
		"before the round of its creation":    {held("100", rate, 20), 18, "0.0000000000"},
		"never more than the amount":          {held("0.5", rate, 0), 132, "0.5000000000"},
		"a round before it is dust":           {held("0.5", rate, 0), 131, "0.4984785800"},
		"beyond all numbers": {
			held("7", "9999999999999999999999999999", 0), 1 << 62, "7.0000000000",
		},
	} {
		require.Equal(t, example.fee, example.holding.Amount.AccruedFee(example.round).String(), name)
	}
}

// TestBalance_AddsUpUnlockedAndLockedCoin is the example of an external party: 150 unlocked and 25 locked coins.
//
// contract: wallet-balance
func TestBalance_AddsUpUnlockedAndLockedCoin(t *testing.T) {
	t.Parallel()
	const rate = "0.00380518"
	holdings := []wallet.Holding{held("100", rate, 7), held("50", rate, 17), locked(held("25", rate, 16))}
	balance, err := wallet.BalanceOf(holdings, 17)
	require.NoError(t, err)
	require.Equal(t, int64(17), balance.Round)
	require.Equal(t, "150.0", balance.Unlocked.Show())
	require.Equal(t, "25.0", balance.Locked.Show())
	require.Equal(t, "0.0380518", balance.UnlockedFees.Show())
	require.Equal(t, "0.00380518", balance.LockedFees.Show())
	for want, sum := range map[string]func() (decimal.Decimal, error){
		"175.0000000000": balance.Total, "0.0418569800": balance.TotalFees, "149.9619482000": balance.Available,
	} {
		actual, err := sum()
		require.NoError(t, err)
		require.Equal(t, want, actual.String())
	}
	empty, err := wallet.BalanceOf(nil, 3)
	require.NoError(t, err)
	require.Equal(t, wallet.Balance{Round: 3}, empty)
}

func TestBalance_RefusesASumBeyondDecimal(t *testing.T) {
	t.Parallel()
	most := held("9999999999999999999999999999", "0", 0)
	_, err := wallet.BalanceOf([]wallet.Holding{most, most}, 0)
	require.ErrorIs(t, err, decimal.ErrOverflow)
}

func TestPositions_ShowFeesAndDeductNone(t *testing.T) {
	t.Parallel()
	positions := wallet.Positions([]wallet.Holding{held("100", "0.00380518", 3)}, 18)
	require.Len(t, positions, 1)
	require.Equal(t, int64(18), positions[0].Round)
	require.Equal(t, "0.0570777", positions[0].AccruedHoldingFee.Show())
	require.Equal(t, "100.0", positions[0].EffectiveAmount.Show())
}

func TestRound_NewestAndEarliestAreOpen(t *testing.T) {
	t.Parallel()
	now := lf.TimestampOf(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC))
	round := func(number int64, opensAt lf.Timestamp) coin.OpenMiningRound {
		return coin.OpenMiningRound{Round: coin.Round{Number: number}, OpensAt: opensAt}
	}
	itself := func(round coin.OpenMiningRound) coin.OpenMiningRound { return round }
	rounds := []coin.OpenMiningRound{round(8, now), round(9, now+1), round(7, now-1)}
	latest, ok := coin.NewestRound(rounds, itself, now)
	require.True(t, ok)
	require.Equal(t, int64(8), latest.Round.Number, "round 9 opens a microsecond later")
	earliest, ok := coin.EarliestRound(rounds, itself, now)
	require.True(t, ok)
	require.Equal(t, int64(7), earliest.Round.Number)
	_, ok = coin.NewestRound(rounds, itself, now-2)
	require.False(t, ok)
	_, ok = coin.EarliestRound(nil, itself, now)
	require.False(t, ok)
}
