package automation

import (
	"cmp"
	"strconv"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// KindSweep is the automation that sweeps wallets.
const KindSweep = "wallet-sweep"

// sweepAgain is the wait for a new price if no next round is known.
const sweepAgain = 10 * time.Minute

// NewSweeps sends the coin of wallets above a maximum to a receiver (upstream: wallet sweeps). It looks at a wallet
// that receives coin, that exceeds the maximum at the price of a new round, or whose offer ends.
func NewSweeps(packages *ledger.Packages) (Automation, error) {
	opened, err := ofWallet(packages)
	if err != nil {
		return Automation{}, err
	}
	received, err := Following(packages, func(held plan.Contract[coin.Amulet], _ time.Time) []Due {
		owner := held.Payload.Owner
		return []Due{{Subject: string(owner), Wallet: owner, IfSet: true}, {Payer: owner}}
	})
	if err != nil {
		return Automation{}, err
	}
	offers, err := Following(packages, func(offer plan.Contract[walletapp.TransferOffer], _ time.Time) []Due {
		return []Due{{Subject: string(offer.Payload.Sender), Wallet: offer.Payload.Sender, IfSet: true}}
	})
	if err != nil {
		return Automation{}, err
	}
	accepts, err := Following(packages, func(offer plan.Contract[walletapp.AcceptedTransferOffer], _ time.Time) []Due {
		return []Due{{Subject: string(offer.Payload.Sender), Wallet: offer.Payload.Sender, IfSet: true}}
	})
	return Automation{
		Kind: KindSweep, Summary: "Sends or offers what wallets have above a maximum to a receiver.",
		Standing: []string{network}, Follow: []Follow{opened, received},
		Ends: []Follow{offers, accepts},
		Plan: func(s Situation) (plan.Step, error) {
			if s.Subject == network {
				return planPrices(s)
			}
			return planSweep(s)
		},
	}, err
}

// planPrices wakes the wallets that exceed their maximum at the price of the newest round.
func planPrices(s Situation) (plan.Step, error) {
	round, open, err := plan.OpenRound(s.View)
	if err != nil || !open {
		return plan.Step{Until: s.Now.Add(PollingInterval), WaitsFor: "an open round of the coin"}, err
	}
	next, err := nextOpening(s.View)
	return plan.Step{Until: next, WaitsFor: "the price of the next round", Price: &round.Payload.AmuletPrice}, err
}

func planSweep(s Situation) (plan.Step, error) {
	sender := ledger.Party(s.Subject)
	config, ok, err := s.Settings.Sweep(sender)
	if err != nil || !ok {
		return plan.Step{}, err // a change of the setting makes it due again
	}
	wallet, ok, err := plan.WalletOf(s.View, sender)
	if err != nil {
		return plan.Step{}, err
	}
	if !ok { // troubles are retried
		return s.trouble("sweep of " + string(sender) +
			": the party has no wallet on this node; open one, or remove the setting")
	}
	if ring, err := SweepRing(sender, config.Receiver, s.Settings.Sweep); err != nil {
		return plan.Step{}, err
	} else if ring != "" {
		return s.trouble("sweep of " + string(sender) + ": " + ring)
	}
	if low, err := s.lowTraffic(); err != nil || low != "" {
		return plan.Step{Until: s.Now.Add(PollingInterval), WaitsFor: low}, err
	}
	round, open, err := plan.OpenRound(s.View)
	if err != nil || !open {
		return plan.Step{Until: s.Now.Add(PollingInterval), WaitsFor: "an open round of the coin"}, err
	}
	var step plan.Step
	state := SweepState{Sender: sender, Price: round.Payload.AmuletPrice, Now: s.Now}
	if err := s.readSweep(&state, config, &step); err != nil {
		return plan.Step{}, err
	}
	intent, due, err := state.Sweep(config)
	if err != nil {
		return s.trouble(err.Error()) // shows it to the operator
	}
	if !due {
		if price, ok := state.WakeAbove(config); ok {
			step.WakeAbove = &price
			step.WaitsFor = cmp.Or(step.WaitsFor, "more coin than the maximum, or a price above "+price.Show())
		}
		return step, nil
	}
	step.Spends = sender
	step.Action, err = s.throughWallet(wallet, intent)
	return step, err
}

// readSweep reads the input of a sweep. The step ends when an offer does.
func (s Situation) readSweep(state *SweepState, config SweepConfig, step *plan.Step) (err error) {
	latest, err := s.Settings.LastUpdate(state.Sender)
	if err != nil {
		return err
	}
	state.Latest = strconv.FormatInt(int64(latest), 10)
	if config.UsePreapproval { // the next sweep takes the rest
		if state.Balance, err = plan.Spendable(s.View, state.Sender); err != nil {
			return err
		}
		state.Preapproval, state.FeaturedAppRight, err = plan.Preapproval(s.View, config.Receiver)
		return err
	}
	if state.Balance, err = plan.UnlockedBalance(s.View, state.Sender); err != nil {
		return err
	}
	count := func(amount payments.PaymentAmount, expires time.Time) {
		if amount.Amount.Sign() <= 0 {
			return
		}
		state.Offered = append(state.Offered, amount)
		ends := expires.Add(plan.ExpiryPatience)
		if ends.After(s.Now) && (step.Until.IsZero() || ends.Before(step.Until)) {
			step.Until, step.WaitsFor = ends, "the receiver to accept an offer, or its expiry"
		}
	}
	err = plan.EachOffer(s.View, state.Sender, config.Receiver, func(o plan.Contract[walletapp.TransferOffer]) bool {
		count(o.Payload.Amount, o.Payload.ExpiresAt.Time())
		return true
	})
	if err != nil {
		return err
	}
	return plan.EachOffer(s.View, state.Sender, config.Receiver,
		func(o plan.Contract[walletapp.AcceptedTransferOffer]) bool {
			count(o.Payload.Amount, o.Payload.ExpiresAt.Time())
			return true
		})
}

// nextOpening returns the time at which the next round opens, with a possible new price.
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
