package automation

import (
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// KindLiveness is the automation that reports that the node is up.
const KindLiveness = "liveness"

// NewLiveness records in every round that the operator's node is up, for the operator's reward (upstream: validator
// liveness). It does nothing where there is no reward.
func NewLiveness(packages *ledger.Packages) (Automation, error) {
	licensed, err := Following(packages, func(plan.Contract[coin.ValidatorLicense], time.Time) []Due {
		return []Due{{Subject: network}}
	})
	if err != nil {
		return Automation{}, err
	}
	opened, err := Following(packages, func(round plan.Contract[coin.OpenMiningRound], _ time.Time) []Due {
		return []Due{{Subject: network, At: round.Payload.OpensAt.Time()}}
	})
	return Automation{
		Kind: KindLiveness, Summary: "Records in every round that the node is up, for the operator's reward.",
		Standing: []string{network}, Follow: []Follow{licensed, opened}, Plan: planLiveness,
	}, err
}

// planLiveness reports for the newest open round, once. If it does not wait, a license or a round makes it due again.
func planLiveness(s Situation) (plan.Step, error) {
	license, licensed, err := plan.One[coin.ValidatorLicense](s.View, plan.Validator, s.Node.Operator)
	if err != nil {
		return plan.Step{}, err
	}
	var step plan.Step
	rounds, err := OpenRounds(s.View)
	for _, round := range rounds {
		opens := round.Payload.OpensAt.Time()
		if opens.After(s.Now) && (step.Until.IsZero() || opens.Before(step.Until)) {
			step.Until, step.WaitsFor = opens, "the next round to open"
		}
	}
	if err != nil {
		return plan.Step{}, err
	}
	newest, open, err := plan.OpenRound(s.View)
	if err != nil || !open || !newest.Payload.IssuanceConfig.PaysLiveness() {
		return step, err
	}
	if !licensed {
		return plan.Step{}, nil
	}
	step.Action, err = reportLiveness(s, license, newest)
	return step, err
}

// reportLiveness returns nil if the round, or a later one, has a report.
func reportLiveness(
	s Situation, license plan.Contract[coin.ValidatorLicense], round plan.Contract[coin.OpenMiningRound],
) (*plan.Action, error) {
	if state := license.Payload.FaucetState; state != nil &&
		round.Payload.Round.Number <= state.LastReceivedFor.Number {
		return nil, nil // nothing is due
	}
	command, err := plan.Exercise[coin.ValidatorLicense](s.Packages, license.ID,
		"ValidatorLicense_RecordValidatorLivenessActivity",
		coin.ValidatorLicenseRecordValidatorLivenessActivity{OpenRoundCid: lf.CID[coin.OpenMiningRound](round.ID)})
	return &plan.Action{
		CommandID: "record-liveness:" + plan.Short(license.ID), ActAs: []ledger.Party{s.Node.Operator},
		ReadAs: []ledger.Party{s.Node.DSO}, Commands: []ledger.Command{command},
	}, err
}
