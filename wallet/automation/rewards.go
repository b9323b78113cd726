package automation

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// KindRewards is the automation that collects rewards and merges coin.
const KindRewards = "rewards"

const (
	// rewardsPolling is the interval at which wallets merge received coin.
	rewardsPolling = 5 * time.Minute
	// roundsPatience is the wait for a round that should already issue.
	roundsPatience = 10 * time.Second
	// maxCoupons limits the coupons of a kind that a wallet looks at: first the earliest rounds, then the largest amounts.
	// The wallet mints these first.
	maxCoupons = 5 * plan.MaxPerAction
	// burnsPrefix plus a user is the subject for the rewards that the user's validator earns by the user's purchases. No
	// party id has a slash, so it never equals the subject of a wallet.
	burnsPrefix = "burns/"
)

// Rewards mints the rewards of wallets as soon as their rounds issue, and merges coins.
func Rewards(packages *ledger.Packages) (Automation, error) {
	a := Automation{
		Kind: KindRewards, Summary: "Collects the rewards of wallets and merges their coin.",
		Plan: planRewards,
	}
	owned, err := followOwned(packages)
	burns, failed := Following(packages, func(c plan.Contract[coin.ValidatorRewardCoupon], now time.Time) []Due {
		return []Due{{Subject: burnsPrefix + string(c.Payload.User), At: now, Deadline: true}}
	})
	a.Follow = append(owned, burns)
	return a, cmp.Or(err, failed)
}

// followOwned follows the contracts that their owner can merge and mint: coin, and all coupons but those that
// validators earn by purchases of their users.
func followOwned(packages *ledger.Packages) (follows []Follow, err error) {
	follow := func(f Follow, failed error) {
		follows, err = append(follows, f), cmp.Or(err, failed)
	}
	follow(Following(packages, func(c plan.Contract[coin.Amulet], now time.Time) []Due {
		at := now.Truncate(rewardsPolling).Add(rewardsPolling)
		return []Due{{Subject: string(c.Payload.Owner), At: at, Wallet: c.Payload.Owner}}
	}))
	follow(Following(packages, func(c plan.Contract[coin.AppRewardCoupon], now time.Time) []Due {
		return dueForCoupon(earner(c.Payload.Beneficiary, c.Payload.Provider), now)
	}))
	follow(Following(packages, func(c plan.Contract[coin.SvRewardCoupon], now time.Time) []Due {
		return dueForCoupon(c.Payload.Beneficiary, now)
	}))
	follow(Following(packages, func(c plan.Contract[coin.ValidatorFaucetCoupon], now time.Time) []Due {
		return dueEachRound(c.Payload.Validator, now)
	}))
	follow(Following(packages, func(c plan.Contract[coin.ValidatorLivenessActivityRecord], now time.Time) []Due {
		return dueEachRound(c.Payload.Validator, now)
	}))
	follow(Following(packages, func(c plan.Contract[coin.RewardCouponV2], now time.Time) []Due {
		return dueForCoupon(earner(c.Payload.Beneficiary, c.Payload.Provider), now)
	}))
	follow(Following(packages, func(c plan.Contract[coin.UnclaimedActivityRecord], now time.Time) []Due {
		return dueForCoupon(c.Payload.Beneficiary, now)
	}))
	follow(Following(packages, func(c plan.Contract[coin.DevelopmentFundCoupon], now time.Time) []Due {
		return dueForCoupon(c.Payload.Beneficiary, now)
	}))
	return follows, err
}

// dueForCoupon makes the owner of a new coupon due.
func dueForCoupon(owner ledger.Party, now time.Time) []Due {
	return []Due{{Subject: string(owner), At: now, Deadline: true, Wallet: owner}}
}

// dueEachRound is [dueForCoupon] without a deadline: a simulated clock does not stop for coupons of every round.
func dueEachRound(owner ledger.Party, now time.Time) []Due {
	return []Due{{Subject: string(owner), At: now, Wallet: owner}}
}

func earner(beneficiary *ledger.Party, provider ledger.Party) ledger.Party {
	if beneficiary != nil {
		return *beneficiary
	}
	return provider
}

func planRewards(s Situation) (plan.Step, error) {
	n, ok, err := readNetwork(s.View)
	if err != nil || !ok {
		return plan.Step{Until: s.Now.Add(aMinute), WaitsFor: "the contracts of the coin"}, err
	}
	if user, isBurns := strings.CutPrefix(s.Subject, burnsPrefix); isBurns {
		return planBurns(s, n, ledger.Party(user))
	}
	w, ok, err := plan.WalletOf(s.View, ledger.Party(s.Subject))
	if err != nil || !ok {
		return plan.Step{}, err
	}
	funds, err := fundsOf(s.View, n, w.User)
	if err != nil {
		return plan.Step{}, err
	}
	step := n.rewardStep(s, funds.Coupons)
	collect, due, err := funds.Collect()
	if err != nil || !due {
		return step, err
	}
	inputs, err := funds.Inputs()
	if err != nil {
		return plan.Step{}, err
	}
	return n.collect(s, w, step, collect.CommandID, inputs, nil)
}

// planBurns mints the rewards for a user's purchases, in the wallet of the user's validator. It does not use the coin
// of that wallet, so that users do not compete for it.
func planBurns(s Situation, n networkState, user ledger.Party) (plan.Step, error) {
	const limit = 100
	rights, err := plan.Held[coin.ValidatorRight](s.View, plan.User, user, plan.First, limit)
	if err != nil {
		return plan.Step{}, err
	}
	for _, right := range rights {
		w, ok, err := plan.WalletOf(s.View, right.Payload.Validator)
		if err != nil {
			return plan.Step{}, err
		}
		if ok {
			return n.collectBurns(s, w, right)
		}
	}
	return plan.Step{}, nil
}

func (n networkState) collectBurns(
	s Situation, w plan.Wallet, right plan.Contract[coin.ValidatorRight],
) (plan.Step, error) {
	user := right.Payload.User
	coupons, err := burnCoupons(s.View, user)
	if err != nil {
		return plan.Step{}, err
	}
	funds := n.funds(s.View, w.User)
	funds.Coupons = coupons
	step := n.rewardStep(s, coupons)
	collect, due, err := funds.Collect()
	if err != nil || !due {
		return step, err
	}
	inputs, err := funds.Inputs()
	if err != nil {
		return plan.Step{}, err
	}
	return n.collect(s, w, step, collect.CommandID, inputs, &right)
}

// collect returns the batch of a wallet that makes one coin of inputs, once a round is open. right is the right of the
// user whose purchases earned some of them, if any.
func (n networkState) collect(
	s Situation, w plan.Wallet, step plan.Step, commandID string, inputs []coin.TransferInput,
	right *plan.Contract[coin.ValidatorRight],
) (plan.Step, error) {
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open {
		return plan.Step{Until: s.Now.Add(aMinute), WaitsFor: "an open round"}, err
	}
	n.allowMinting(s, &context.Context, right)
	step.Action, err = plan.WalletAction(s.View, w, commandID, "WalletAppInstall_ExecuteBatch",
		walletapp.InstallExecuteBatch{
			Context: context, Inputs: inputs, Operations: []walletapp.AmuletOperation{{MergeTransferInputs: &lf.Unit{}}},
		})
	if err == nil && right != nil {
		step.Action.ReadAs = ledger.SortedParties(append(step.Action.ReadAs, right.Payload.User))
	}
	return step, err
}

// allowMinting names the issuing rounds, and the right for inputs that a user's purchases earned, if any.
func (n networkState) allowMinting(
	s Situation, context *coin.TransferContext, right *plan.Contract[coin.ValidatorRight],
) {
	for _, round := range n.issuing {
		if !s.Now.Before(round.Payload.OpensAt.Time()) {
			context.IssuingMiningRounds = append(context.IssuingMiningRounds,
				lf.Entry[coin.Round, lf.CID[coin.IssuingMiningRound]]{
					Key: round.Payload.Round, Value: lf.CID[coin.IssuingMiningRound](round.ID),
				})
		}
	}
	if right != nil {
		context.ValidatorRights = lf.Map[ledger.Party, lf.CID[coin.ValidatorRight]]{
			{Key: right.Payload.User, Value: lf.CID[coin.ValidatorRight](right.ID)},
		}
	}
}

// rewardStep waits until the next coupon can be minted, or not at all. Coupons of every round stop a simulated clock
// only where rounds do.
func (n networkState) rewardStep(s Situation, coupons []Coupon) plan.Step {
	var step plan.Step
	for _, coupon := range coupons {
		at, ever := n.mintableAt(s.Now, coupon)
		if !ever {
			continue
		}
		if step.Until.IsZero() || at.Before(step.Until) {
			step.Until, step.WaitsFor = at, "the issue of its rewards"
		}
		step.Deadline = step.Deadline || coupon.Kind != Faucet || n.stopsClock()
	}
	return step
}

// mintableAt returns the time at which to look again at a coupon that cannot be minted now; false for never, or now.
func (n networkState) mintableAt(now time.Time, coupon Coupon) (time.Time, bool) {
	if coupon.Kind >= RewardV2 {
		return time.Time{}, false
	}
	soon := now.Add(roundsPatience)
	for _, round := range n.issuing {
		if round.Payload.Round.Number == coupon.Round {
			return round.Payload.OpensAt.Time(), now.Before(round.Payload.OpensAt.Time())
		}
	}
	for _, round := range n.summarizing {
		if round.Payload.Round.Number == coupon.Round {
			return soon, true
		}
	}
	for _, round := range n.open {
		if round.Payload.Round.Number == coupon.Round {
			if at, ok := advancesAt(n.open); ok && at.After(now) {
				return at, true
			}
			return soon, true
		}
	}
	return time.Time{}, false
}

// funds returns the funds of an empty wallet.
func (n networkState) funds(v plan.View, owner ledger.Party) Funds {
	funds := Funds{
		Wallet: owner, Issuing: map[int64]coin.IssuingMiningRound{}, Now: v.Now,
	}
	if round, open := plan.NewestRound(n.open, v.Now); open { // without one the wallet collects nothing
		funds.MaxInputs = plan.MaxInputs(round.Payload)
	}
	for _, round := range n.issuing {
		funds.Issuing[round.Payload.Round.Number] = round.Payload
	}
	return funds
}

// fundsOf reads the unlocked coin and the coupons of a wallet.
func fundsOf(v plan.View, n networkState, owner ledger.Party) (Funds, error) {
	funds := n.funds(v, owner)
	var err error
	if funds.Coins, err = plan.Coins(v, owner); err != nil {
		return funds, err
	}
	funds.Coupons, err = couponsOfWallet(v, owner)
	return funds, err
}

// couponsOf reads the coupons of one template.
func couponsOf[T any](
	v plan.View, role plan.Role, owner ledger.Party, toCoupon func(plan.Contract[T]) Coupon,
) ([]Coupon, error) {
	found, err := plan.Held[T](v, role, owner, plan.First, maxCoupons)
	coupons := make([]Coupon, len(found))
	for i, contract := range found {
		coupons[i] = toCoupon(contract)
	}
	return coupons, err
}

// couponsOfWallet reads all coupons that a wallet can mint for itself.
func couponsOfWallet(v plan.View, owner ledger.Party) ([]Coupon, error) {
	var all []Coupon
	for _, read := range []func(plan.View, ledger.Party) ([]Coupon, error){
		appCoupons, svCoupons, faucetCoupons, livenessRecords, amountCoupons,
	} {
		coupons, err := read(v, owner)
		if err != nil {
			return nil, err
		}
		all = slices.Concat(all, coupons)
	}
	return all, nil
}
