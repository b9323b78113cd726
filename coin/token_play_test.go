package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// play is a network and a simple model of it, which must agree on every balance after every step.
type play struct {
	t  *testing.T
	rt *rapid.T
	n  network
	// free and locked are the balances of the model.
	free, locked map[ledger.Party]decimal.Decimal
	offers       []openOffer
}

type openOffer struct {
	id               ledger.ContractID
	coin             lf.CID[coin.LockedAmulet]
	sender, receiver ledger.Party
	amount           decimal.Decimal
	until            time.Time
	// unlocked reports whether the sender removed the expired lock.
	unlocked bool
}

func (p *play) party(name string) ledger.Party {
	return rapid.SampledFrom([]ledger.Party{alice, bob, charlie}).Draw(p.rt, name)
}

func (p *play) amount() decimal.Decimal {
	const maxUnits, perCoin = 1_000_000_000_000, 10_000_000_000 // a hundred coins, in the smallest units
	units := rapid.Int64Range(1, maxUnits).Draw(p.rt, "units")
	return must(p.rt)(decimal.FromInt(units).Div(decimal.FromInt(perCoin)))
}

// credit adds to a balance of the model.
func (p *play) credit(balances map[ledger.Party]decimal.Decimal, owner ledger.Party, amount decimal.Decimal) {
	balances[owner] = must(p.rt)(balances[owner].Add(amount))
}

func (p *play) check(rt *rapid.T) {
	p.rt = rt
	for _, party := range []ledger.Party{alice, bob, charlie} {
		require.Equal(rt, p.free[party].Show(), p.n.free(p.t, party), "free coin of %s", party)
		require.Equal(rt, p.locked[party].Show(), p.n.lockedBy(p.t, party), "locked coin of %s", party)
	}
	require.True(rt, p.n.supply(rt).Balanced())
	require.Len(rt, all[coin.AmuletTransferInstruction](p.t, p.n), len(p.offers))
}

func (p *play) tap(rt *rapid.T) {
	p.rt = rt
	owner, amount := p.party("owner"), p.amount()
	p.n.tap(p.t, owner, amount.String())
	p.credit(p.free, owner, amount)
}

func (p *play) passTime(rt *rapid.T) {
	hours := rapid.IntRange(1, 30).Draw(rt, "hours")
	p.n.Now = p.n.Now.Add(time.Duration(hours) * time.Hour)
}

// transfer makes a party spend all its coin that is not locked: on an offer, through a preapproval or on itself.
func (p *play) transfer(rt *rapid.T) {
	p.rt = rt
	sender, receiver, amount := p.party("sender"), p.party("receiver"), p.amount()
	order := p.n.order(receiver, amount.String())
	order.Transfer.Sender = sender
	order.Transfer.RequestedAt = lf.TimestampOf(p.n.Now)
	order.Transfer.ExecuteBefore = lf.TimestampOf(p.n.Now.Add(24 * time.Hour))
	for id, amulet := range all[coin.Amulet](p.t, p.n) {
		if amulet.Owner == sender {
			order.Transfer.InputHoldingCids = append(order.Transfer.InputHoldingCids, lf.Coerce[token.Holding](id))
		}
	}
	by := p.n.public(sender)
	direct := rapid.Bool().Draw(rt, "preapproved")
	if direct {
		preapproval := create(p.t, p.n, coin.TransferPreapproval{
			DSO: dso, Receiver: receiver, Provider: provider, ValidFrom: 0, ExpiresAt: lf.MaxTimestamp(),
		}, dso, receiver, provider)
		order.ExtraArgs = p.n.standard(coin.ContextPreapproval, preapproval.ID())
		by = by.Disclose(p.n.Active[preapproval.ID()])
	}
	result, err := through[transferResult](p.t, p.n, by, transferFactory, p.n.factory(p.t), order)
	if p.free[sender].Cmp(amount) < 0 {
		require.Error(rt, err)
		return
	}
	require.NoError(rt, err)
	p.credit(p.free, sender, amount.Neg())
	if direct || sender == receiver {
		require.NotNil(rt, result.Output.Completed)
		p.credit(p.free, receiver, amount)
		return
	}
	p.credit(p.locked, sender, amount)
	id := lf.Coerce[coin.AmuletTransferInstruction](result.Output.Pending.TransferInstructionCid)
	p.offers = append(p.offers, openOffer{
		id: id.ID(), coin: payload(p.t, p.n, id).LockedAmulet, sender: sender, receiver: receiver, amount: amount,
		until: p.n.Now.Add(24 * time.Hour),
	})
}

// drawOffer draws a pending offer, or skips the step.
func (p *play) drawOffer(rt *rapid.T) int {
	p.rt = rt
	if len(p.offers) == 0 {
		rt.Skip("nothing is offered")
	}
	return rapid.IntRange(0, len(p.offers)-1).Draw(rt, "offer")
}

func (p *play) takeLockOff(rt *rapid.T) {
	i := p.drawOffer(rt)
	offer := &p.offers[i]
	_, err := through[coin.LockedAmuletOwnerExpireLockV2Result](p.t, p.n, p.n.public(offer.sender),
		"#splice-amulet:Splice.Amulet:LockedAmulet", offer.coin.ID(), coin.LockedAmuletOwnerExpireLockV2{})
	if offer.unlocked || p.n.Now.Before(offer.until) {
		require.Error(rt, err)
		return
	}
	require.NoError(rt, err)
	offer.unlocked = true
	p.credit(p.locked, offer.sender, offer.amount.Neg())
	p.credit(p.free, offer.sender, offer.amount)
}

// answer lets any party try to end an offer in any way. The model knows whether it is allowed.
func (p *play) answer(rt *rapid.T) {
	i := p.drawOffer(rt)
	offer := p.offers[i]
	actor := rapid.SampledFrom([]ledger.Party{offer.sender, offer.receiver, dso, stranger}).Draw(rt, "actor")
	choice := rapid.SampledFrom([]string{"accept", "reject", "withdraw", "expire"}).Draw(rt, "choice")
	release := rapid.Bool().Draw(rt, "expire-lock")
	ended := !p.n.Now.Before(offer.until)
	frees := release && !offer.unlocked || !release && ended // whether reject, withdraw and expire go through
	may, do := false, act(nil)
	switch choice {
	case "accept":
		may, do = actor == offer.receiver && !ended, accept
	case "reject":
		may, do = actor == offer.receiver && frees, reject
	case "withdraw":
		may, do = actor == offer.sender && frees, withdraw
	case "expire":
		may, do = actor == dso && ended && frees, expire
	}
	by := p.n.withLocked(offer.coin, actor).Disclose(p.n.Active[offer.id])
	_, err := do(p.t, p.n, by, offer.id, p.n.standard(coin.ContextExpireLock, release))
	if !may {
		require.Error(rt, err, "%s by %s", choice, actor)
		return
	}
	require.NoError(rt, err, "%s by %s", choice, actor)
	p.offers = append(p.offers[:i:i], p.offers[i+1:]...)
	switch {
	case choice == "accept":
		p.credit(p.locked, offer.sender, offer.amount.Neg())
		p.credit(p.free, offer.receiver, offer.amount)
	case release:
		p.credit(p.locked, offer.sender, offer.amount.Neg())
		p.credit(p.free, offer.sender, offer.amount)
	}
}

// TestTokenStandard_AgreesWithAModelUnderRandomPlay lets any party try any step at any time, allowed or not, and
// compares every balance with a model after each step.
func TestTokenStandard_AgreesWithAModelUnderRandomPlay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := &play{
			t: t, rt: rt, n: startNetwork(t),
			free: map[ledger.Party]decimal.Decimal{}, locked: map[ledger.Party]decimal.Decimal{},
		}
		rt.Repeat(map[string]func(*rapid.T){
			"tap": p.tap, "transfer": p.transfer, "answer": p.answer, "take lock off": p.takeLockOff,
			"pass time": p.passTime, "": p.check,
		})
	})
}
