package coin_test

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
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

// TestPlay_SupplyAlwaysBalances plays thousands of random sequences of all operations with coin. After each move the
// supply, counted from the events, must balance, and each party must hold exactly the coins of a simple model.
func TestPlay_SupplyAlwaysBalances(t *testing.T) {
	t.Parallel()
	const batches = 20 // of a hundred sequences each
	for batch := range batches {
		t.Run("batch "+strconv.Itoa(batch), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				p := startGame(t, rt)
				rt.Repeat(map[string]func(*rapid.T){
					"":                   p.check,
					"tap":                p.tapSome,
					"transfer":           p.moveSome,
					"unlock":             p.unlockSome,
					"archive":            p.archiveSome,
					"expire dust":        p.expireSome,
					"preapprove":         p.preapproveSome,
					"set a party up":     p.setUpSome,
					"send":               p.sendSome,
					"renew":              p.renewSome,
					"end a preapproval":  p.endSome,
					"buy traffic":        p.buySome,
					"mint rewards":       p.mintSome,
					"report liveness":    p.reportSome,
					"run the rounds":     p.runRounds,
					"let some time pass": p.wait,
				})
			})
		})
	}
}

// game is a network with its model.
type game struct {
	network

	t  *testing.T
	rt *rapid.T

	free   map[lf.CID[coin.Amulet]]modelCoin
	locked map[lf.CID[coin.LockedAmulet]]modelCoin
	// minted and burned are the model's totals; counter has processed the first `counted` transactions.
	minted, burned decimal.Decimal
	counter        *coin.SupplyCounter
	counted        int

	preapprovals map[lf.CID[coin.TransferPreapproval]]coin.TransferPreapproval
	licenses     map[ledger.Party]lf.CID[coin.ValidatorLicense]
	rights       map[ledger.Party]lf.CID[coin.ValidatorRight]
	featured     lf.CID[coin.FeaturedAppRight]
	// oldest is the number of the oldest of the three open rounds; known caches open rounds.
	oldest int64
	known  map[lf.CID[coin.OpenMiningRound]]coin.OpenMiningRound
}

// modelCoin is a coin of the model. The holder of a lock is the DSO.
type modelCoin struct {
	owner     ledger.Party
	amount    decimal.Decimal
	made      int64
	rate      decimal.Decimal
	unlocksAt lf.Timestamp
}

var players = []ledger.Party{alice, bob, provider}

func startGame(t *testing.T, rt *rapid.T) *game {
	t.Helper()
	p := &game{
		network: startNetwork(t), t: t, rt: rt, counter: coin.NewSupplyCounter(),
		free: map[lf.CID[coin.Amulet]]modelCoin{}, locked: map[lf.CID[coin.LockedAmulet]]modelCoin{},
		preapprovals: map[lf.CID[coin.TransferPreapproval]]coin.TransferPreapproval{},
		licenses:     map[ledger.Party]lf.CID[coin.ValidatorLicense]{},
		rights:       map[ledger.Party]lf.CID[coin.ValidatorRight]{},
		known:        map[lf.CID[coin.OpenMiningRound]]coin.OpenMiningRound{},
	}
	p.featured = create(t, p.network, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
	for _, party := range players {
		p.licenses[party] = create(t, p.network, coin.ValidatorLicense{Validator: party, Sponsor: party, DSO: dso}, dso)
		p.rights[party] = create(t, p.network, coin.ValidatorRight{DSO: dso, User: party, Validator: party}, party)
	}
	return p
}

func (p *game) check(rt *rapid.T) {
	for ; p.counted < len(p.Transactions); p.counted++ {
		require.NoError(rt, p.counter.Add(p.Transactions[p.counted].Events()))
	}
	supply := p.counter.Supply()
	require.True(rt, supply.Balanced(), "minted %s, burned %s, held %s", supply.Minted, supply.Burned, supply.Held)
	require.Equal(rt, p.minted.Show(), supply.Minted.Show(), "minted")
	require.Equal(rt, p.burned.Show(), supply.Burned.Show(), "burned")

	require.Equal(rt, p.balances(rt, all[coin.Amulet](p.t, p.network)), p.modelBalances(rt, maps.Values(p.free)), "free")
	held := all[coin.LockedAmulet](p.t, p.network)
	inner := make(map[lf.CID[coin.Amulet]]coin.Amulet, len(held))
	for id, l := range held {
		inner[lf.CID[coin.Amulet](id)] = l.Amulet
	}
	require.Equal(rt, p.balances(rt, inner), p.modelBalances(rt, maps.Values(p.locked)), "locked")
}

// balances adds up each player's coins on the ledger.
func (p *game) balances(rt *rapid.T, held map[lf.CID[coin.Amulet]]coin.Amulet) map[ledger.Party]string {
	totals := map[ledger.Party]decimal.Decimal{}
	for _, amulet := range held {
		totals[amulet.Owner] = must(rt)(totals[amulet.Owner].Add(amulet.Amount.InitialAmount))
	}
	return texts(totals)
}

func (p *game) modelBalances(rt *rapid.T, coins func(func(modelCoin) bool)) map[ledger.Party]string {
	totals := map[ledger.Party]decimal.Decimal{}
	for c := range coins {
		totals[c.owner] = must(rt)(totals[c.owner].Add(c.amount))
	}
	return texts(totals)
}

func texts(totals map[ledger.Party]decimal.Decimal) map[ledger.Party]string {
	out := map[ledger.Party]string{}
	for party, total := range totals {
		out[party] = total.Show()
	}
	return out
}

// wait lets a minute pass, or months.
func (p *game) wait(rt *rapid.T) {
	step := rapid.SampledFrom([]time.Duration{time.Minute, tick, time.Hour, day, 30 * day, 100 * day}).Draw(rt, "step")
	p.Now = p.Now.Add(step)
}

func (p *game) now() lf.Timestamp { return lf.TimestampOf(p.Now) }

// open is the open round of a number. Contracts do not change, so it reads each once.
func (p *game) open(number int64) coin.OpenMiningRound {
	id := p.rounds[number]
	if _, ok := p.known[id]; !ok {
		p.known[id] = payload(p.t, p.network, id)
	}
	return p.known[id]
}

// round is the newest round that is open, as wallets choose it.
func (p *game) round() (lf.CID[coin.OpenMiningRound], coin.OpenMiningRound) {
	number := p.oldest + 2
	for number > p.oldest && p.open(number).OpensAt > p.now() {
		number--
	}
	return p.rounds[number], p.open(number)
}

// context is that of a transfer against the newest open round.
func (p *game) context() (coin.TransferContext, coin.OpenMiningRound) {
	id, round := p.round()
	return coin.TransferContext{OpenMiningRound: id}, round
}

// add adds a new coin to the model, and checks it on the ledger.
func (p *game) add(rt *rapid.T, id lf.CID[coin.Amulet], owner ledger.Party, sum decimal.Decimal, round int64,
	price decimal.Decimal,
) {
	usd := amount("0.0000190259")
	rate := must(rt)(must(rt)(amount("1").Div(price)).Mul(usd))
	p.free[id] = modelCoin{owner: owner, amount: sum, made: round, rate: rate}
	require.Equal(rt, coin.Amulet{DSO: dso, Owner: owner, Amount: coin.ExpiringAmount{
		InitialAmount: sum, CreatedAt: coin.Round{Number: round}, RatePerRound: coin.RatePerRound{Rate: rate},
	}}, payload(p.t, p.network, id))
}

// someOf draws some of a party's free coins, in sorted order, so that a failure can be repeated.
func (p *game) someOf(rt *rapid.T, owner ledger.Party) (coins, decimal.Decimal) {
	var chosen coins
	var total decimal.Decimal
	for _, id := range slices.SortedFunc(maps.Keys(p.free), cmp.Compare) {
		if p.free[id].owner == owner && rapid.Bool().Draw(rt, "use") {
			chosen = append(chosen, id)
			total = must(rt)(total.Add(p.free[id].amount))
		}
	}
	return chosen, total
}

func (p *game) spend(ids coins) {
	for _, id := range ids {
		delete(p.free, id)
	}
}

// change checks the change of a payment: a coin of the payer, or none for zero.
func (p *game) change(rt *rapid.T, payer ledger.Party, left decimal.Decimal, id *lf.CID[coin.Amulet],
	round coin.OpenMiningRound,
) {
	if left.Sign() == 0 {
		require.Nil(rt, id)
		return
	}
	p.add(rt, *id, payer, left, round.Round.Number, round.AmuletPrice)
}

// anySum draws an amount: dust, some, or much.
func anySum(rt *rapid.T, label string) decimal.Decimal {
	units := rapid.OneOf(rapid.Int64Range(1, 100_000_000), rapid.Int64Range(1, 1_000_000_000_000),
		rapid.Int64Range(1, 90_000_000_000_000)).Draw(rt, label)
	return must(rt)(decimal.FromInt(units).Div(decimal.FromInt(10_000_000_000)))
}

func anyPlayer(rt *rapid.T, label string) ledger.Party {
	return rapid.SampledFrom(players).Draw(rt, label)
}

// one draws one of the keys of a map, or skips the move if there is none.
func one[K cmp.Ordered, V any](rt *rapid.T, from map[K]V, label string) K {
	if len(from) == 0 {
		rt.Skip("nothing to choose from")
	}
	return rapid.SampledFrom(slices.SortedFunc(maps.Keys(from), cmp.Compare)).Draw(rt, label)
}

// refused reports whether a total is too small, and checks that the ledger agrees.
func (p *game) refused(rt *rapid.T, err error, total, needed decimal.Decimal) bool {
	if total.Cmp(needed) >= 0 {
		require.NoError(rt, err)
		return false
	}
	requireNoFunds(rt, err)
	return true
}

func (p *game) submitAs(parties ...ledger.Party) ledgertest.Parties { return p.public(parties...) }
