package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func TestTap_MintsACoinOfItsRound(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	result, err := ledgertest.Exercise[coin.AmuletRulesDevNetTapResult](n.Ledger, n.public(alice), n.rules,
		coin.AmuletRulesDevNetTap{Receiver: alice, Amount: amount("1000"), OpenRound: n.rounds[1]})
	require.NoError(t, err)
	require.Equal(t, "0.0050000000", result.AmuletSum.AmuletPrice.String())
	require.Equal(t, coin.Round{Number: 1}, result.AmuletSum.Round)
	require.Equal(t, map[string]string{
		"splice.lfdecentralizedtrust.org/tx-kind": "mint",
		"splice.lfdecentralizedtrust.org/reason":  "tapped DevNet faucet",
	}, result.Meta.Values)
	contract, _, err := ledgertest.Contract(n.Ledger, result.AmuletSum.Amulet)
	require.NoError(t, err)
	require.JSONEq(t, `{"dso":"DSO::1220d5","owner":"alice::1220a1","amount":{"initialAmount":"1000.0000000000",
		"createdAt":{"number":"1"},"ratePerRound":{"rate":"0.0038051800"}}}`, string(contract.Payload))
	require.Equal(t, []ledger.Party{dso, alice}, contract.Signatories)
	require.Empty(t, contract.Observers)
}

func TestTap_RefusesMistakes(t *testing.T) {
	t.Parallel()
	type arguments = coin.AmuletRulesDevNetTap
	for name, c := range map[string]struct {
		actAs      ledger.Party
		change     func(t *testing.T, n *network, tap *arguments)
		code, text string
	}{
		"more than a hundred million": {
			alice, func(_ *testing.T, _ *network, tap *arguments) { tap.Amount = amount("100000000.0000000001") },
			assertion, "Tapped amount <= 100,000,000",
		},
		"nothing": {
			alice, func(_ *testing.T, _ *network, tap *arguments) { tap.Amount = amount("0") },
			notValid, "Splice.Amulet:Amulet",
		},
		"less than nothing": {
			alice, func(_ *testing.T, _ *network, tap *arguments) { tap.Amount = amount("-5") },
			notValid, "Splice.Amulet:Amulet",
		},
		"a tap for somebody else": {
			alice, func(_ *testing.T, _ *network, tap *arguments) { tap.Receiver = bob }, noAuth, "bob",
		},
		"a network that is not for development": {
			alice, func(t *testing.T, n *network, _ *arguments) {
				t.Helper()
				n.rules = n.otherRules(t, dso, false)
			},
			assertion, "isDevNet flag is true",
		},
		"a round of another network, whose DSO taps": {
			stranger, func(t *testing.T, n *network, tap *arguments) {
				t.Helper()
				tap.OpenRound = n.otherRound(t, stranger, "0.005", 0)
			},
			general, "Contract group identifier mismatch: expected dso 'DSO::1220d5', got dso 'stranger::122057'",
		},
		"a round whose price is zero": {
			alice, func(t *testing.T, n *network, tap *arguments) {
				t.Helper()
				tap.OpenRound = n.otherRound(t, dso, "0", 0)
			},
			arithmetic, "division by zero",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			argument := arguments{Receiver: c.actAs, Amount: amount("10"), OpenRound: n.rounds[0]}
			c.change(t, &n, &argument)
			by := n.public(c.actAs).Disclose(n.Active[argument.OpenRound.ID()])
			_, err := ledgertest.Exercise[coin.AmuletRulesDevNetTapResult](n.Ledger, by, n.rules, argument)
			requireRefused(t, err, c.code, c.text)
		})
	}
}

// otherRules creates a second AmuletRules contract.
func (n network) otherRules(t *testing.T, dso ledger.Party, isDevNet bool) lf.CID[coin.AmuletRules] {
	t.Helper()
	rules := payload(t, n, n.rules)
	rules.DSO, rules.IsDevNet = dso, isDevNet
	return create(t, n, rules, dso)
}

// otherRound creates another open round like round 0, which opens some time after the start.
func (n network) otherRound(
	t *testing.T, dso ledger.Party, price string, opensAfter time.Duration,
) lf.CID[coin.OpenMiningRound] {
	t.Helper()
	round := payload(t, n, n.rounds[0])
	round.DSO, round.AmuletPrice, round.OpensAt = dso, amount(price), n.at(opensAfter)
	return create(t, n, round, dso)
}

func TestTap_TakesARoundThatIsNotOpenYet(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	result, err := ledgertest.Exercise[coin.AmuletRulesDevNetTapResult](n.Ledger, n.public(alice), n.rules,
		coin.AmuletRulesDevNetTap{Receiver: alice, Amount: amount("100000000"), OpenRound: n.rounds[2]})
	require.NoError(t, err)
	require.Equal(t, int64(2), result.AmuletSum.Round.Number)
}

func TestMint_NeedsDSOAndReceiver(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	argument := coin.AmuletRulesMint{Receiver: alice, Amount: amount("7"), OpenRound: n.rounds[0]}
	for _, actAs := range []ledger.Party{alice, dso} {
		_, err := ledgertest.Exercise[coin.AmuletRulesMintResult](n.Ledger, n.public(actAs), n.rules, argument)
		requireRefused(t, err, noAuth, "AmuletRules_Mint")
	}
	result, err := ledgertest.Exercise[coin.AmuletRulesMintResult](n.Ledger, n.public(dso, alice), n.rules, argument)
	require.NoError(t, err)
	require.Equal(t, "7.0000000000", payload(t, n, result.AmuletSum.Amulet).Amount.InitialAmount.String())

	production := n.otherRules(t, dso, false)
	_, err = ledgertest.Exercise[coin.AmuletRulesMintResult](n.Ledger, n.public(dso, alice), production, argument)
	requireRefused(t, err, assertion, "isDevNet flag is true")
}

func TestFeaturedAppRight_SelfGrantNeedsADevNet(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	type result = coin.AmuletRulesDevNetFeatureAppResult
	feature := func(rules lf.CID[coin.AmuletRules], weight *decimal.Decimal) (result, error) {
		return ledgertest.Exercise[result](n.Ledger, n.public(provider), rules,
			coin.AmuletRulesDevNetFeatureApp{Provider: provider, ActivityWeight: weight})
	}
	featured, err := feature(n.rules, new(amount("2.5")))
	require.NoError(t, err)
	contract, right, err := ledgertest.Contract(n.Ledger, featured.FeaturedAppRightCid)
	require.NoError(t, err)
	require.Equal(t, "2.5000000000", right.ActivityWeight.String())
	require.Equal(t, []ledger.Party{provider}, contract.Observers)

	_, err = feature(n.rules, new(amount("-1")))
	requireRefused(t, err, notValid, "FeaturedAppRight")
	_, err = feature(n.otherRules(t, dso, false), nil)
	requireRefused(t, err, assertion, "isDevNet flag is true")
}

func TestAmuletRules_RefusesComputeFees(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	_, err := ledgertest.Exercise[coin.AmuletRulesComputeFeesResult](n.Ledger, n.public(alice), n.rules,
		coin.AmuletRulesComputeFees{Context: n.roundZero(), Sender: alice})
	requireRefused(t, err, general, "AmuletRules_ComputeFees is no longer supported since splice-amulet-0.1.17")
}
