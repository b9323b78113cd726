package automation

import (
	"cmp"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// KindExpiry is the automation that ends expired contracts.
const KindExpiry = "expiry"

const (
	// dust is the subject for all coin whose holding fee has reached its amount.
	dust = "dust"
	// lockPatience leaves an expired lock to the holder of the contract behind it.
	lockPatience = time.Minute
	// maxDustBytes limits the dust of one transaction, well below the limit of its reads.
	maxDustBytes = 1 << 20
)

// expiry has the rule for each template. Contracts with their own workflow (offers, preapprovals, transfer commands)
// are not here.
type expiry struct {
	packages *ledger.Packages
	follow   []Follow
	plan     map[lf.TypeName]func(Situation, ledger.Contract) (plan.Step, error)
	failed   error
}

// Expiry ends contracts at their deadlines, and coin that has become dust.
func Expiry(packages *ledger.Packages) (Automation, error) {
	e := &expiry{packages: packages, plan: map[lf.TypeName]func(Situation, ledger.Contract) (plan.Step, error){}}
	e.ofWallets()
	e.ofPayments()
	e.ofNetwork()
	return Automation{
		Kind: KindExpiry, Summary: "Ends what has expired: requests, delegations, locks, coupons, dust.",
		Standing: []string{dust}, Follow: e.follow, Plan: e.decide,
	}, e.failed
}

// expires registers how contracts of T end: the time, the wallet (none: the DSO), and the action.
func expires[T any](
	e *expiry, deadline func(T) lf.Timestamp, wallet func(T) ledger.Party,
	end func(Situation, plan.Contract[T]) (*plan.Action, error),
) {
	name, err := ledger.TemplateName[T](e.packages)
	ends := func(c T) time.Time { return deadline(c).Time().Add(plan.ExpiryPatience) }
	follow, other := Following(e.packages, func(c plan.Contract[T], _ time.Time) []Due {
		due := Due{Subject: string(c.ID), At: ends(c.Payload), Deadline: true}
		if wallet != nil {
			due.Wallet = wallet(c.Payload)
		}
		return []Due{due}
	})
	e.failed = cmp.Or(e.failed, err, other)
	e.follow = append(e.follow, follow)
	e.plan[name] = func(s Situation, contract ledger.Contract) (plan.Step, error) {
		c, err := plan.Decode[T](s.Packages, contract)
		if err != nil {
			return plan.Step{}, err
		}
		if at := ends(c.Payload); s.Now.Before(at) {
			return plan.Step{Until: at, Deadline: true, WaitsFor: "its expiry"}, nil
		}
		action, err := end(s, c)
		return plan.Step{Action: action}, err
	}
}

func (e *expiry) decide(s Situation) (plan.Step, error) {
	if s.Subject == dust {
		return planDust(s)
	}
	contract, ok, err := s.Record.Contract(ledger.ContractID(s.Subject))
	if err != nil || !ok {
		return plan.Step{}, err
	}
	decide, ok := e.plan[contract.Template]
	if !ok { // a subject from an older version
		return plan.Step{}, nil
	}
	return decide(s, contract)
}

// ofWallets registers the contracts that wallets end.
func (e *expiry) ofWallets() {
	expires(e,
		func(r payments.AppPaymentRequest) lf.Timestamp { return r.ExpiresAt },
		func(r payments.AppPaymentRequest) ledger.Party { return r.Sender },
		func(s Situation, c plan.Contract[payments.AppPaymentRequest]) (*plan.Action, error) {
			w, ok, err := plan.WalletOf(s.View, c.Payload.Sender)
			if err != nil || !ok {
				return nil, err
			}
			return plan.WalletAction(s.View, w, expireID(c.ID), "WalletAppInstall_AppPaymentRequest_Expire",
				walletapp.InstallAppPaymentRequestExpire{CID: lf.CID[payments.AppPaymentRequest](c.ID)})
		})
	expires(e,
		func(p walletapp.MintingDelegationProposal) lf.Timestamp { return p.Delegation.ExpiresAt },
		func(p walletapp.MintingDelegationProposal) ledger.Party { return p.Delegation.Delegate },
		func(s Situation, c plan.Contract[walletapp.MintingDelegationProposal]) (*plan.Action, error) {
			return expireAs(s, c, c.Payload.Delegation.Delegate, "MintingDelegationProposal_Reject",
				walletapp.MintingDelegationProposalReject{})
		})
	expires(e,
		func(d walletapp.MintingDelegation) lf.Timestamp { return d.ExpiresAt },
		func(d walletapp.MintingDelegation) ledger.Party { return d.Delegate },
		func(s Situation, c plan.Contract[walletapp.MintingDelegation]) (*plan.Action, error) {
			return expireAs(s, c, c.Payload.Delegate, "MintingDelegation_Reject", walletapp.MintingDelegationReject{})
		})
	expires(e,
		func(l coin.LockedAmulet) lf.Timestamp { return l.Lock.ExpiresAt.Add(lf.RelTimeOf(lockPatience)) },
		func(l coin.LockedAmulet) ledger.Party { return l.Amulet.Owner },
		func(s Situation, c plan.Contract[coin.LockedAmulet]) (*plan.Action, error) {
			return expireAs(s, c, c.Payload.Amulet.Owner, "LockedAmulet_OwnerExpireLockV2",
				coin.LockedAmuletOwnerExpireLockV2{})
		})
}

// ofNetwork registers the contracts that the DSO ends.
func (e *expiry) ofNetwork() {
	expires(e, coin.AmuletAllocation.Expires, nil,
		func(s Situation, c plan.Contract[coin.AmuletAllocation]) (*plan.Action, error) {
			locked, err := s.Ledger.IsActive(ledger.ContractID(c.Payload.LockedAmulet))
			if err != nil {
				return nil, err
			}
			return expireAs(s, c, s.Node.DSO, "AmuletAllocation_DsoExpire", coin.AmuletAllocationDSOExpire{ExpireLock: locked})
		})
	expires(e, func(r coin.UnclaimedActivityRecord) lf.Timestamp { return r.ExpiresAt }, nil,
		func(s Situation, c plan.Contract[coin.UnclaimedActivityRecord]) (*plan.Action, error) {
			return expireAs(s, c, s.Node.DSO, "UnclaimedActivityRecord_DsoExpire", coin.UnclaimedActivityRecordDSOExpire{})
		})
	expires(e, func(d coin.DevelopmentFundCoupon) lf.Timestamp { return d.ExpiresAt }, nil,
		func(s Situation, c plan.Contract[coin.DevelopmentFundCoupon]) (*plan.Action, error) {
			return expireAs(s, c, s.Node.DSO, "DevelopmentFundCoupon_DsoExpire", coin.DevelopmentFundCouponDSOExpire{})
		})
	expires(e, func(c coin.RewardCouponV2) lf.Timestamp { return c.ExpiresAt }, nil, expireRewardCoupon)
}

func expireID(id ledger.ContractID) string { return "expire:" + plan.Short(id) }

// expireAs ends a contract by one of its own choices, as one party.
func expireAs[T, A any](
	s Situation, c plan.Contract[T], actor ledger.Party, choice string, argument A,
) (*plan.Action, error) {
	command, err := plan.Exercise[T](s.Packages, c.ID, choice, argument)
	return &plan.Action{
		CommandID: expireID(c.ID), ActAs: []ledger.Party{actor}, ReadAs: []ledger.Party{s.Node.DSO},
		Commands: []ledger.Command{command},
	}, err
}

// expireRewardCoupon turns a coupon into an unclaimed reward. The observers of the coupon must see that.
func expireRewardCoupon(s Situation, c plan.Contract[coin.RewardCouponV2]) (*plan.Action, error) {
	rules, err := plan.Shared[coin.AmuletRules](s.View, 1)
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	argument := coin.AmuletRulesClaimExpiredRewardsV2{
		RewardCouponCids: []lf.CID[coin.RewardCouponV2]{lf.CID[coin.RewardCouponV2](c.ID)},
	}
	if c.Payload.ProviderIsObserver {
		argument.ExpiryObservers = ledger.SortedParties(
			[]ledger.Party{c.Payload.Provider, earner(c.Payload.Beneficiary, c.Payload.Provider)})
	}
	return asDSO(s, networkState{rules: rules[0]}, expireID(c.ID), "AmuletRules_ClaimExpiredRewardsV2", argument)
}

// planDust burns up to a hundred coins whose holding fees have reached their amounts, the oldest dust first. Dust
// depends on the configuration states, so the next look is when the older state is replaced.
func planDust(s Situation) (plan.Step, error) {
	n, ok, err := readNetwork(s.View)
	if err != nil || !ok || len(n.states) < 2 {
		return plan.Step{Until: s.Now.Add(aMinute), WaitsFor: "the contracts of the coin"}, err
	}
	step := plan.Step{
		Until:    n.states[0].Payload.TargetArchiveAfter.Time().Add(aMinute),
		Deadline: n.stopsClock(), WaitsFor: "coin to become dust",
	}
	if !step.Until.After(s.Now) {
		step.Until, step.Deadline = s.Now.Add(aMinute), false
	}
	first, second := n.states[0], n.states[1]
	round := min(first.Payload.HoldingFeesOpenRoundNumber.Number, second.Payload.HoldingFeesOpenRoundNumber.Number)
	eaten, err := s.Record.Dust(round, plan.MaxPerAction)
	if err != nil || len(eaten) == 0 {
		return step, err
	}
	action := &plan.Action{ActAs: []ledger.Party{s.Node.DSO}}
	var ids []ledger.ContractID
	size := 0
	for i, contract := range eaten {
		if size += len(contract.Payload); i > 0 && size > maxDustBytes {
			break // the next plan takes the rest: a transaction reads no more
		}
		command, err := burnDust(s, contract, lf.CID[coin.ExternalPartyConfigState](first.ID),
			lf.CID[coin.ExternalPartyConfigState](second.ID))
		if err != nil {
			return plan.Step{}, err
		}
		action.Commands = append(action.Commands, command)
		ids = append(ids, contract.ID)
	}
	action.CommandID = commandID("burn-dust", ids)
	step.Action = action
	return step, nil
}

func burnDust(
	s Situation, contract ledger.Contract, first, second lf.CID[coin.ExternalPartyConfigState],
) (ledger.Command, error) {
	locked, err := ledger.TemplateName[coin.LockedAmulet](s.Packages)
	if err != nil {
		return ledger.Command{}, err
	}
	if contract.Template == locked {
		return plan.Exercise[coin.LockedAmulet](s.Packages, contract.ID, "LockedAmulet_ExpireAmuletV2",
			coin.LockedAmuletExpireAmuletV2{ExternalPartyConfigState0Cid: first, ExternalPartyConfigState1Cid: second})
	}
	return plan.Exercise[coin.Amulet](s.Packages, contract.ID, "Amulet_ExpireV2",
		coin.AmuletExpireV2{ExternalPartyConfigState0Cid: first, ExternalPartyConfigState1Cid: second})
}
