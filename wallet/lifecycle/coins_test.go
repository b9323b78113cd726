package lifecycle_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// newWorldWith returns a world with a limit of transfer inputs.
func newWorldWith(t *testing.T, maxInputs int64) *world {
	t.Helper()
	config := coin.DefaultConfig(cointest.Synchronizer)
	config.TransferConfig.MaxNumInputs = maxInputs
	w := &world{t: t, Network: cointest.StartWith(t, coin.Genesis{
		DSO: cointest.DSO, Config: config, AmuletPrice: cointest.Amount("0.005"), RoundZeroDuration: 24 * time.Hour,
	}, slices.Concat(payments.Packages(), walletapp.Packages(), tokenwallet.Packages())...)}
	var err error
	w.registry, err = lifecycle.NewRegistry(w.Packages)
	require.NoError(t, err)
	return w
}

// lock creates locked coin; the lock may have expired.
func (w *world) lock(owner ledger.Party, amount string, until time.Duration) {
	w.t.Helper()
	cointest.Create(w.Network, coin.LockedAmulet{
		Amulet: coin.Amulet{
			DSO: cointest.DSO, Owner: owner, Amount: expiring(decimal.MustParse(amount), "0.0001"),
		},
		Lock: coin.TimeLock{Holders: []ledger.Party{cointest.DSO}, ExpiresAt: lf.TimestampOf(w.Now.Add(until))},
	}, cointest.DSO, owner)
}

func expiring(amount decimal.Decimal, rate string) coin.ExpiringAmount {
	return coin.ExpiringAmount{
		InitialAmount: amount, RatePerRound: coin.RatePerRound{Rate: decimal.MustParse(rate)},
	}
}

// give creates coin; old coin may have accrued more fees than its amount.
func (w *world) give(owner ledger.Party, units int64, old bool) {
	w.t.Helper()
	amount, err := decimal.FromInt(units).Mul(decimal.MustParse("0.0000000001"))
	require.NoError(w.t, err)
	held := expiring(amount, "0.0001")
	if old {
		held = expiring(amount, "1000000")
	}
	cointest.Create(w.Network, coin.Amulet{DSO: cointest.DSO, Owner: owner, Amount: held}, cointest.DSO, owner)
}

// Random wallets of dust, old coin and locked coin, and random limits of inputs: an accepted offer is paid exactly if
// the unlocked coin suffices.
func TestPayment_IsMadeExactlyWhenUnlockedCoinIsEnough(t *testing.T) {
	t.Parallel()
	for seed := range 24 {
		holdings, maxInputs := 1+2*seed, int64(2+seed%7)
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			requirePaidWhenCovered(t, rand.New(rand.NewPCG(uint64(seed), 16)), holdings, maxInputs)
		})
	}
	t.Run("thousands", func(t *testing.T) {
		t.Parallel()
		requirePaidWhenCovered(t, rand.New(rand.NewPCG(1, 17)), 1500, 100)
	})
}

func requirePaidWhenCovered(t *testing.T, random *rand.Rand, holdings int, maxInputs int64) {
	t.Helper()
	w := newWorldWith(t, maxInputs)
	have := int64(0)
	for range holdings {
		units := random.Int64N(1 << (1 + random.IntN(40)))
		w.give(cointest.Alice, units+1, random.IntN(3) == 0)
		have += units + 1
	}
	for _, until := range []time.Duration{-time.Hour, time.Hour} {
		w.lock(cointest.Alice, "1000000.0", until)
	}
	// everything, more than that, or a part
	wanted := have + []int64{0, 1, -random.Int64N(have)}[random.IntN(3)]
	amount, err := decimal.FromInt(wanted).Mul(decimal.MustParse("0.0000000001"))
	require.NoError(t, err)
	done := w.settle(w.accepted(amount.Show()))
	received, _ := w.Balance(cointest.Bob)
	last := done[len(done)-1]
	if wanted > have {
		require.Contains(t, last, "abort-offer:", "%d of %d units in %d holdings: %v", wanted, have, holdings, done)
		require.Equal(t, "0.0", received)
		return
	}
	require.Contains(t, last, "complete-offer:", "%d of %d units in %d holdings: %v", wanted, have, holdings, done)
	require.Equal(t, amount.Show(), received)
	merges := 0
	for _, commandID := range done {
		if strings.HasPrefix(commandID, "merge-for-") {
			merges++
		}
	}
	require.LessOrEqual(t, merges, holdings/int(maxInputs-1)+1, "no merge that gains nothing")
}
