package coin

import (
	"slices"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// TransferConfig holds the fees and limits of transfers. Fees are in US dollars. Since CIP-0078 all but the holding fee
// must be zero.
type TransferConfig struct {
	_                            struct{}        `lf:"splice-amulet:Splice.AmuletConfig:TransferConfig"`
	CreateFee                    FixedFee        `lf:"createFee"`
	HoldingFee                   RatePerRound    `lf:"holdingFee"`
	TransferFee                  SteppedRate     `lf:"transferFee"`
	LockHolderFee                FixedFee        `lf:"lockHolderFee"`
	ExtraFeaturedAppRewardAmount decimal.Decimal `lf:"extraFeaturedAppRewardAmount"`
	MaxNumInputs                 int64           `lf:"maxNumInputs"`
	MaxNumOutputs                int64           `lf:"maxNumOutputs"`
	MaxNumLockHolders            int64           `lf:"maxNumLockHolders"`
	// TokenStandardMaxTTL bounds the life of transfer instructions and allocations; nil means 90 days.
	TokenStandardMaxTTL *lf.RelTime `lf:"tokenStandardMaxTTL"`
}

// TransferConfigV2 is [TransferConfig] without the fees that are always zero.
type TransferConfigV2 struct {
	_                   struct{}     `lf:"splice-amulet:Splice.AmuletConfig:TransferConfigV2"`
	HoldingFee          RatePerRound `lf:"holdingFee"`
	MaxNumInputs        int64        `lf:"maxNumInputs"`
	MaxNumOutputs       int64        `lf:"maxNumOutputs"`
	MaxNumLockHolders   int64        `lf:"maxNumLockHolders"`
	TokenStandardMaxTTL *lf.RelTime  `lf:"tokenStandardMaxTTL"`
}

// AmuletConfig is the configuration of the network's coin.
type AmuletConfig struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletConfig:AmuletConfig"`

	TransferConfig            TransferConfig                        `lf:"transferConfig"`
	IssuanceCurve             Schedule[lf.RelTime, IssuanceConfig]  `lf:"issuanceCurve"`
	DecentralizedSynchronizer AmuletDecentralizedSynchronizerConfig `lf:"decentralizedSynchronizer"`
	// TickDuration is half the normal life of an open mining round.
	TickDuration  lf.RelTime    `lf:"tickDuration"`
	PackageConfig PackageConfig `lf:"packageConfig"`
	// TransferPreapprovalFee is in US dollars per day; nil means 0.00274.
	TransferPreapprovalFee *decimal.Decimal `lf:"transferPreapprovalFee"`
	// FeaturedAppActivityMarkerAmount is the activity of a marker of weight 1, in US dollars.
	FeaturedAppActivityMarkerAmount *decimal.Decimal `lf:"featuredAppActivityMarkerAmount"`
	OptDevelopmentFundManager       *Party           `lf:"optDevelopmentFundManager"`
	// ExternalPartyConfigStateTickDuration is half the life of an ExternalPartyConfigState; nil means 24 hours.
	ExternalPartyConfigStateTickDuration *lf.RelTime `lf:"externalPartyConfigStateTickDuration"`
	// RewardConfig is nil if transfers create the app reward coupons of featured providers at once.
	RewardConfig *RewardConfig `lf:"rewardConfig"`
	// TransferPreapprovalBaseDuration is the free part of a preapproval's life; nil means 90 days (CIP-0119).
	// [DefaultConfig] has 0.
	TransferPreapprovalBaseDuration *lf.RelTime `lf:"transferPreapprovalBaseDuration"`
}

// PackageConfig has the version of each package that submissions should use.
type PackageConfig struct {
	_                  struct{} `lf:"splice-amulet:Splice.AmuletConfig:PackageConfig"`
	Amulet             string   `lf:"amulet"`
	AmuletNameService  string   `lf:"amuletNameService"`
	DSOGovernance      string   `lf:"dsoGovernance"`
	ValidatorLifecycle string   `lf:"validatorLifecycle"`
	Wallet             string   `lf:"wallet"`
	WalletPayments     string   `lf:"walletPayments"`
}

// RewardVersion is the calculation of app rewards.
type RewardVersion string

// The reward versions.
const (
	// RewardVersionFeaturedAppMarkers counts markers, which transfers create and the DSO turns into coupons.
	RewardVersionFeaturedAppMarkers RewardVersion = "RewardVersion_FeaturedAppMarkers"
	// RewardVersionTrafficBased computes rewards from traffic, outside the ledger (CIP-0104).
	RewardVersionTrafficBased RewardVersion = "RewardVersion_TrafficBasedAppRewards"
)

// EnumType describes the enumeration.
func (RewardVersion) EnumType() lf.EnumType {
	return lf.EnumType{
		Name:         "splice-amulet:Splice.AmuletConfig:RewardVersion",
		Constructors: []string{string(RewardVersionFeaturedAppMarkers), string(RewardVersionTrafficBased)},
	}
}

// usesMarkers reports whether markers count; nil is the version before the choice existed.
func usesMarkers(version *RewardVersion) bool {
	return valueOr(version, RewardVersionFeaturedAppMarkers) == RewardVersionFeaturedAppMarkers
}

// RewardConfig configures reward accounting (CIP-0104).
type RewardConfig struct {
	_              struct{}       `lf:"splice-amulet:Splice.AmuletConfig:RewardConfig"`
	MintingVersion RewardVersion  `lf:"mintingVersion"`
	DryRunVersion  *RewardVersion `lf:"dryRunVersion"`
	BatchSize      int64          `lf:"batchSize"`
	// RewardCouponTimeToLive is the time to mint a coupon; upstream suggests 36 hours.
	RewardCouponTimeToLive lf.RelTime `lf:"rewardCouponTimeToLive"`
	// AppRewardCouponThreshold is the least reward, in US dollars, that gets a coupon.
	AppRewardCouponThreshold decimal.Decimal `lf:"appRewardCouponThreshold"`
}

func mintingVersion(config *RewardConfig) *RewardVersion {
	if config == nil {
		return nil
	}
	return &config.MintingVersion
}

// AmuletDecentralizedSynchronizerConfig has the synchronizers of the network and the price of their traffic.
type AmuletDecentralizedSynchronizerConfig struct {
	_ struct{} `lf:"splice-amulet:Splice.DecentralizedSynchronizer:AmuletDecentralizedSynchronizerConfig"`
	// RequiredSynchronizers are those with traffic for sale.
	RequiredSynchronizers lf.Set[string] `lf:"requiredSynchronizers"`
	// ActiveSynchronizer is the one for transactions; one of the required ones.
	ActiveSynchronizer string                 `lf:"activeSynchronizer"`
	Fees               SynchronizerFeesConfig `lf:"fees"`
}

// SynchronizerFeesConfig is the price of traffic.
type SynchronizerFeesConfig struct {
	_ struct{} `lf:"splice-amulet:Splice.DecentralizedSynchronizer:SynchronizerFeesConfig"`

	BaseRateTrafficLimits BaseRateTrafficLimits `lf:"baseRateTrafficLimits"`
	// ExtraTrafficPrice is in US dollars per megabyte.
	ExtraTrafficPrice decimal.Decimal `lf:"extraTrafficPrice"`
	// ReadVsWriteScalingFactor is the cost of a delivery relative to a write, in parts of 10,000.
	ReadVsWriteScalingFactor int64 `lf:"readVsWriteScalingFactor"`
	// MinTopupAmount is the least traffic in a purchase, in bytes.
	MinTopupAmount int64 `lf:"minTopupAmount"`
}

// BaseRateTrafficLimits is the free traffic of each member: BurstAmount bytes in each BurstWindow.
type BaseRateTrafficLimits struct {
	_           struct{}   `lf:"splice-amulet:Splice.DecentralizedSynchronizer:BaseRateTrafficLimits"`
	BurstAmount int64      `lf:"burstAmount"`
	BurstWindow lf.RelTime `lf:"burstWindow"`
}

func (c AmuletConfig) valid() bool {
	marker := c.FeaturedAppActivityMarkerAmount
	active := func(entry lf.Entry[string, lf.Unit]) bool {
		return entry.Key == c.DecentralizedSynchronizer.ActiveSynchronizer
	}
	return c.TransferConfig.valid() && validIssuanceCurve(c.IssuanceCurve) &&
		slices.ContainsFunc(c.DecentralizedSynchronizer.RequiredSynchronizers.Map, active) &&
		c.TickDuration.Microseconds > 0 &&
		valueOr(c.TransferPreapprovalFee, one()).Sign() >= 0 &&
		marker != nil && marker.Equal(c.TransferConfig.ExtraFeaturedAppRewardAmount) &&
		(c.RewardConfig == nil || c.RewardConfig.valid())
}

func (c TransferConfig) valid() bool {
	paidStep := func(step lf.Tuple2[decimal.Decimal, decimal.Decimal]) bool { return !step.V2.IsZero() }
	return c.CreateFee.Fee.IsZero() && c.LockHolderFee.Fee.IsZero() && c.TransferFee.InitialRate.IsZero() &&
		!slices.ContainsFunc(c.TransferFee.Steps, paidStep) &&
		c.HoldingFee.Rate.Sign() >= 0 && c.ExtraFeaturedAppRewardAmount.Sign() >= 0 &&
		c.MaxNumInputs >= 1 && c.MaxNumOutputs >= 1 && c.MaxNumLockHolders >= 0
}

func (c RewardConfig) valid() bool {
	return c.BatchSize > 0 && c.RewardCouponTimeToLive.Microseconds > 0 && c.AppRewardCouponThreshold.Sign() >= 0
}

// externalPartyTick is the time between two ExternalPartyConfigStates.
func (c AmuletConfig) externalPartyTick() lf.RelTime {
	return valueOr(c.ExternalPartyConfigStateTickDuration, lf.RelTimeOf(24*time.Hour))
}

// preapprovalFee is the price of a day of a preapproval, in US dollars.
func (c AmuletConfig) preapprovalFee() decimal.Decimal {
	return valueOr(c.TransferPreapprovalFee, decimal.MustParse("0.00274"))
}

// preapprovalBaseDuration is the free part of a preapproval's life.
func (c AmuletConfig) preapprovalBaseDuration() lf.RelTime {
	const usualDays = 90
	return valueOr(c.TransferPreapprovalBaseDuration, lf.RelTimeOf(usualDays*24*time.Hour))
}

func (c TransferConfig) v2() TransferConfigV2 {
	return TransferConfigV2{
		HoldingFee: c.HoldingFee, MaxNumInputs: c.MaxNumInputs, MaxNumOutputs: c.MaxNumOutputs,
		MaxNumLockHolders: c.MaxNumLockHolders, TokenStandardMaxTTL: c.TokenStandardMaxTTL,
	}
}

// tokenStandardMaxTTL is the longest lock of transfer instructions and allocations.
func (c TransferConfigV2) tokenStandardMaxTTL() lf.RelTime {
	const usualDays = 90
	return valueOr(c.TokenStandardMaxTTL, lf.RelTimeOf(usualDays*24*time.Hour))
}

// inCoin converts the fees from US dollars at a price in US dollars per coin. It rounds twice, 1/price and then the
// product with the fee, as upstream does.
func (c TransferConfigV2) inCoin(price decimal.Decimal) (TransferConfigV2, error) {
	var calc calc
	c.HoldingFee.Rate = calc.mul(calc.div(one(), price), c.HoldingFee.Rate)
	return c, calc.failure()
}
