package coin

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// DefaultConfig is the first configuration of a network: that of LocalNet, with ticks of ten minutes and the issuance
// curve of the public network. Holding coin costs one US dollar a year, and so does a preapproval, from its first day
// on. Transfers create the reward coupons of featured apps at once.
func DefaultConfig(synchronizerID string) AmuletConfig {
	marker := decimal.FromInt(1)
	return AmuletConfig{
		TransferConfig: TransferConfig{
			HoldingFee:                   RatePerRound{Rate: decimal.MustParse("0.0000190259")},
			ExtraFeaturedAppRewardAmount: marker,
			MaxNumInputs:                 100,
			MaxNumOutputs:                100,
			MaxNumLockHolders:            50,
		},
		IssuanceCurve: defaultIssuanceCurve(),
		DecentralizedSynchronizer: AmuletDecentralizedSynchronizerConfig{
			RequiredSynchronizers: lf.Set[string]{Map: lf.Map[string, lf.Unit]{{Key: synchronizerID}}},
			ActiveSynchronizer:    synchronizerID,
			Fees: SynchronizerFeesConfig{
				BaseRateTrafficLimits:    BaseRateTrafficLimits{BurstAmount: 400_000, BurstWindow: lf.RelTimeOf(20 * time.Minute)},
				ExtraTrafficPrice:        decimal.MustParse("16.67"),
				ReadVsWriteScalingFactor: 4,
				MinTopupAmount:           200_000,
			},
		},
		TickDuration: lf.RelTimeOf(10 * time.Minute),
		PackageConfig: PackageConfig{
			Amulet: "0.1.22", Wallet: "0.1.23", WalletPayments: "0.1.22",
			// No node of a single operator needs these; the versions are those of a LocalNet of April 2026.
			AmuletNameService: "0.1.18", DSOGovernance: "0.1.23", ValidatorLifecycle: "0.1.6",
		},
		FeaturedAppActivityMarkerAmount: &marker,
		TransferPreapprovalBaseDuration: &lf.RelTime{},
	}
}

// defaultIssuanceCurve reduces issuance over ten years and increases the share of apps and validators.
func defaultIssuanceCurve() Schedule[lf.RelTime, IssuanceConfig] {
	type step = lf.Tuple2[lf.RelTime, IssuanceConfig]
	years := func(years decimal.Decimal) lf.RelTime {
		const secondsPerYear = 365 * 24 * 60 * 60
		var calc calc
		seconds, _ := calc.mul(years, decimal.FromInt(secondsPerYear)).Ceiling()
		return lf.RelTimeOf(time.Duration(seconds) * time.Second)
	}
	at := func(after, perYear, validators, apps string) step {
		faucet := decimal.MustParse("2.85")
		return step{V1: years(decimal.MustParse(after)), V2: IssuanceConfig{
			AmuletToIssuePerYear:      decimal.MustParse(perYear),
			ValidatorRewardPercentage: decimal.MustParse(validators),
			AppRewardPercentage:       decimal.MustParse(apps),
			ValidatorRewardCap:        decimal.MustParse("0.2"),
			FeaturedAppRewardCap:      decimal.FromInt(100),
			UnfeaturedAppRewardCap:    decimal.MustParse("0.6"),
			OptValidatorFaucetCap:     &faucet,
		}}
	}
	return Schedule[lf.RelTime, IssuanceConfig]{
		InitialValue: at("0", "40000000000", "0.05", "0.15").V2,
		FutureValues: []step{
			at("0.5", "20000000000", "0.12", "0.4"),
			at("1.5", "10000000000", "0.18", "0.62"),
			at("5", "5000000000", "0.21", "0.69"),
			at("10", "2500000000", "0.2", "0.75"),
		},
	}
}

// Genesis is the start of a network's coin.
type Genesis struct {
	// DSO is the party that administers the coin; the commands act as it.
	DSO    Party
	Config AmuletConfig
	// AmuletPrice is in US dollars per coin, 0.005 on LocalNet.
	AmuletPrice decimal.Decimal
	// RoundZeroDuration is the life of the first open round. A network whose rounds never advance sets it long: two rounds
	// stay usable at one price, and no rewards are issued.
	RoundZeroDuration time.Duration
}

// GenesisCommands are the commands that create AmuletRules, three open mining rounds, two external party configuration
// states and ExternalPartyAmuletRules. They are one transaction, submitted once, acting as the DSO. packages must hold
// [Packages].
func GenesisCommands(packages *ledger.Packages, genesis Genesis) ([]ledger.Command, error) {
	template, err := ledger.TemplateName[AmuletRules](packages)
	if err != nil {
		return nil, fmt.Errorf("genesis of the coin: %w", err)
	}
	rules, err := ledger.Encode(packages, AmuletRules{
		DSO: genesis.DSO, IsDevNet: true,
		ConfigSchedule: Schedule[lf.Timestamp, AmuletConfig]{InitialValue: genesis.Config},
	})
	if err != nil {
		return nil, fmt.Errorf("genesis of the coin: %w", err)
	}
	rounds, err := ledger.Encode(packages, AmuletRulesBootstrapRounds{
		AmuletPrice: genesis.AmuletPrice, Round0Duration: lf.RelTimeOf(genesis.RoundZeroDuration),
	})
	if err != nil {
		return nil, fmt.Errorf("genesis of the coin: %w", err)
	}
	externalTemplate, err := ledger.TemplateName[ExternalPartyAmuletRules](packages)
	if err != nil {
		return nil, fmt.Errorf("genesis of the coin: %w", err)
	}
	externalRules, err := ledger.Encode(packages, ExternalPartyAmuletRules{DSO: genesis.DSO})
	if err != nil {
		return nil, fmt.Errorf("genesis of the coin: %w", err)
	}
	return []ledger.Command{
		{CreateAndExercise: &ledger.CreateAndExerciseCommand{
			Template: template, CreateArgument: rules,
			Choice: "AmuletRules_Bootstrap_Rounds", ChoiceArgument: rounds,
		}},
		{Create: &ledger.CreateCommand{Template: externalTemplate, Argument: externalRules}},
	}, nil
}
