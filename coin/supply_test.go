package coin_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func (n network) supply(t require.TestingT) coin.Supply {
	supply, err := coin.SupplyOf(n.Events())
	require.NoError(t, err)
	return supply
}

func TestSupplyOf_IsMintedLessBurned(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	require.Equal(t, coin.Supply{}, n.supply(t))
	requireSupply := func(minted, burned, held string) {
		t.Helper()
		supply := n.supply(t)
		require.Equal(t, []string{minted, burned, held},
			[]string{supply.Minted.Show(), supply.Burned.Show(), supply.Held.Show()})
		require.True(t, supply.Balanced())
	}
	first := n.tap(t, alice, "100")
	requireSupply("100.0", "0.0", "100.0")

	_, err := n.transfer(pay(coins{first}, to(bob, "25")), n.roundZero())
	require.NoError(t, err)
	requireSupply("100.0", "0.0", "100.0")

	context := n.mintingContext(t)
	transfer := coin.Transfer{Sender: alice, Provider: alice}
	for _, coupon := range coupons() {
		transfer.Inputs = append(transfer.Inputs, coupon(t, n))
	}
	_, err = n.transfer(transfer, context)
	require.NoError(t, err)
	requireSupply("2186.55", "0.0", "2186.55")

	locked := n.lock(t, "1", bob)
	requireSupply("2187.55", "0.0", "2187.55")
	_, err = ledgertest.Exercise[coin.LockedAmuletUnlockV2Result](n.Ledger, ledgertest.As(alice, bob), locked,
		coin.LockedAmuletUnlockV2{})
	require.NoError(t, err)
	requireSupply("2187.55", "0.0", "2187.55")

	_, err = ledgertest.Exercise[lf.Unit](n.Ledger, ledgertest.As(alice, dso), n.tap(t, alice, "3"), lf.Archive{})
	require.NoError(t, err)
	requireSupply("2190.55", "3.0", "2187.55")

	late0, late1 := n.stateOf(t, 263, dso), n.stateOf(t, 263, dso)
	_, err = ledgertest.Exercise[coin.AmuletExpireV2Result](n.Ledger, ledgertest.As(dso), n.tap(t, alice, "1"),
		coin.AmuletExpireV2{ExternalPartyConfigState0Cid: late0, ExternalPartyConfigState1Cid: late1})
	require.NoError(t, err)
	_, err = ledgertest.Exercise[coin.LockedAmuletExpireAmuletV2Result](n.Ledger, ledgertest.As(dso), n.lock(t, "1", dso),
		coin.LockedAmuletExpireAmuletV2{ExternalPartyConfigState0Cid: late0, ExternalPartyConfigState1Cid: late1})
	require.NoError(t, err)
	requireSupply("2192.55", "5.0", "2187.55")
}

func TestSupplyOf_FindsMistakes(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	amulet := n.tap(t, alice, "100")
	_, err := n.transfer(pay(coins{amulet}, to(bob, "25")), n.roundZero())
	require.NoError(t, err)
	events := n.Events()

	_, err = coin.SupplyOf(events[2:])
	require.ErrorContains(t, err, "no counted transaction created it")

	forged, err := coin.SupplyOf([][]ledger.Event{{
		{
			Kind: ledger.EventCreate, ContractID: "00ab", PackageName: "splice-amulet",
			Template: events[1][3].Template, Argument: events[1][3].Argument,
		},
	}})
	require.NoError(t, err)
	require.False(t, forged.Balanced(), "a coin from nowhere")

	broken := events[1][3]
	broken.Kind, broken.Argument = ledger.EventCreate, []byte(`{"amount":{"initialAmount":"much"}}`)
	broken.Template.Module, broken.Template.Entity = "Splice.Amulet", "Amulet"
	_, err = coin.SupplyOf([][]ledger.Event{{broken}})
	require.ErrorContains(t, err, "count the coin")
}

// TestTransfer_ConservesValue makes random transfers between three parties, valid or not. After each it checks that the
// supply equals the taps and that every party has its expected balance.
func TestTransfer_ConservesValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := startNetwork(t)
		parties := []ledger.Party{alice, bob, charlie}
		anyAmount := rapid.Custom(func(t *rapid.T) decimal.Decimal {
			const maxUnits, perCoin = 5_000_000_000_000, 10_000_000_000
			units := rapid.Int64Range(1, maxUnits).Draw(t, "units")
			return must(t)(decimal.FromInt(units).Div(decimal.FromInt(perCoin)))
		})
		balances := map[ledger.Party]decimal.Decimal{}
		for _, party := range parties {
			for range rapid.IntRange(0, 3).Draw(rt, "coins of "+string(party)) {
				minted := anyAmount.Draw(rt, "minted")
				n.tap(t, party, minted.String())
				balances[party] = must(rt)(balances[party].Add(minted))
			}
		}
		total := n.supply(rt).Held
		for range rapid.IntRange(1, 4).Draw(rt, "transfers") {
			sender := rapid.SampledFrom(parties).Draw(rt, "sender")
			n.anyTransfer(t, rt, sender, parties, anyAmount, balances)
			supply := n.supply(rt)
			require.True(rt, supply.Balanced())
			require.True(rt, total.Equal(supply.Held), "supply %s after %s", supply.Held, total)
			for _, party := range parties {
				require.Equal(rt, balances[party].Show(), n.held(t, party), "holdings of %s", party)
			}
		}
	})
}

func (n network) anyTransfer(
	t *testing.T, rt *rapid.T, sender ledger.Party, parties []ledger.Party, anyAmount *rapid.Generator[decimal.Decimal],
	balances map[ledger.Party]decimal.Decimal,
) {
	t.Helper()
	transfer := coin.Transfer{Sender: sender, Provider: sender}
	for id, amulet := range all[coin.Amulet](t, n) {
		if amulet.Owner == sender && rapid.Bool().Draw(rt, "spend") {
			transfer.Inputs = append(transfer.Inputs, coin.InputAmulet(id))
		}
	}
	expected := maps.Clone(balances)
	for range rapid.IntRange(0, 3).Draw(rt, "outputs") {
		output := coin.TransferOutput{
			Receiver: rapid.SampledFrom(parties).Draw(rt, "receiver"), Amount: anyAmount.Draw(rt, "amount"),
		}
		if rapid.Bool().Draw(rt, "locked") {
			output.Lock = &coin.TimeLock{Holders: []ledger.Party{dso}, ExpiresAt: n.at(time.Hour)}
		}
		transfer.Outputs = append(transfer.Outputs, output)
		expected[sender] = must(rt)(expected[sender].Sub(output.Amount))
		expected[output.Receiver] = must(rt)(expected[output.Receiver].Add(output.Amount))
	}
	result, err := n.transfer(transfer, n.roundZero())
	if err != nil {
		requireRefused(t, err, "splice.lfdecentralizedtrust.org/insufficient-funds", "")
		return
	}
	require.GreaterOrEqual(rt, result.Summary.SenderChangeAmount.Sign(), 0)
	maps.Copy(balances, expected)
}

func must(t require.TestingT) func(decimal.Decimal, error) decimal.Decimal {
	return func(value decimal.Decimal, err error) decimal.Decimal {
		require.NoError(t, err)
		return value
	}
}
