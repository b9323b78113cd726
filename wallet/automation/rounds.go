package automation

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// KindRounds is the automation of mining rounds.
const KindRounds = "rounds"

// network is the only subject of the automations that act as the DSO.
const network = "network"

// aMinute is the wait for something that should be there but is missing.
const aMinute = time.Minute

// Rounds advances the mining rounds, as the DSO. When the oldest open round is over, Rounds sums it up and opens a new
// one. The old round then issues and closes; Rounds archives it with the coupons that nobody minted. New rounds pay the
// ledger's price for a coin.
func Rounds() Automation {
	return Automation{
		Kind: KindRounds, Summary: "Opens, issues and closes the mining rounds of the coin, as the DSO.",
		Standing: []string{network},
		Plan:     planRounds,
	}
}

// networkState holds the contracts that rounds need.
type networkState struct {
	rules       plan.Contract[coin.AmuletRules]
	open        []plan.Contract[coin.OpenMiningRound] // by number
	summarizing []plan.Contract[coin.SummarizingMiningRound]
	issuing     []plan.Contract[coin.IssuingMiningRound]
	closed      []plan.Contract[coin.ClosedMiningRound]
	states      []plan.Contract[coin.ExternalPartyConfigState] // the earlier to end first
}

// readNetwork reads the state; false while there is no coin.
func readNetwork(v plan.View) (n networkState, ok bool, err error) {
	rules, err := plan.Shared[coin.AmuletRules](v, 1)
	if err != nil || len(rules) == 0 {
		return n, false, err
	}
	n.rules = rules[0]
	if n.open, err = OpenRounds(v); err != nil {
		return n, false, err
	}
	if n.summarizing, err = plan.Shared[coin.SummarizingMiningRound](v, plan.MaxRounds); err != nil {
		return n, false, err
	}
	if n.issuing, err = plan.Shared[coin.IssuingMiningRound](v, plan.MaxRounds); err != nil {
		return n, false, err
	}
	if n.closed, err = plan.Shared[coin.ClosedMiningRound](v, plan.MaxRounds); err != nil {
		return n, false, err
	}
	n.states, err = plan.Shared[coin.ExternalPartyConfigState](v, plan.MaxRounds)
	slices.SortStableFunc(n.states, func(a, b plan.Contract[coin.ExternalPartyConfigState]) int {
		return cmp.Compare(a.Payload.TargetArchiveAfter, b.Payload.TargetArchiveAfter)
	})
	return n, true, err
}

// OpenRounds lists the open mining rounds by number; some may open in the future.
func OpenRounds(v plan.View) ([]plan.Contract[coin.OpenMiningRound], error) {
	open, err := plan.Shared[coin.OpenMiningRound](v, plan.MaxRounds)
	slices.SortFunc(open, func(a, b plan.Contract[coin.OpenMiningRound]) int {
		return cmp.Compare(a.Payload.Round.Number, b.Payload.Round.Number)
	})
	return open, err
}

// advancesAt returns the time at which the DSO can replace the oldest of three open rounds.
func advancesAt(open []plan.Contract[coin.OpenMiningRound]) (time.Time, bool) {
	const always = 3
	if len(open) != always {
		return time.Time{}, false
	}
	oldest, middle, latest := open[0].Payload, open[1].Payload, open[2].Payload
	return max(oldest.TargetClosesAt, latest.OpensAt, middle.OpensAt.Add(middle.TickDuration)).Time(), true
}

// planRounds does one action after another, until the next one has to wait.
func planRounds(s Situation) (plan.Step, error) {
	n, ok, err := readNetwork(s.View)
	if err != nil || !ok {
		return plan.Step{Until: s.Now.Add(aMinute), WaitsFor: "the contracts of the coin"}, err
	}
	decisions := []func() (*plan.Action, error){
		// Actions with a time come first. Others can create any number of markers and rewards, so each step takes a share of
		// them.
		func() (*plan.Action, error) { return n.advance(s) },
		func() (*plan.Action, error) { return n.startIssuing(s) },
		func() (*plan.Action, error) { return n.close(s) },
		func() (*plan.Action, error) { return n.replaceState(s) },
		func() (*plan.Action, error) { return n.archive(s) },
		func() (*plan.Action, error) { return n.mergeUnclaimed(s) },
		func() (*plan.Action, error) { return n.mergeFund(s) },
	}
	// Markers come before the archive of rounds, unless the ledger refused their conversion: then the rest continues.
	const tidying = 4
	at := tidying
	if s.Refused != nil && isOfKind(s.Refused.CommandID, convertsMarkers) {
		at = len(decisions)
	}
	decisions = slices.Insert(decisions, at, func() (*plan.Action, error) { return n.convertMarkers(s) })
	for _, decide := range decisions {
		action, err := decide()
		if err != nil || action != nil {
			return plan.Step{Action: action, Until: s.Now.Add(aMinute), WaitsFor: "the rounds to move on"}, err
		}
	}
	return n.wait(s), nil
}

// minStop is the shortest tick at which advancing a simulated clock stops. Shorter rounds need too many stops: rounds
// of ten minutes need 52,560 for a year.
const minStop = time.Hour

// stopsClock reports whether a simulated clock stops at events of every round.
func (n networkState) stopsClock() bool {
	return n.rules.Payload.ConfigSchedule.InitialValue.TickDuration.Duration() >= minStop
}

// wait waits for the next event.
func (n networkState) wait(s Situation) plan.Step {
	step := plan.Step{Until: s.Now.Add(time.Hour), WaitsFor: "three open rounds"}
	sooner := func(at time.Time, what string) {
		if at.Before(step.Until) {
			step.Until, step.WaitsFor, step.Deadline = at, what, n.stopsClock()
		}
	}
	if at, ok := advancesAt(n.open); ok {
		step = plan.Step{
			Until: at, Deadline: n.stopsClock(),
			WaitsFor: fmt.Sprintf("the end of round %d", n.open[0].Payload.Round.Number),
		}
	}
	for _, round := range n.issuing {
		sooner(round.Payload.TargetClosesAt.Time(), fmt.Sprintf("the end of the issuing of round %d",
			round.Payload.Round.Number))
	}
	if len(n.states) > 1 {
		sooner(n.states[0].Payload.TargetArchiveAfter.Time(), "the end of a configuration state")
	}
	return step
}

// asDSO returns an action of the DSO on the rules of the coin.
func asDSO[A any](s Situation, n networkState, commandID, choice string, argument A) (*plan.Action, error) {
	command, err := plan.Exercise[coin.AmuletRules](s.Packages, n.rules.ID, choice, argument)
	return &plan.Action{
		CommandID: commandID, ActAs: []ledger.Party{s.Node.DSO}, Commands: []ledger.Command{command},
	}, err
}

func (n networkState) startIssuing(s Situation) (*plan.Action, error) {
	if len(n.summarizing) == 0 {
		return nil, nil // nothing is due
	}
	round := n.summarizing[0]
	summary, err := s.Record.Activity(round.Payload.Round.Number)
	if err != nil {
		return nil, err
	}
	return asDSO(s, n, "issue-round:"+plan.Short(round.ID), "AmuletRules_MiningRound_StartIssuing",
		coin.AmuletRulesMiningRoundStartIssuing{
			MiningRoundCid: lf.CID[coin.SummarizingMiningRound](round.ID), Summary: summary,
		})
}

// convertsMarkers is the prefix of the command ids of marker conversions.
const convertsMarkers = "convert-markers"

// conversionFits reports whether one transaction can convert this number of markers with this number of observers: each
// observer is a witness of each marker's events. It allows a quarter of a transaction's limit.
func conversionFits(markers int, observers []ledger.Party) bool {
	const nodesOfMarker, maxBytes = 3, ledger.MaxTransactionBytes / 4
	names := 0
	for _, party := range observers {
		names += len(party)
	}
	return markers*nodesOfMarker*names <= maxBytes
}

// convertMarkers turns up to a hundred app markers into coupons, in the oldest open round: right after rounds advanced,
// that is the round of the markers. Rounds do not wait for it.
func (n networkState) convertMarkers(s Situation) (*plan.Action, error) {
	if len(n.open) == 0 || n.open[0].Payload.OpensAt.Time().After(s.Now) {
		return nil, nil // nothing is due
	}
	markers, err := plan.Shared[coin.FeaturedAppActivityMarker](s.View, plan.MaxPerAction)
	if err != nil || len(markers) == 0 {
		return nil, err
	}
	argument := coin.AmuletRulesConvertFeaturedAppActivityMarkers{
		OpenMiningRoundCid: lf.CID[coin.OpenMiningRound](n.open[0].ID),
	}
	var observers []ledger.Party
	for i, marker := range markers {
		more := ledger.SortedParties(observers, []ledger.Party{marker.Payload.Provider, marker.Payload.Beneficiary})
		if i > 0 && !conversionFits(i+1, more) {
			break
		}
		observers = more
		argument.MarkerCids = append(argument.MarkerCids, lf.CID[coin.FeaturedAppActivityMarker](marker.ID))
	}
	argument.Observers = &observers
	return asDSO(s, n, commandID(convertsMarkers, argument.MarkerCids),
		"AmuletRules_ConvertFeaturedAppActivityMarkers", argument)
}

func (n networkState) advance(s Situation) (*plan.Action, error) {
	at, ok := advancesAt(n.open)
	if !ok || s.Now.Before(at) {
		return nil, nil // nothing is due
	}
	return asDSO(s, n, "advance-round:"+plan.Short(n.open[0].ID), "AmuletRules_AdvanceOpenMiningRounds",
		coin.AmuletRulesAdvanceOpenMiningRounds{
			AmuletPrice:       s.LedgerSettings.CoinPrice,
			RoundToArchiveCid: lf.CID[coin.OpenMiningRound](n.open[0].ID),
			MiddleRoundCid:    lf.CID[coin.OpenMiningRound](n.open[1].ID),
			LatestRoundCid:    lf.CID[coin.OpenMiningRound](n.open[2].ID),
		})
}

func (n networkState) close(s Situation) (*plan.Action, error) {
	for _, round := range n.issuing {
		if !s.Now.Before(round.Payload.TargetClosesAt.Time()) {
			return asDSO(s, n, "close-round:"+plan.Short(round.ID), "AmuletRules_MiningRound_Close",
				coin.AmuletRulesMiningRoundClose{IssuingRoundCid: lf.CID[coin.IssuingMiningRound](round.ID)})
		}
	}
	return nil, nil // nothing is due
}

// archive archives the coupons of a closed round that nobody minted, a hundred at once, and then the round.
func (n networkState) archive(s Situation) (*plan.Action, error) {
	if len(n.closed) == 0 {
		return nil, nil // nothing is due
	}
	round := n.closed[0]
	id := lf.CID[coin.ClosedMiningRound](round.ID)
	templates, err := roundCoupons(s.Packages)
	if err != nil {
		return nil, err
	}
	left, err := s.Record.OfRound(round.Payload.Round.Number, templates, plan.MaxPerAction)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		return asDSO(s, n, commandID("expire-coupons", left[0].ID), "AmuletRules_ClaimExpiredRewards",
			expiredCoupons(id, templates, left))
	}
	return asDSO(s, n, "archive-round:"+plan.Short(round.ID), "AmuletRules_MiningRound_Archive",
		coin.AmuletRulesMiningRoundArchive{ClosedRoundCid: id})
}

// roundCoupons lists the templates of the coupons whose round decides their value.
func roundCoupons(packages *ledger.Packages) ([]lf.TypeName, error) {
	var names []lf.TypeName
	for _, name := range []func(*ledger.Packages) (lf.TypeName, error){
		ledger.TemplateName[coin.ValidatorRewardCoupon], ledger.TemplateName[coin.AppRewardCoupon],
		ledger.TemplateName[coin.SvRewardCoupon], ledger.TemplateName[coin.ValidatorFaucetCoupon],
		ledger.TemplateName[coin.ValidatorLivenessActivityRecord],
	} {
		found, err := name(packages)
		if err != nil {
			return nil, err
		}
		names = append(names, found)
	}
	return names, nil
}

// expiredCoupons sorts coupons by their templates, which roundCoupons lists.
func expiredCoupons(
	closed lf.CID[coin.ClosedMiningRound], templates []lf.TypeName, coupons []ledger.Contract,
) coin.AmuletRulesClaimExpiredRewards {
	argument := coin.AmuletRulesClaimExpiredRewards{ClosedRoundCid: closed}
	var faucets []lf.CID[coin.ValidatorFaucetCoupon]
	var records []lf.CID[coin.ValidatorLivenessActivityRecord]
	for _, coupon := range coupons {
		switch slices.Index(templates, coupon.Template) {
		case 0:
			argument.ValidatorRewardCouponCids = append(
				argument.ValidatorRewardCouponCids, lf.CID[coin.ValidatorRewardCoupon](coupon.ID))
		case 1:
			argument.AppCouponCids = append(argument.AppCouponCids, lf.CID[coin.AppRewardCoupon](coupon.ID))
		case 2:
			argument.SvRewardCouponCids = append(argument.SvRewardCouponCids, lf.CID[coin.SvRewardCoupon](coupon.ID))
		case 3:
			faucets = append(faucets, lf.CID[coin.ValidatorFaucetCoupon](coupon.ID))
		default:
			records = append(records, lf.CID[coin.ValidatorLivenessActivityRecord](coupon.ID))
		}
	}
	argument.OptValidatorFaucetCouponCids, argument.OptLivenessRecordCids = &faucets, &records
	return argument
}

// replaceState replaces the older configuration state when its time is over.
func (n networkState) replaceState(s Situation) (*plan.Action, error) {
	if len(n.states) < 2 || len(n.open) != 3 || s.Now.Before(n.states[0].Payload.TargetArchiveAfter.Time()) {
		return nil, nil // nothing is due
	}
	return asDSO(s, n, "replace-config-state:"+plan.Short(n.states[0].ID),
		"AmuletRules_UpdateExternalPartyConfigStates", coin.AmuletRulesUpdateExternalPartyConfigStates{
			ExternalPartyConfigStateCid0: lf.CID[coin.ExternalPartyConfigState](n.states[0].ID),
			ExternalPartyConfigStateCid1: lf.CID[coin.ExternalPartyConfigState](n.states[1].ID),
			OpenMiningRoundTriple: coin.OpenMiningRoundTriple{
				Round0Cid: lf.CID[coin.OpenMiningRound](n.open[0].ID),
				Round1Cid: lf.CID[coin.OpenMiningRound](n.open[1].ID),
				Round2Cid: lf.CID[coin.OpenMiningRound](n.open[2].ID),
			},
		})
}

// mergeUnclaimed merges unclaimed rewards into one contract: every round leaves one.
func (n networkState) mergeUnclaimed(s Situation) (*plan.Action, error) {
	rewards, err := plan.Shared[coin.UnclaimedReward](s.View, plan.MaxPerAction)
	if err != nil || len(rewards) < plan.MaxPerAction {
		return nil, err
	}
	var argument coin.AmuletRulesMergeUnclaimedRewards
	for _, reward := range rewards {
		argument.UnclaimedRewardCids = append(argument.UnclaimedRewardCids, lf.CID[coin.UnclaimedReward](reward.ID))
	}
	return asDSO(s, n, commandID("merge-unclaimed-rewards", argument.UnclaimedRewardCids),
		"AmuletRules_MergeUnclaimedRewards", argument)
}

// mergeFund does the same for coupons of the development fund.
func (n networkState) mergeFund(s Situation) (*plan.Action, error) {
	coupons, err := plan.Shared[coin.UnclaimedDevelopmentFundCoupon](s.View, plan.MaxPerAction)
	if err != nil || len(coupons) < plan.MaxPerAction {
		return nil, err
	}
	var argument coin.AmuletRulesMergeUnclaimedDevelopmentFundCoupons
	for _, coupon := range coupons {
		argument.UnclaimedDevelopmentFundCouponCids = append(argument.UnclaimedDevelopmentFundCouponCids,
			lf.CID[coin.UnclaimedDevelopmentFundCoupon](coupon.ID))
	}
	return asDSO(s, n, commandID("merge-development-fund", argument.UnclaimedDevelopmentFundCouponCids),
		"AmuletRules_MergeUnclaimedDevelopmentFundCoupons", argument)
}
