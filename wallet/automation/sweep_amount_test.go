package automation_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/automation"
)

// A sweep never exceeds the balance that offers leave, for random balances, offers, limits and prices.
func TestSweep_AsksForNoMoreThanTheBalance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 14))
	units := func(limit int64) decimal.Decimal {
		number, err := decimal.FromInt(random.Int64N(limit) + 1).Mul(decimal.MustParse("0.0000000001"))
		require.NoError(t, err)
		return number
	}
	swept := 0
	for range 20_000 {
		state := automation.SweepState{Sender: alice, Balance: units(1 << (1 + random.IntN(60))), Now: now}
		state.Price = units(1 << (1 + random.IntN(40)))
		left, preapproval := state.Balance, random.IntN(2) == 0
		if offered := units(1 << (1 + random.IntN(50))); !preapproval && offered.Cmp(left) < 0 {
			state.Offered = []payments.PaymentAmount{{Amount: offered, Unit: payments.AmuletUnit}}
			var err error
			left, err = left.Sub(offered)
			require.NoError(t, err)
		}
		amount, err := state.Amount(sweepOf("0", []string{"0", "0.0000000001", "1"}[random.IntN(3)], preapproval))
		require.NoError(t, err)
		require.LessOrEqual(t, amount.Cmp(left), 0, "%s of %s at %s", amount, left, state.Price)
		swept += amount.Sign()
	}
	require.Greater(t, swept, 1000)
}
