package automation

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// KindSweep is the automation that sweeps wallets.
const KindSweep = "wallet-sweep"

const (
	// sweepAgain is when a wallet in trouble is looked at again, and the price if no round is known to open before.
	sweepAgain = 10 * time.Minute
	// manyOffers is how many offers of a wallet are looked at.
	manyOffers = 1000
)

// NewSweeps sends what wallets have above a maximum to a receiver (upstream: wallet sweeps). A wallet is looked at when
// it gets coin, when a round opens at whose price it has too much, and when an offer of its own ends.
func NewSweeps(packages *ledger.Packages) (Automation, error) {
	opened, err := ofWallet(packages)
	if err != nil {
		return Automation{}, err
	}
	received, err := Following(packages, func(held plan.Contract[coin.Amulet], _ time.Time) []Due {
		owner := held.Payload.Owner
		return []Due{{Subject: string(owner), Wallet: owner, IfSet: true}}
	})
	return Automation{
		Kind: KindSweep, Summary: "Sends or offers what wallets have above a maximum to a receiver.",
		Every: PollingInterval, Standing: []string{network}, Follow: []Follow{opened, received},
		Plan: func(s Situation) (Step, error) {
			if s.Subject == network {
				return planPrices(s)
			}
			return planSweep(s)
		},
	}, err
}

// planPrices wakes the wallets that have too much at the price of the newest round, each time that one opens.
func planPrices(s Situation) (Step, error) {
	round, open, err := plan.OpenRound(s.View)
	if err != nil || !open {
		return Step{Until: s.Now.Add(PollingInterval), WaitsFor: "an open round of the coin"}, err
	}
	next, err := nextOpening(s.View)
	return Step{Until: next, WaitsFor: "the price of the next round", Price: &round.Payload.AmuletPrice}, err
}

func planSweep(s Situation) (Step, error) {
	sender := ledger.Party(s.Subject)
	config, ok, err := s.Settings.Sweep(sender)
	if err != nil || !ok {
		return Step{}, err // a change of the setting makes it due again
	}
	wallet, ok, err := plan.WalletOf(s.View, sender)
	if err != nil || !ok {
		return Step{}, err // and so does a wallet
	}
	if low, err := s.lowTraffic(); err != nil || low != "" {
		return Step{Until: s.Now.Add(PollingInterval), WaitsFor: low}, err
	}
	round, open, err := plan.OpenRound(s.View)
	if err != nil || !open {
		return Step{Until: s.Now.Add(PollingInterval), WaitsFor: "an open round of the coin"}, err
	}
	var step Step
	state := SweepState{Sender: sender, Price: round.Payload.AmuletPrice, Now: s.Now}
	if err := s.readSweep(&state, config, &step); err != nil {
		return Step{}, err
	}
	action, due, err := state.Sweep(config)
	if err != nil {
		return s.trouble(sweepAgain, err.Error()) // so that the operator is told
	}
	if !due {
		if price, ok := state.WakeAbove(config); ok {
			step.WakeAbove = &price
			step.WaitsFor = cmp.Or(step.WaitsFor, "more coin than the maximum, or a price above "+price.Show())
		}
		return step, nil
	}
	step.Action, err = s.throughWallet(wallet, action)
	return step, err
}

// readSweep reads what a sweep depends on. The step ends when an offer does.
func (s Situation) readSweep(state *SweepState, config SweepConfig, step *Step) (err error) {
	if state.Balance, err = unlocked(s.View, state.Sender); err != nil {
		return err
	}
	latest, err := s.Settings.LastUpdate(state.Sender)
	if err != nil {
		return err
	}
	state.Latest = strconv.FormatInt(int64(latest), 10)
	if config.UsePreapproval {
		state.Preapproval, state.FeaturedAppRight, err = preapprovalOf(s.View, config.Receiver)
		return err
	}
	count := func(receiver ledger.Party, amount payments.PaymentAmount, expires time.Time, from ledger.Party) {
		if from != state.Sender || receiver != config.Receiver {
			return
		}
		state.Offered = append(state.Offered, amount)
		if ends := expires.Add(ClockSkew); ends.After(s.Now) && (step.Until.IsZero() || ends.Before(step.Until)) {
			step.Until, step.WaitsFor = ends, "the receiver to accept an offer, or its expiry"
		}
	}
	offers, err := plan.Active[walletapp.TransferOffer](s.View, state.Sender, manyOffers)
	for _, o := range offers {
		count(o.Payload.Receiver, o.Payload.Amount, o.Payload.ExpiresAt.Time(), o.Payload.Sender)
	}
	if err != nil {
		return err
	}
	accepted, err := plan.Active[walletapp.AcceptedTransferOffer](s.View, state.Sender, manyOffers)
	for _, o := range accepted {
		count(o.Payload.Receiver, o.Payload.Amount, o.Payload.ExpiresAt.Time(), o.Payload.Sender)
	}
	return err
}

// preapprovalOf finds a preapproval of a receiver that is valid, and its provider's right as a featured app.
func preapprovalOf(v plan.View, receiver ledger.Party) (
	preapproval *lf.CID[coin.TransferPreapproval], right *lf.CID[coin.FeaturedAppRight], err error,
) {
	const most = 100
	found, err := plan.Active[coin.TransferPreapproval](v, receiver, most)
	i := slices.IndexFunc(found, func(c plan.Contract[coin.TransferPreapproval]) bool {
		return c.Payload.Receiver == receiver && v.Now.Before(c.Payload.ExpiresAt.Time())
	})
	if err != nil || i < 0 {
		return nil, nil, err
	}
	provider := found[i].Payload.Provider
	rights, err := plan.Active[coin.FeaturedAppRight](v, provider, most)
	for _, r := range rights {
		if r.Payload.Provider == provider {
			right = new(lf.CID[coin.FeaturedAppRight](r.ID))
			break
		}
	}
	return new(lf.CID[coin.TransferPreapproval](found[i].ID)), right, err
}

// nextOpening is when the next round opens, whose price may be another.
func nextOpening(v plan.View) (time.Time, error) {
	rounds, err := OpenRounds(v)
	next := v.Now.Add(sweepAgain)
	for _, round := range rounds {
		if opens := round.Payload.OpensAt.Time(); opens.After(v.Now) && opens.Before(next) {
			next = opens
		}
	}
	return next, err
}
