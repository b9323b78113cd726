package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const holdingInterface = "#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding"

// stateOf creates a configuration state whose coins count from the round.
func (n network) stateOf(t *testing.T, round int64, dso ledger.Party) lf.CID[coin.ExternalPartyConfigState] {
	t.Helper()
	state := payload(t, n, n.states[0])
	state.HoldingFeesOpenRoundNumber.Number, state.DSO = round, dso
	return create(t, n, state, dso)
}

func (n network) lock(t *testing.T, text string, holders ...ledger.Party) lf.CID[coin.LockedAmulet] {
	t.Helper()
	output := lockedTo(alice, text, coin.TimeLock{
		Holders: holders, ExpiresAt: n.at(time.Hour), OptContext: new("escrow"),
	})
	result, err := n.transfer(pay(coins{n.tap(t, alice, text)}, output), n.roundZero())
	require.NoError(t, err)
	return *result.CreatedAmulets[0].LockedAmulet
}

func TestAmulet_IsAHolding(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	view, err := n.View(t.Context(), n.tap(t, alice, "5").ID(), holdingInterface)
	require.NoError(t, err)
	require.JSONEq(t, `{"owner":"alice::1220a1","instrumentId":{"admin":"DSO::1220d5","id":"Amulet"},
		"amount":"5.0000000000","lock":null,"meta":{"values":{
		"amulet.splice.lfdecentralizedtrust.org/created-in-round":"0",
		"amulet.splice.lfdecentralizedtrust.org/rate-per-round":"0.00380518"}}}`, string(view))

	view, err = n.View(t.Context(), n.lock(t, "5", charlie).ID(), holdingInterface)
	require.NoError(t, err)
	require.Contains(t, string(view), `"lock":{"holders":["charlie::1220c4"],"expiresAt":"2026-03-01T11:00:00Z",`+
		`"expiresAfter":null,"context":"escrow"}`)
}

// TestAmulet_ExpiresAsDust checks the worked numbers of the holding fee: a coin of 1 is dust after 263 rounds, one of
// 1000 after 262800.
//
// contract: dust
func TestAmulet_ExpiresAsDust(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amount     string
		rounds     [2]int64 // of the two configuration states
		code, text string   // empty when the coin is dust
	}{
		"one coin after 263 rounds":            {"1", [2]int64{263, 263}, "", ""},
		"the earlier of the two rounds counts": {"1", [2]int64{262, 900}, assertion, "Amulet is expired"},
		"whichever comes first":                {"1", [2]int64{900, 262}, assertion, "Amulet is expired"},
		"a thousand after 262800 rounds":       {"1000", [2]int64{262_800, 262_801}, "", ""},
		"not one round earlier":                {"1000", [2]int64{262_799, 262_799}, assertion, "Amulet is expired"},
		"the smallest coin after one round":    {"0.0000000001", [2]int64{1, 1}, "", ""},
		"the smallest coin not at once":        {"0.0000000001", [2]int64{0, 0}, assertion, "Amulet is expired"},
		"exactly one rate after one round":     {rate, [2]int64{1, 1}, "", ""},
		"a hundred million after five hundred thousand years": {
			"100000000", [2]int64{26_279_965_732, 1 << 62}, "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			state0, state1 := n.stateOf(t, c.rounds[0], dso), n.stateOf(t, c.rounds[1], dso)
			result, err := ledgertest.Exercise[coin.AmuletExpireV2Result](n.Ledger, ledgertest.As(dso),
				n.tap(t, alice, c.amount),
				coin.AmuletExpireV2{ExternalPartyConfigState0Cid: state0, ExternalPartyConfigState1Cid: state1})
			locked := n.lock(t, c.amount, dso)
			_, lockedErr := ledgertest.Exercise[coin.LockedAmuletExpireAmuletV2Result](n.Ledger, ledgertest.As(dso), locked,
				coin.LockedAmuletExpireAmuletV2{ExternalPartyConfigState0Cid: state0, ExternalPartyConfigState1Cid: state1})
			if c.code != "" {
				requireRefused(t, err, c.code, c.text)
				requireRefused(t, lockedErr, c.code, c.text)
				return
			}
			require.NoError(t, err)
			require.NoError(t, lockedErr)
			require.Equal(t, alice, result.ExpireSum.Owner)
			require.Equal(t, map[string]string{
				"splice.lfdecentralizedtrust.org/tx-kind": "expire-dust",
				"splice.lfdecentralizedtrust.org/burned":  amount(c.amount).Show(),
			}, result.Meta.Values)
			require.Equal(t, "0.0", n.held(t, alice))
		})
	}
}

func TestAmulet_MayNeverExpire(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amount     coin.ExpiringAmount
		code, text string
	}{
		"without a holding fee the question itself fails": {
			coin.ExpiringAmount{InitialAmount: amount("1")}, general, "does not expire",
		},
		"a quotient beyond all amounts": {
			coin.ExpiringAmount{
				InitialAmount: amount("9999999999999999999999999999"),
				RatePerRound:  coin.RatePerRound{Rate: amount("0.0000000001")},
			}, assertion, "Amulet is expired",
		},
		"more rounds than there are numbers": {
			coin.ExpiringAmount{
				InitialAmount: amount("9300000000"), RatePerRound: coin.RatePerRound{Rate: amount("0.0000000001")},
			}, assertion, "Amulet is expired",
		},
		"a last round beyond all numbers": {
			coin.ExpiringAmount{
				InitialAmount: amount("1"), CreatedAt: coin.Round{Number: 1<<63 - 1},
				RatePerRound: coin.RatePerRound{Rate: amount("1")},
			}, assertion, "Amulet is expired",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			last := int64(1<<63 - 1)
			id := create(t, n, coin.Amulet{DSO: dso, Owner: alice, Amount: c.amount}, dso, alice)
			_, err := ledgertest.Exercise[coin.AmuletExpireV2Result](n.Ledger, ledgertest.As(dso), id, coin.AmuletExpireV2{
				ExternalPartyConfigState0Cid: n.stateOf(t, last, dso), ExternalPartyConfigState1Cid: n.stateOf(t, last, dso),
			})
			requireRefused(t, err, c.code, c.text)
		})
	}
}

func TestAmulet_ExpiryNeedsTwoConfigStates(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	dust := n.tap(t, alice, "0.001")
	expire := func(by ledgertest.Parties, first, second lf.CID[coin.ExternalPartyConfigState]) error {
		_, err := ledgertest.Exercise[coin.AmuletExpireV2Result](n.Ledger, by, dust,
			coin.AmuletExpireV2{ExternalPartyConfigState0Cid: first, ExternalPartyConfigState1Cid: second})
		return err
	}
	late, other := n.stateOf(t, 9, dso), n.stateOf(t, 9, stranger)
	requireRefused(t, expire(ledgertest.As(dso), late, late), assertion, "externalPartyConfigState0Cid /=")
	requireRefused(t, expire(ledgertest.As(dso, stranger), late, other), noAuth, "ExternalPartyConfigState")
	requireRefused(t, expire(n.public(alice), late, n.stateOf(t, 9, dso)), noAuth, "Amulet_ExpireV2")
	require.NoError(t, expire(ledgertest.As(dso), late, n.stateOf(t, 9, dso)))
}

func TestLockedAmulet_UnlockNeedsOwnerAndHolders(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	locked := n.lock(t, "5", bob, charlie)
	inner := payload(t, n, locked).Amulet
	for _, actAs := range [][]ledger.Party{{alice}, {alice, bob}, {bob, charlie}, {dso}} {
		_, err := ledgertest.Exercise[coin.LockedAmuletUnlockV2Result](n.Ledger, ledgertest.As(actAs...), locked,
			coin.LockedAmuletUnlockV2{})
		requireRefused(t, err, noAuth, "LockedAmulet_UnlockV2")
	}
	result, err := ledgertest.Exercise[coin.LockedAmuletUnlockV2Result](
		n.Ledger, ledgertest.As(alice, bob, charlie), locked, coin.LockedAmuletUnlockV2{})
	require.NoError(t, err)
	require.Equal(t, inner, payload(t, n, result.AmuletCid))
	require.Equal(t, map[string]string{
		"splice.lfdecentralizedtrust.org/tx-kind": "unlock",
		"splice.lfdecentralizedtrust.org/reason":  "holders released lock",
	}, result.Meta.Values)
}

func TestLockedAmulet_OwnerRemovesAnExpiredLock(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	locked := n.lock(t, "5", bob)
	expire := func(by ledger.Party) (coin.LockedAmuletOwnerExpireLockV2Result, error) {
		return ledgertest.Exercise[coin.LockedAmuletOwnerExpireLockV2Result](n.Ledger, ledgertest.As(by), locked,
			coin.LockedAmuletOwnerExpireLockV2{})
	}
	n.Now = ledgertest.Start.Add(time.Hour - time.Microsecond)
	_, err := expire(alice)
	requireRefused(t, err, tooEarly, "Lock.expiresAt")
	n.Now = ledgertest.Start.Add(time.Hour)
	_, err = expire(bob)
	requireRefused(t, err, noAuth, "alice")
	result, err := expire(alice)
	require.NoError(t, err)
	require.Equal(t, "lock expired", result.Meta.Values["splice.lfdecentralizedtrust.org/reason"])
	require.Equal(t, "5.0", payload(t, n, result.AmuletCid).Amount.InitialAmount.Show())
}

func TestLockedAmulet_CannotBeSpent(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	locked := n.lock(t, "5", bob)
	_, err := n.transfer(pay(coins{lf.Coerce[coin.Amulet](locked)}, to(bob, "1")), n.roundZero())
	requireRefused(t, err, "WRONGLY_TYPED_CONTRACT", "LockedAmulet")
}

func TestAmulet_ChoicesOfTheFirstVersionFail(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	amulet, locked := n.tap(t, alice, "1"), n.lock(t, "1", bob)
	open := n.rounds[0]
	_, err := ledgertest.Exercise[coin.AmuletExpireResult](n.Ledger, ledgertest.As(dso), amulet,
		coin.AmuletExpire{RoundCid: open})
	requireRefused(t, err, general, "Choice Amulet_Expire is no longer supported since splice-amulet-0.1.17")
	_, err = ledgertest.Exercise[coin.LockedAmuletUnlockResult](n.Ledger, ledgertest.As(alice, bob), locked,
		coin.LockedAmuletUnlock{OpenRoundCid: open})
	requireRefused(t, err, general, "LockedAmulet_Unlock is no longer supported")
	_, err = ledgertest.Exercise[coin.LockedAmuletOwnerExpireLockResult](n.Ledger, ledgertest.As(alice), locked,
		coin.LockedAmuletOwnerExpireLock{OpenRoundCid: open})
	requireRefused(t, err, general, "LockedAmulet_OwnerExpireLock is no longer supported")
	_, err = ledgertest.Exercise[coin.LockedAmuletExpireAmuletResult](n.Ledger, ledgertest.As(dso), locked,
		coin.LockedAmuletExpireAmulet{RoundCid: open})
	requireRefused(t, err, general, "LockedAmulet_ExpireAmulet is no longer supported")
}

func TestAmulet_ArchiveNeedsOwnerAndDSO(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	amulet := n.tap(t, alice, "1")
	for _, actAs := range []ledger.Party{alice, dso} {
		_, err := ledgertest.Exercise[lf.Unit](n.Ledger, ledgertest.As(actAs), amulet, lf.Archive{})
		requireRefused(t, err, noAuth, "Archive")
	}
	_, err := ledgertest.Exercise[lf.Unit](n.Ledger, ledgertest.As(alice, dso), amulet, lf.Archive{})
	require.NoError(t, err)
}

func TestAmulet_CreateNeedsTheDSO(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	forged := coin.Amulet{DSO: dso, Owner: alice, Amount: coin.ExpiringAmount{InitialAmount: amount("1000000")}}
	_, err := ledgertest.Create(n.Ledger, ledgertest.As(alice), forged)
	requireRefused(t, err, noAuth, "DSO::1220d5")
}
