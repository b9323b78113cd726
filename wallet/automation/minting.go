package automation

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// KindMinting is the automation that mints for other parties.
const KindMinting = "minting"

// NewMinting mints the rewards of parties that have no wallet here, and delegated that to a wallet here. It merges
// their coin when there are twice as many coins as they want (upstream: collection of rewards by minting delegations).
func NewMinting(packages *ledger.Packages) (Automation, error) {
	delegation, err := ledger.TemplateName[walletapp.MintingDelegation](packages)
	if err != nil {
		return Automation{}, err
	}
	a := Automation{
		Kind: KindMinting, Summary: "Mints the rewards of those who delegated that, and merges their coin.",
		Wallets: delegation, Plan: planMinting,
	}
	follow := func(f Follow, failed error) {
		a.Follow, err = append(a.Follow, f), cmp.Or(err, failed)
	}
	follow(Following(packages, func(c plan.Contract[walletapp.MintingDelegation], _ time.Time) []Due {
		return []Due{{Subject: string(c.Payload.Beneficiary), Wallet: c.Payload.Beneficiary}}
	}))
	follow(Following(packages, func(c plan.Contract[coin.ValidatorRewardCoupon], now time.Time) []Due {
		return dueForCoupon(c.Payload.User, now)
	}))
	owned, failed := followOwned(packages)
	a.Follow = append(a.Follow, owned...)
	return a, cmp.Or(err, failed)
}

// planMinting mints for one beneficiary.
func planMinting(s Situation) (plan.Step, error) {
	beneficiary := ledger.Party(s.Subject)
	_, own, err := plan.WalletOf(s.View, beneficiary)
	if err != nil || own { // the wallet mints for itself
		return plan.Step{}, err
	}
	delegation, ok, err := delegationOf(s.View, beneficiary)
	if err != nil || !ok {
		return plan.Step{}, err
	}
	n, ok, err := readNetwork(s.View)
	if err != nil || !ok {
		return plan.Step{Until: s.Now.Add(aMinute), WaitsFor: "the contracts of the coin"}, err
	}
	funds, err := fundsOf(s.View, n, beneficiary)
	if err != nil {
		return plan.Step{}, err
	}
	right, err := ownRight(s.View, beneficiary)
	if err != nil {
		return plan.Step{}, err
	}
	if right != nil {
		burns, err := burnCoupons(s.View, beneficiary)
		if err != nil {
			return plan.Step{}, err
		}
		funds.Coupons = append(funds.Coupons, burns...)
	}
	step := n.rewardStep(s, funds.Coupons)
	inputs, commandID, err := funds.Mint(delegation.Payload.AmuletMergeLimit)
	if err != nil || len(inputs) == 0 {
		return step, err
	}
	return n.mint(s, step, delegation, right, commandID, inputs)
}

// delegationOf finds the beneficiary's delegation to a wallet here that lasts longest.
func delegationOf(
	v plan.View, beneficiary ledger.Party,
) (longest plan.Contract[walletapp.MintingDelegation], ok bool, err error) {
	const limit = 100
	found, err := plan.Held[walletapp.MintingDelegation](v, plan.Beneficiary, beneficiary, plan.First, limit)
	if err != nil {
		return longest, false, err
	}
	for _, delegation := range found {
		d := delegation.Payload
		if !v.Now.Before(d.ExpiresAt.Time()) { // the next ones expire even earlier
			break
		}
		if _, here, err := plan.WalletOf(v, d.Delegate); err != nil || here {
			return delegation, here, err
		}
	}
	return longest, false, nil
}

// ownRight returns the validator right of a party that is its own validator; nil if it has none.
func ownRight(v plan.View, party ledger.Party) (*plan.Contract[coin.ValidatorRight], error) {
	const limit = 100
	rights, err := plan.Held[coin.ValidatorRight](v, plan.User, party, plan.First, limit)
	for i, right := range rights {
		if right.Payload.Validator == party {
			return &rights[i], err
		}
	}
	return nil, err
}

// Mint returns the inputs of a delegate's mint for a beneficiary, and the command id: the rewards, if they are worth
// something, and the smallest coins, once there are twice as many coins as the target. It returns none if there is
// nothing to do.
func (f Funds) Mint(target int64) (inputs []coin.TransferInput, command string, err error) {
	coupons, err := f.usable()
	if err != nil {
		return nil, "", err
	}
	var ids []ledger.ContractID
	if slices.ContainsFunc(coupons, func(c valuedCoupon) bool { return c.value.Sign() > 0 }) {
		for _, coupon := range coupons {
			ids, inputs = append(ids, coupon.ID), append(inputs, coupon.Input)
		}
	}
	keep := int(min(max(target, 1), int64(len(f.Coins)))) // at least one coin must stay
	if len(f.Coins) >= 2*keep && len(f.Coins) > 1 {
		smallest := plan.Smallest(f.Coins, len(f.Coins)-keep+1)
		for _, one := range smallest {
			ids = append(ids, one.ID)
		}
		inputs = append(inputs, plan.TransferInputs(smallest)...)
	}
	count := min(len(inputs), f.MaxInputs)
	return inputs[:count], commandID("mint", f.Wallet, ids[:count]), nil
}

// mint returns the delegate's submission.
func (n networkState) mint(
	s Situation, step plan.Step, delegation plan.Contract[walletapp.MintingDelegation],
	right *plan.Contract[coin.ValidatorRight], commandID string, inputs []coin.TransferInput,
) (plan.Step, error) {
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open {
		return plan.Step{Until: s.Now.Add(aMinute), WaitsFor: "an open round"}, err
	}
	n.allowMinting(s, &context.Context, right)
	command, err := plan.Exercise[walletapp.MintingDelegation](s.Packages, delegation.ID, "MintingDelegation_Mint",
		walletapp.MintingDelegationMint{Inputs: inputs, Context: context})
	step.Action = &plan.Action{
		CommandID: commandID, ActAs: []ledger.Party{delegation.Payload.Delegate},
		ReadAs:   ledger.SortedParties([]ledger.Party{delegation.Payload.Beneficiary, s.Node.DSO}),
		Commands: []ledger.Command{command},
	}
	return step, err
}
