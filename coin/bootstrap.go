package coin

import (
	"math"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRulesBootstrapRounds makes the first three open rounds and the first two configuration states. A network
// exercises it once, at its start.
type AmuletRulesBootstrapRounds struct {
	_           struct{}        `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_Bootstrap_Rounds"`
	AmuletPrice decimal.Decimal `lf:"amuletPrice"`
	// Round0Duration is the life of the first round, at least a tick.
	Round0Duration lf.RelTime `lf:"round0Duration"`
	// InitialRound is the number of the first round; nil means 0.
	InitialRound *int64 `lf:"initialRound"`
}

// AmuletRulesBootstrapRoundsResult is the result of [AmuletRulesBootstrapRounds]; OpenMiningRoundCid is the newest.
type AmuletRulesBootstrapRoundsResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_Bootstrap_RoundsResult"`

	OpenMiningRoundCid lf.CID[OpenMiningRound] `lf:"openMiningRoundCid"`
	InitialRound       *Round                  `lf:"initialRound"`
}

// AmuletRulesBootstrapExternalPartyConfigState makes the first two configuration states.
type AmuletRulesBootstrapExternalPartyConfigState struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_BootstrapExternalPartyConfigState"`

	OpenMiningRoundTriple OpenMiningRoundTriple `lf:"openMiningRoundTriple"`
	ExpectedDSO           Party                 `lf:"expectedDso"`
}

// AmuletRulesBootstrapExternalPartyConfigStateResult is the empty result of
// [AmuletRulesBootstrapExternalPartyConfigState].
type AmuletRulesBootstrapExternalPartyConfigStateResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_BootstrapExternalPartyConfigStateResult"`
}

// OpenMiningRoundTriple names three open rounds with consecutive numbers, oldest first.
type OpenMiningRoundTriple struct {
	_         struct{}                `lf:"splice-amulet:Splice.AmuletRules:OpenMiningRoundTriple"`
	Round0Cid lf.CID[OpenMiningRound] `lf:"round0Cid"`
	Round1Cid lf.CID[OpenMiningRound] `lf:"round1Cid"`
	Round2Cid lf.CID[OpenMiningRound] `lf:"round2Cid"`
}

// bootstrapRounds opens two rounds at once and announces a third, which opens when the first closes.
func bootstrapRounds(
	tx *ledger.Tx, self lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesBootstrapRounds,
) (none AmuletRulesBootstrapRoundsResult, err error) {
	var created [3]lf.CID[OpenMiningRound]
	tick := rules.config().TickDuration
	longEnough := tick.Microseconds <= arg.Round0Duration.Microseconds
	if err := ledger.Require("Round0 duration is larger or equal to tick duration", longEnough); err != nil {
		return none, err
	}
	first := valueOr(arg.InitialRound, 0)
	if last := math.MaxInt64 / tick.Microseconds; first > last-int64(len(created)) {
		return none, ledger.ArithmeticFailure(decimal.ErrOverflow)
	}
	now := tx.Now()
	firstCloses := now.Add(arg.Round0Duration)
	for i, opensAt := range []lf.Timestamp{now, now, firstCloses} {
		number := first + int64(i)
		round := rules.openRound(number, arg.AmuletPrice, lf.RelTime{Microseconds: number * tick.Microseconds})
		round.OpensAt = opensAt
		round.TargetClosesAt = firstCloses.Add(lf.RelTime{Microseconds: int64(i) * tick.Microseconds})
		if created[i], err = ledger.Create(tx, round); err != nil {
			return none, err
		}
	}
	_, err = ledger.Exercise[AmuletRulesBootstrapExternalPartyConfigStateResult](tx, self,
		AmuletRulesBootstrapExternalPartyConfigState{
			OpenMiningRoundTriple: OpenMiningRoundTriple{
				Round0Cid: created[0], Round1Cid: created[1], Round2Cid: created[2],
			},
			ExpectedDSO: rules.DSO,
		})
	return AmuletRulesBootstrapRoundsResult{OpenMiningRoundCid: created[2], InitialRound: &Round{Number: first}}, err
}

// openRound is a new open round without its times, with all values from the configuration.
func (r AmuletRules) openRound(number int64, price decimal.Decimal, issuingFor lf.RelTime) OpenMiningRound {
	config := r.config()
	round := OpenMiningRound{
		DSO: r.DSO, Round: Round{Number: number}, AmuletPrice: price, IssuingFor: issuingFor,
		TransferConfigUSD: config.TransferConfig, IssuanceConfig: issuanceAt(config.IssuanceCurve, issuingFor),
		TickDuration: config.TickDuration, RewardConfig: config.RewardConfig,
	}
	if config.RewardConfig != nil { // rounds without reward accounting stay readable for older versions
		round.TrafficPrice = &config.DecentralizedSynchronizer.Fees.ExtraTrafficPrice
	}
	return round
}

func bootstrapConfigStates(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesBootstrapExternalPartyConfigState,
) (none AmuletRulesBootstrapExternalPartyConfigStateResult, err error) {
	if err := checkExpectedDSO(rules.DSO, &arg.ExpectedDSO); err != nil {
		return none, err
	}
	oldest, newestUsable, err := readRounds(tx, rules.DSO, arg.OpenMiningRoundTriple)
	if err != nil {
		return none, err
	}
	archiveAfter := tx.Now()
	for range 2 {
		archiveAfter = archiveAfter.Add(rules.config().externalPartyTick())
		if _, err := ledger.Create(tx, configStateOf(oldest, newestUsable, archiveAfter)); err != nil {
			return none, err
		}
	}
	return none, nil
}

// readRounds reads three rounds, checks that their numbers are consecutive, and returns the oldest one and the newest
// open one.
func readRounds(
	tx *ledger.Tx, dso Party, triple OpenMiningRoundTriple,
) (oldest, newestUsable OpenMiningRound, err error) {
	var rounds [3]OpenMiningRound
	for i, id := range []lf.CID[OpenMiningRound]{triple.Round0Cid, triple.Round1Cid, triple.Round2Cid} {
		if rounds[i], err = fetchForDSO(tx, dso, id); err != nil {
			return oldest, newestUsable, err
		}
	}
	if err := ledger.Require("round1 = round0 + 1", rounds[1].follows(rounds[0])); err != nil {
		return oldest, newestUsable, err
	}
	if err := ledger.Require("round2 = round1 + 1", rounds[2].follows(rounds[1])); err != nil {
		return oldest, newestUsable, err
	}
	usable := false
	for _, round := range rounds {
		if !tx.IsBefore(round.OpensAt) {
			newestUsable, usable = round, true
		}
	}
	return rounds[0], newestUsable, ledger.Require("One of the rounds is open", usable)
}

func (r OpenMiningRound) follows(other OpenMiningRound) bool {
	return r.Round.Number == other.Round.Number+1
}

// configStateOf is the current state: coins count their fee from the oldest round, price and limits come from the
// newest.
func configStateOf(oldest, newestUsable OpenMiningRound, archiveAfter lf.Timestamp) ExternalPartyConfigState {
	return ExternalPartyConfigState{
		DSO: oldest.DSO, HoldingFeesOpenRoundNumber: oldest.Round, AmuletPrice: newestUsable.AmuletPrice,
		TransferConfig: newestUsable.TransferConfigUSD.v2(), TargetArchiveAfter: archiveAfter,
		RewardCalculationVersion: mintingVersion(newestUsable.RewardConfig),
	}
}
