package tokens_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/tokens"
)

const (
	alice = ledger.Party("alice::1220aa")
	bob   = ledger.Party("bob::1220bb")
	acme  = ledger.Party("acme::1220cc")
)

const largest = "9999999999999999999999999999.9999999999"

// gold is alice's holding of acme's gold, of a package, signed by some parties besides her.
func gold(t *testing.T, id, amount, lock string, signers ...ledger.Party) tokens.Holding {
	t.Helper()
	held, err := tokens.ReadHolding(ledger.Contract{
		ID: ledger.ContractID(id), PackageName: "gold", Signatories: append(signers, alice),
	}, viewOf(amount, lock))
	require.NoError(t, err)
	return held
}

func viewOf(amount, lock string) []byte {
	return fmt.Appendf(nil, `{"owner":%q,"instrumentId":{"admin":%q,"id":"Gold"},"amount":%q,"lock":%s,
		"meta":{"values":{}}}`, alice, acme, amount, lock)
}

const locked = `{"holders":["acme::1220cc"],"expiresAt":"2026-01-01T00:00:00Z","expiresAfter":null,"context":null}`

func TestReadHolding_RefusesNonsense(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ view, reason string }{
		"no object":  {`"gold"`, "not one of the token standard"},
		"no amount":  {`{"amount":"much"}`, "not one of the token standard"},
		"nothing":    {string(viewOf("0", "null")), "not more than 0"},
		"a debt":     {string(viewOf("-5", "null")), "the amount -5.0"},
		"very large": {`{"amount":"1","meta":"` + strings.Repeat("x", tokens.MaxViewBytes) + `"}`, "larger than 16384 bytes"},
	} {
		_, err := tokens.ReadHolding(ledger.Contract{}, []byte(c.view))
		require.ErrorContains(t, err, c.reason, name)
	}
}

func TestBalances_AddUpOneKindOnly(t *testing.T) {
	t.Parallel()
	other := gold(t, "4", "100", "null", acme)
	other.Contract.PackageName = "another-gold"
	balances := tokens.Balances([]tokens.Holding{
		gold(t, "1", "7", "null", acme), gold(t, "2", "5", "null", acme), gold(t, "3", "2", locked, acme),
		other, gold(t, "5", "1000", "null", bob),
	})
	require.Len(t, balances, 3)
	own := map[string]tokens.Balance{}
	for _, balance := range balances {
		own[fmt.Sprint(balance.Kind.Package, balance.Kind.Signed)] = balance
	}
	require.Equal(t, "12.0", own["goldtrue"].Unlocked.Amount.Show())
	require.Equal(t, "2.0", own["goldtrue"].Locked.Amount.Show())
	require.Len(t, own["goldtrue"].Holdings, 3)
	require.Equal(t, "100.0", own["another-goldtrue"].Unlocked.Amount.Show())
	require.Equal(t, "1000.0", own["goldfalse"].Unlocked.Amount.Show(), "the administrator did not sign it")
	require.False(t, balances[2].Kind.Signed, "claims without the administrator come last")
}

func TestBalances_SumMayBeTooLarge(t *testing.T) {
	t.Parallel()
	balances := tokens.Balances([]tokens.Holding{
		gold(t, "1", largest, "null", acme), gold(t, "2", largest, "null", acme), gold(t, "3", "1", "null", acme),
	})
	require.True(t, balances[0].Unlocked.TooLarge)
	require.True(t, balances[0].Locked.IsZero())
}

func TestMovements_ShowWhatChangedByOwner(t *testing.T) {
	t.Parallel()
	bobs := gold(t, "4", "8", "null", acme)
	bobs.Claim.Owner = bob
	moved := tokens.Movements(
		[]tokens.Holding{gold(t, "3", "4", "null", acme), bobs, gold(t, "5", "1", "null", acme)},
		[]tokens.Holding{gold(t, "1", "7", "null", acme), gold(t, "2", "6", "null", acme)})
	require.Len(t, moved, 2)
	require.Equal(t, alice, moved[0].Owner)
	require.Equal(t, "-8.0", moved[0].Unlocked.Amount.Show())
	require.Equal(t, bob, moved[1].Owner)
	require.Equal(t, "8.0", moved[1].Unlocked.Amount.Show())
	require.Empty(t, tokens.Movements([]tokens.Holding{gold(t, "2", "6", "null", acme)},
		[]tokens.Holding{gold(t, "1", "6", "null", acme)}))
}

func TestChooseInputs_TakesTheLargestOfTrustedPackages(t *testing.T) {
	t.Parallel()
	foreign := gold(t, "f", "1000", "null", acme)
	foreign.Contract.PackageName = "another-gold"
	silver := gold(t, "s", "1000", "null", acme)
	silver.Claim.Instrument.ID = "Silver"
	holdings := []tokens.Holding{
		gold(t, "1", "1", "null", acme), foreign, silver, gold(t, "l", "1000", locked, acme),
		gold(t, "7", "7", "null", acme), gold(t, "u", "1000", "null", bob), gold(t, "5", "5", "null", acme),
	}
	choose := func(amount string, packages ...string) tokens.Inputs {
		return tokens.ChooseInputs(holdings, tokens.Payment{
			Instrument: tokens.Instrument{Admin: acme, ID: "Gold"}, Amount: decimal.MustParse(amount), Packages: packages,
		})
	}
	require.Equal(t, []ledger.ContractID{"7"}, choose("7", "gold").Holdings)
	inputs := choose("8", "gold")
	require.Equal(t, []ledger.ContractID{"7", "5"}, inputs.Holdings)
	require.Equal(t, "12.0", inputs.Has.Amount.Show())
	require.True(t, inputs.Covers(decimal.MustParse("8")))
	require.Equal(t, []ledger.ContractID{"7", "5", "1", "u"}, choose("20", "gold").Holdings,
		"what the administrator did not sign comes last")
	require.Equal(t, []ledger.ContractID{"f"}, choose("8", "another-gold").Holdings)
	require.Empty(t, choose("8").Holdings)
	inputs = choose("2000", "gold")
	require.False(t, inputs.Covers(decimal.MustParse("2000")))

	holdings = nil
	for n := range tokens.MaxInputs + 5 {
		holdings = append(holdings, gold(t, strconv.Itoa(n), "1", "null", acme))
	}
	require.Len(t, choose("104", "gold").Holdings, tokens.MaxInputs)
}
