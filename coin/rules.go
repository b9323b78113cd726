package coin

import (
	"slices"
	"time"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRules is the contract of a network that mints and moves coin. The DSO signs it, so its choices have the DSO's
// authority beside the caller's.
type AmuletRules struct {
	_   struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules"`
	DSO Party    `lf:"dso"`
	// ConfigSchedule has no future values any more: its initial value is the configuration.
	ConfigSchedule Schedule[lf.Timestamp, AmuletConfig] `lf:"configSchedule"`
	// IsDevNet allows everybody to mint coin and to be a featured app.
	IsDevNet                   bool   `lf:"isDevNet"`
	ContractStateSchemaVersion *int64 `lf:"contractStateSchemaVersion"`
}

func (r AmuletRules) dso() Party           { return r.DSO }
func (r AmuletRules) config() AmuletConfig { return r.ConfigSchedule.InitialValue }

// LongestTransfer is the longest lock of a transfer in two steps.
func (r AmuletRules) LongestTransfer() time.Duration {
	return r.config().TransferConfig.v2().tokenStandardMaxTTL().Duration()
}

// AmuletRulesTransfer moves coin.
type AmuletRulesTransfer struct {
	_           struct{}        `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_Transfer"`
	Transfer    Transfer        `lf:"transfer"`
	Context     TransferContext `lf:"context"`
	ExpectedDSO *Party          `lf:"expectedDso"`
}

// AmuletRulesComputeFees computed the fees of a transfer, when transfers had fees.
type AmuletRulesComputeFees struct {
	_           struct{}         `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ComputeFees"`
	Context     TransferContext  `lf:"context"`
	Sender      Party            `lf:"sender"`
	Outputs     []TransferOutput `lf:"outputs"`
	ExpectedDSO *Party           `lf:"expectedDso"`
}

// AmuletRulesComputeFeesResult was the result of [AmuletRulesComputeFees].
type AmuletRulesComputeFeesResult struct {
	_    struct{}          `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ComputeFeesResult"`
	Fees []decimal.Decimal `lf:"fees"`
}

// AmuletRulesDevNetTap mints coin for any caller, on development networks.
type AmuletRulesDevNetTap struct {
	_         struct{}                `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_DevNet_Tap"`
	Receiver  Party                   `lf:"receiver"`
	Amount    decimal.Decimal         `lf:"amount"`
	OpenRound lf.CID[OpenMiningRound] `lf:"openRound"`
}

// AmuletRulesDevNetTapResult is the result of [AmuletRulesDevNetTap].
type AmuletRulesDevNetTapResult struct {
	_         struct{}                            `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_DevNet_TapResult"`
	AmuletSum AmuletCreateSummary[lf.CID[Amulet]] `lf:"amuletSum"`
	Meta      *token.Metadata                     `lf:"meta"`
}

// AmuletRulesMint mints coin with the DSO's own agreement, on development networks.
type AmuletRulesMint struct {
	_         struct{}                `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_Mint"`
	Receiver  Party                   `lf:"receiver"`
	Amount    decimal.Decimal         `lf:"amount"`
	OpenRound lf.CID[OpenMiningRound] `lf:"openRound"`
	Reason    *string                 `lf:"reason"`
}

// AmuletRulesMintResult is the result of [AmuletRulesMint].
type AmuletRulesMintResult struct {
	_         struct{}                            `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MintResult"`
	AmuletSum AmuletCreateSummary[lf.CID[Amulet]] `lf:"amuletSum"`
}

// AmuletRulesDevNetFeatureApp makes any caller a featured app, on development networks.
type AmuletRulesDevNetFeatureApp struct {
	_              struct{}         `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_DevNet_FeatureApp"`
	Provider       Party            `lf:"provider"`
	ActivityWeight *decimal.Decimal `lf:"activityWeight"`
}

// AmuletRulesDevNetFeatureAppResult is the result of [AmuletRulesDevNetFeatureApp].
type AmuletRulesDevNetFeatureAppResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_DevNet_FeatureAppResult"`

	FeaturedAppRightCid lf.CID[FeaturedAppRight] `lf:"featuredAppRightCid"`
}

// AmuletRulesFetch shows the rules to a party that is no stakeholder.
type AmuletRulesFetch struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_Fetch"`
	P Party    `lf:"p"`
}

func amuletRulesTemplate() ledger.TemplateSource {
	return ledger.Template[AmuletRules]{
		Network:     ledger.DSOSigned(AmuletRules.dso),
		Signatories: func(r AmuletRules) []Party { return []Party{r.DSO} },
		Ensure: ledger.That("the values of the configuration are within their bounds", func(r AmuletRules) bool {
			return r.config().valid()
		}).And("the schedule has no future values", func(r AmuletRules) bool {
			return len(r.ConfigSchedule.FutureValues) == 0
		}).And("the schema version is not negative", func(r AmuletRules) bool {
			return valueOr(r.ContractStateSchemaVersion, 0) >= 0
		}),
		Choices: slices.Concat(
			useChoices(), preapprovalChoices(), trafficChoices(), roundChoices(), rewardChoices(), rewardChoicesV2(),
			fundChoices(), configChoices()),
	}
}

func useChoices() []ledger.ChoiceOf[AmuletRules] {
	return []ledger.ChoiceOf[AmuletRules]{
		ledger.Choice[AmuletRules, AmuletRulesTransfer, TransferResult]{
			Controllers: func(_ AmuletRules, arg AmuletRulesTransfer) []Party { return arg.Transfer.controllers() },
			Body:        transfer,
		},
		ledger.Choice[AmuletRules, AmuletRulesDevNetTap, AmuletRulesDevNetTapResult]{
			Controllers: func(_ AmuletRules, arg AmuletRulesDevNetTap) []Party { return []Party{arg.Receiver} },
			Body:        tap,
		},
		ledger.Choice[AmuletRules, AmuletRulesMint, AmuletRulesMintResult]{
			Controllers: func(r AmuletRules, arg AmuletRulesMint) []Party { return []Party{r.DSO, arg.Receiver} },
			Body:        mint,
		},
		ledger.Choice[AmuletRules, AmuletRulesDevNetFeatureApp, AmuletRulesDevNetFeatureAppResult]{
			Controllers: func(_ AmuletRules, arg AmuletRulesDevNetFeatureApp) []Party {
				return []Party{arg.Provider}
			},
			Body: featureApp,
		},
		ledger.Choice[AmuletRules, AmuletRulesFetch, AmuletRules]{
			Controllers: func(_ AmuletRules, arg AmuletRulesFetch) []Party { return []Party{arg.P} },
			Body: func(
				_ *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, _ AmuletRulesFetch,
			) (AmuletRules, error) {
				return rules, nil
			},
		},
		abortingChoice[AmuletRulesComputeFeesResult]("AmuletRules_ComputeFees", false,
			func(_ AmuletRules, arg AmuletRulesComputeFees) []Party { return []Party{arg.Sender} }),
		ledger.Choice[AmuletRules, AmuletRulesBootstrapRounds, AmuletRulesBootstrapRoundsResult]{
			Controllers: func(r AmuletRules, _ AmuletRulesBootstrapRounds) []Party { return []Party{r.DSO} },
			Body:        bootstrapRounds,
		},
		ledger.Choice[
			AmuletRules, AmuletRulesBootstrapExternalPartyConfigState,
			AmuletRulesBootstrapExternalPartyConfigStateResult]{
			Controllers: func(r AmuletRules, _ AmuletRulesBootstrapExternalPartyConfigState) []Party {
				return []Party{r.DSO}
			},
			Body: bootstrapConfigStates,
		},
	}
}

func transfer(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesTransfer,
) (TransferResult, error) {
	if err := checkExpectedDSO(rules.DSO, arg.ExpectedDSO); err != nil {
		return TransferResult{}, err
	}
	context, err := resolveContext(tx, rules.DSO, arg.Transfer.Sender, arg.Transfer.Provider, arg.Context)
	if err != nil {
		return TransferResult{}, err
	}
	return executeTransfer(tx, &context, arg.Transfer)
}

// maxTap is the most coin that one tap mints.
const maxTap = 100_000_000

func tap(
	tx *ledger.Tx, self lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesDevNetTap,
) (none AmuletRulesDevNetTapResult, err error) {
	if err := ledger.Require("isDevNet flag is true", rules.IsDevNet); err != nil {
		return none, err
	}
	if err := ledger.Require("Tapped amount <= 100,000,000", atMost(arg.Amount, decimal.FromInt(maxTap))); err != nil {
		return none, err
	}
	reason := "tapped DevNet faucet"
	minted, err := ledger.Exercise[AmuletRulesMintResult](tx, self, AmuletRulesMint{
		Receiver: arg.Receiver, Amount: arg.Amount, OpenRound: arg.OpenRound, Reason: &reason,
	})
	meta := holdingMeta(txMint, reason, decimal.Decimal{})
	return AmuletRulesDevNetTapResult{AmuletSum: minted.AmuletSum, Meta: &meta}, err
}

// mint creates new coin. The round must belong to the DSO, but need not be open.
func mint(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesMint,
) (none AmuletRulesMintResult, err error) {
	if err := ledger.Require("isDevNet flag is true", rules.IsDevNet); err != nil {
		return none, err
	}
	round, err := fetchForDSO(tx, rules.DSO, arg.OpenRound)
	if err != nil {
		return none, err
	}
	config, err := round.TransferConfigUSD.v2().inCoin(round.AmuletPrice)
	if err != nil {
		return none, err
	}
	amulet, err := ledger.Create(tx, Amulet{DSO: rules.DSO, Owner: arg.Receiver, Amount: ExpiringAmount{
		InitialAmount: arg.Amount, CreatedAt: round.Round, RatePerRound: config.HoldingFee,
	}})
	return AmuletRulesMintResult{AmuletSum: AmuletCreateSummary[lf.CID[Amulet]]{
		Amulet: amulet, AmuletPrice: round.AmuletPrice, Round: round.Round,
	}}, err
}

func featureApp(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesDevNetFeatureApp,
) (none AmuletRulesDevNetFeatureAppResult, err error) {
	if err := ledger.Require("isDevNet flag is true", rules.IsDevNet); err != nil {
		return none, err
	}
	right, err := ledger.Create(tx,
		FeaturedAppRight{DSO: rules.DSO, Provider: arg.Provider, ActivityWeight: arg.ActivityWeight})
	return AmuletRulesDevNetFeatureAppResult{FeaturedAppRightCid: right}, err
}
