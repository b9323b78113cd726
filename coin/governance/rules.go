package governance

import (
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// DSORules has the super validators of the network and their terms.
type DSORules struct {
	_             struct{}                               `lf:"splice-dso-governance:Splice.DsoRules:DsoRules"`
	DSO           ledger.Party                           `lf:"dso"`
	Epoch         int64                                  `lf:"epoch"`
	SVs           lf.Map[ledger.Party, SVInfo]           `lf:"svs"`
	OffboardedSVs lf.Map[ledger.Party, OffboardedSVInfo] `lf:"offboardedSvs"`
	// DSODelegate was the one that acts for all of them; upstream no longer uses it.
	DSODelegate ledger.Party `lf:"dsoDelegate"`
	Config      Config       `lf:"config"`
	// InitialTrafficState is the traffic that members used before the network started; always empty outside of upstream's
	// tests.
	InitialTrafficState lf.Map[string, TrafficState] `lf:"initialTrafficState"`
	IsDevNet            bool                         `lf:"isDevNet"`
}

// SVInfo is a super validator.
type SVInfo struct {
	_ struct{} `lf:"splice-dso-governance:Splice.DsoRules:SvInfo"`
	// Name is for people, and unique.
	Name            string     `lf:"name"`
	JoinedAsOfRound coin.Round `lf:"joinedAsOfRound"`
	// SVRewardWeight is its share of the super validators' rewards, in ten-thousandths.
	SVRewardWeight int64  `lf:"svRewardWeight"`
	ParticipantID  string `lf:"participantId"`
}

// OffboardedSVInfo is a super validator that was voted out.
type OffboardedSVInfo struct {
	_             struct{} `lf:"splice-dso-governance:Splice.DsoRules:OffboardedSvInfo"`
	Name          string   `lf:"name"`
	ParticipantID string   `lf:"participantId"`
}

// TrafficState is the used traffic of a member, in bytes.
type TrafficState struct {
	_               struct{} `lf:"splice-dso-governance:Splice.DsoRules:TrafficState"`
	ConsumedTraffic int64    `lf:"consumedTraffic"`
}

// Config are the terms of governance.
type Config struct {
	_ struct{} `lf:"splice-dso-governance:Splice.DsoRules:DsoRulesConfig"`

	NumUnclaimedRewardsThreshold       int64                `lf:"numUnclaimedRewardsThreshold"`
	NumMemberTrafficContractsThreshold int64                `lf:"numMemberTrafficContractsThreshold"`
	ActionConfirmationTimeout          lf.RelTime           `lf:"actionConfirmationTimeout"`
	SVOnboardingRequestTimeout         lf.RelTime           `lf:"svOnboardingRequestTimeout"`
	SVOnboardingConfirmedTimeout       lf.RelTime           `lf:"svOnboardingConfirmedTimeout"`
	VoteRequestTimeout                 lf.RelTime           `lf:"voteRequestTimeout"`
	DSODelegateInactiveTimeout         lf.RelTime           `lf:"dsoDelegateInactiveTimeout"`
	SynchronizerNodeConfigLimits       NodeConfigLimits     `lf:"synchronizerNodeConfigLimits"`
	MaxTextLength                      int64                `lf:"maxTextLength"`
	DecentralizedSynchronizer          SynchronizersConfig  `lf:"decentralizedSynchronizer"`
	NextScheduledSynchronizerUpgrade   *SynchronizerUpgrade `lf:"nextScheduledSynchronizerUpgrade"`
	VoteCooldownTime                   *lf.RelTime          `lf:"voteCooldownTime"`
}

// NodeConfigLimits limits the data of a super validator about its nodes.
type NodeConfigLimits struct {
	_ struct{} `lf:"splice-dso-governance:Splice.DSO.DecentralizedSynchronizer:SynchronizerNodeConfigLimits"`

	CometBFT CometBFTConfigLimits `lf:"cometBft"`
}

// CometBFTConfigLimits limits the data of a super validator about its consensus nodes.
type CometBFTConfigLimits struct {
	_                    struct{} `lf:"splice-dso-governance:Splice.CometBft:CometBftConfigLimits"`
	MaxNumCometBFTNodes  int64    `lf:"maxNumCometBftNodes"`
	MaxNumGovernanceKeys int64    `lf:"maxNumGovernanceKeys"`
	MaxNumSequencingKeys int64    `lf:"maxNumSequencingKeys"`
	MaxNodeIDLength      int64    `lf:"maxNodeIdLength"`
	MaxPubKeyLength      int64    `lf:"maxPubKeyLength"`
}

// SynchronizersConfig are the synchronizers of the network.
type SynchronizersConfig struct {
	_ struct{} `lf:"splice-dso-governance:Splice.DSO.DecentralizedSynchronizer:DsoDecentralizedSynchronizerConfig"`

	Synchronizers        lf.Map[string, SynchronizerConfig] `lf:"synchronizers"`
	LastSynchronizerID   string                             `lf:"lastSynchronizerId"`
	ActiveSynchronizerID string                             `lf:"activeSynchronizerId"`
}

// SynchronizerConfig is the common configuration of all nodes of a synchronizer.
type SynchronizerConfig struct {
	_ struct{} `lf:"splice-dso-governance:Splice.DSO.DecentralizedSynchronizer:SynchronizerConfig"`

	State SynchronizerState `lf:"state"`
	// CometBFTGenesisJSON starts consensus nodes; one node needs no consensus.
	CometBFTGenesisJSON                 string `lf:"cometBftGenesisJson"`
	ACSCommitmentReconciliationInterval *int64 `lf:"acsCommitmentReconciliationInterval"`
}

// SynchronizerState is a phase of a synchronizer's life.
type SynchronizerState string

// The states of a synchronizer.
const (
	Bootstrapping  SynchronizerState = "DS_Bootstrapping"
	Operational    SynchronizerState = "DS_Operational"
	Decommissioned SynchronizerState = "DS_Decomissioned" //nolint:misspell // as upstream spells it
	// ExtState is the constructor that upstream kept for additions.
	ExtState SynchronizerState = "ExtSynchronizerState"
)

// EnumType implements [lf.Enumeration].
func (SynchronizerState) EnumType() lf.EnumType {
	return lf.EnumType{
		Name:         "splice-dso-governance:Splice.DSO.DecentralizedSynchronizer:SynchronizerState",
		Constructors: []string{string(Bootstrapping), string(Operational), string(Decommissioned), string(ExtState)},
	}
}

// SynchronizerUpgrade is the time of the network's move to another synchronizer.
type SynchronizerUpgrade struct {
	_           struct{}     `lf:"splice-dso-governance:Splice.DsoRules:SynchronizerUpgradeSchedule"`
	Time        lf.Timestamp `lf:"time"`
	MigrationID int64        `lf:"migrationId"`
}

// Packages returns the package splice-dso-governance. Upstream's id is not known here, so it has its own id; clients
// use its name.
func Packages() []ledger.Package {
	const name, version = "splice-dso-governance", "0.1.23"
	return []ledger.Package{{
		Name: name, Version: version, ID: coin.LocalPackageID(name, version),
		Templates: []ledger.TemplateSource{
			ledger.Template[DSORules]{
				Network:     ledger.DSOSigned(func(r DSORules) ledger.Party { return r.DSO }),
				Signatories: func(r DSORules) []ledger.Party { return []ledger.Party{r.DSO} },
			},
		},
	}}
}

// SoleOperator is the rules of a network with one super validator, with upstream's terms.
func SoleOperator(dso, operator ledger.Party, name, participantID, synchronizerID string) DSORules {
	const wholeWeight = 10_000
	return DSORules{
		DSO: dso, DSODelegate: operator, IsDevNet: true,
		SVs: lf.Map[ledger.Party, SVInfo]{{Key: operator, Value: SVInfo{
			Name: name, SVRewardWeight: wholeWeight, ParticipantID: participantID,
		}}},
		Config: Config{
			NumUnclaimedRewardsThreshold: 10, NumMemberTrafficContractsThreshold: 5,
			ActionConfirmationTimeout: lf.RelTimeOf(time.Hour), SVOnboardingRequestTimeout: lf.RelTimeOf(time.Hour),
			SVOnboardingConfirmedTimeout: lf.RelTimeOf(time.Hour), VoteRequestTimeout: lf.RelTimeOf(7 * 24 * time.Hour),
			DSODelegateInactiveTimeout: lf.RelTimeOf(70 * time.Second),
			SynchronizerNodeConfigLimits: NodeConfigLimits{CometBFT: CometBFTConfigLimits{
				MaxNumCometBFTNodes: 2, MaxNumGovernanceKeys: 2, MaxNumSequencingKeys: 2, MaxNodeIDLength: 50,
				MaxPubKeyLength: 256,
			}},
			MaxTextLength: 1024,
			DecentralizedSynchronizer: SynchronizersConfig{
				Synchronizers: lf.Map[string, SynchronizerConfig]{
					{Key: synchronizerID, Value: SynchronizerConfig{State: Operational}},
				},
				LastSynchronizerID: synchronizerID, ActiveSynchronizerID: synchronizerID,
			},
		},
	}
}

// Founding is the command that creates the rules. packages must hold [Packages].
func Founding(packages *ledger.Packages, rules DSORules) (ledger.Command, error) {
	template, err := ledger.TemplateName[DSORules](packages)
	if err != nil {
		return ledger.Command{}, err
	}
	argument, err := ledger.Encode(packages, rules)
	return ledger.Command{Create: &ledger.CreateCommand{Template: template, Argument: argument}}, err
}
