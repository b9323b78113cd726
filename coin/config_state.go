package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// ExternalPartyConfigState has the rules and prices for transfers of external parties. It lives two days: long enough
// to prepare a transaction, sign it elsewhere and submit it (CIP-0107). There are always two.
type ExternalPartyConfigState struct {
	_   struct{} `lf:"splice-amulet:Splice.ExternalPartyConfigState:ExternalPartyConfigState"`
	DSO Party    `lf:"dso"`
	// HoldingFeesOpenRoundNumber is the round from which coins of this state count their holding fee.
	HoldingFeesOpenRoundNumber Round `lf:"holdingFeesOpenRoundNumber"`
	// AmuletPrice is in US dollars per coin.
	AmuletPrice    decimal.Decimal  `lf:"amuletPrice"`
	TransferConfig TransferConfigV2 `lf:"transferConfig"`
	// TargetArchiveAfter is the earliest time of the replacement; the state may live longer.
	TargetArchiveAfter       lf.Timestamp   `lf:"targetArchiveAfter"`
	RewardCalculationVersion *RewardVersion `lf:"rewardCalculationVersion"`
}

func (s ExternalPartyConfigState) dso() Party { return s.DSO }

func externalPartyConfigStateTemplate() ledger.TemplateSource {
	return ledger.Template[ExternalPartyConfigState]{
		Network:     ledger.DSOSigned(ExternalPartyConfigState.dso),
		Signatories: func(s ExternalPartyConfigState) []Party { return []Party{s.DSO} },
	}
}

// AmuletRulesUpdateExternalPartyConfigStates replaces the older of the two states.
type AmuletRulesUpdateExternalPartyConfigStates struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_UpdateExternalPartyConfigStates"`

	ExternalPartyConfigStateCid0 lf.CID[ExternalPartyConfigState] `lf:"externalPartyConfigStateCid0"`
	ExternalPartyConfigStateCid1 lf.CID[ExternalPartyConfigState] `lf:"externalPartyConfigStateCid1"`
	OpenMiningRoundTriple        OpenMiningRoundTriple            `lf:"openMiningRoundTriple"`
}

// AmuletRulesUpdateExternalPartyConfigStatesResult is the result of [AmuletRulesUpdateExternalPartyConfigStates].
type AmuletRulesUpdateExternalPartyConfigStatesResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_UpdateExternalPartyConfigStatesResult"`

	NewExternalPartyConfigStateCid lf.CID[ExternalPartyConfigState] `lf:"newExternalPartyConfigStateCid"`
}

// updateConfigStates makes a state that lives two ticks. The other one is replaced in between.
func updateConfigStates(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesUpdateExternalPartyConfigStates,
) (result AmuletRulesUpdateExternalPartyConfigStatesResult, err error) {
	oldest, newestUsable, err := readRounds(tx, rules.DSO, arg.OpenMiningRoundTriple)
	if err != nil {
		return result, err
	}
	state0, err := takeForDSO(tx, rules.DSO, arg.ExternalPartyConfigStateCid0)
	if err != nil {
		return result, err
	}
	state1, err := fetchForDSO(tx, rules.DSO, arg.ExternalPartyConfigStateCid1)
	if err != nil {
		return result, err
	}
	const label = "ExternalPartyConfigState0.targetArchiveAfter"
	if err := ledger.RequireDeadlineExceeded(tx, label, state0.TargetArchiveAfter); err != nil {
		return result, err
	}
	inOrder := state0.TargetArchiveAfter <= state1.TargetArchiveAfter
	if err := ledger.Require(label+" <= ExternalPartyConfigState1.targetArchiveAfter", inOrder); err != nil {
		return result, err
	}
	tick := rules.config().externalPartyTick()
	result.NewExternalPartyConfigStateCid, err = ledger.Create(tx,
		configStateOf(oldest, newestUsable, tx.Now().Add(tick).Add(tick)))
	return result, err
}
