package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Transfer moves coin: it consumes the sender's inputs, creates the outputs, and gives the sender the change.
type Transfer struct {
	_      struct{} `lf:"splice-amulet:Splice.AmuletRules:Transfer"`
	Sender Party    `lf:"sender"`
	// Provider is the app that gets the rewards for the transfer.
	Provider Party            `lf:"provider"`
	Inputs   []TransferInput  `lf:"inputs"`
	Outputs  []TransferOutput `lf:"outputs"`
	// Beneficiaries share the provider's reward; nil means the provider alone.
	Beneficiaries *[]AppRewardBeneficiary `lf:"beneficiaries"`
}

// controllers are all parties that must authorize the transfer: also receivers and lock holders, who must agree.
func (t Transfer) controllers() []Party {
	controllers := []Party{t.Sender, t.Provider}
	for _, output := range t.Outputs {
		controllers = append(controllers, output.Receiver)
		if output.Lock != nil {
			controllers = append(controllers, output.Lock.Holders...)
		}
	}
	return controllers
}

// TransferInput is a coin that a transfer spends, or a coupon that it mints. Exactly one field is set.
type TransferInput struct {
	_ struct{} `lf:"variant splice-amulet:Splice.AmuletRules:TransferInput"`

	AppRewardCoupon                 *lf.CID[AppRewardCoupon]                 `lf:"InputAppRewardCoupon"`
	ValidatorRewardCoupon           *lf.CID[ValidatorRewardCoupon]           `lf:"InputValidatorRewardCoupon"`
	SvRewardCoupon                  *lf.CID[SvRewardCoupon]                  `lf:"InputSvRewardCoupon"`
	Amulet                          *lf.CID[Amulet]                          `lf:"InputAmulet"`
	Ext                             *ExtTransferInput                        `lf:"ExtTransferInput"`
	ValidatorLivenessActivityRecord *lf.CID[ValidatorLivenessActivityRecord] `lf:"InputValidatorLivenessActivityRecord"`
	UnclaimedActivityRecord         *lf.CID[UnclaimedActivityRecord]         `lf:"InputUnclaimedActivityRecord"`
	DevelopmentFundCoupon           *lf.CID[DevelopmentFundCoupon]           `lf:"InputDevelopmentFundCoupon"`
	RewardCouponV2                  *lf.CID[RewardCouponV2]                  `lf:"InputRewardCouponV2"`
}

// ExtTransferInput was upstream's constructor for new inputs, before variants could be extended.
type ExtTransferInput struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferInput.ExtTransferInput"`

	DummyUnitField                lf.Unit                        `lf:"dummyUnitField"`
	OptInputValidatorFaucetCoupon *lf.CID[ValidatorFaucetCoupon] `lf:"optInputValidatorFaucetCoupon"`
}

// InputAmulet is the input that spends a coin.
func InputAmulet(id lf.CID[Amulet]) TransferInput { return TransferInput{Amulet: &id} }

// TransferOutput is a coin that a transfer creates.
type TransferOutput struct {
	_        struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferOutput"`
	Receiver Party    `lf:"receiver"`
	// ReceiverFeeRatio is the receiver's share of the output fee, 0 to 1. The output fee is always zero now.
	ReceiverFeeRatio decimal.Decimal `lf:"receiverFeeRatio"`
	Amount           decimal.Decimal `lf:"amount"`
	// Lock is nil for an unlocked coin.
	Lock *TimeLock       `lf:"lock"`
	Meta *token.Metadata `lf:"meta"`
}

// TransferContext has the contracts that a transfer refers to. The sender's node finds and discloses them.
type TransferContext struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferContext"`

	OpenMiningRound     lf.CID[OpenMiningRound]                   `lf:"openMiningRound"`
	IssuingMiningRounds lf.Map[Round, lf.CID[IssuingMiningRound]] `lf:"issuingMiningRounds"`
	// ValidatorRights are by user.
	ValidatorRights  lf.Map[Party, lf.CID[ValidatorRight]] `lf:"validatorRights"`
	FeaturedAppRight *lf.CID[FeaturedAppRight]             `lf:"featuredAppRight"`
}

// ExternalPartyTransferContext has the contracts for a transfer that is signed elsewhere: they stay valid for a day or
// more after the preparation (CIP-0107).
type ExternalPartyTransferContext struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:ExternalPartyTransferContext"`

	ExternalPartyConfigState lf.CID[ExternalPartyConfigState] `lf:"externalPartyConfigState"`
	FeaturedAppRight         *lf.CID[FeaturedAppRight]        `lf:"featuredAppRight"`
}

// TransferResult is the result of a transfer.
type TransferResult struct {
	_       struct{}        `lf:"splice-amulet:Splice.AmuletRules:TransferResult"`
	Round   Round           `lf:"round"`
	Summary TransferSummary `lf:"summary"`
	// CreatedAmulets are in the order of the outputs.
	CreatedAmulets     []CreatedAmulet `lf:"createdAmulets"`
	SenderChangeAmulet *lf.CID[Amulet] `lf:"senderChangeAmulet"`
	Meta               *token.Metadata `lf:"meta"`
}

// TransferSummary adds up a transfer, in coin.
type TransferSummary struct {
	_                          struct{}                     `lf:"splice-amulet:Splice.AmuletRules:TransferSummary"`
	InputAppRewardAmount       decimal.Decimal              `lf:"inputAppRewardAmount"`
	InputValidatorRewardAmount decimal.Decimal              `lf:"inputValidatorRewardAmount"`
	InputSvRewardAmount        decimal.Decimal              `lf:"inputSvRewardAmount"`
	InputAmuletAmount          decimal.Decimal              `lf:"inputAmuletAmount"`
	BalanceChanges             lf.Map[Party, BalanceChange] `lf:"balanceChanges"`
	HoldingFees                decimal.Decimal              `lf:"holdingFees"`
	OutputFees                 []decimal.Decimal            `lf:"outputFees"`
	SenderChangeFee            decimal.Decimal              `lf:"senderChangeFee"`
	SenderChangeAmount         decimal.Decimal              `lf:"senderChangeAmount"`
	AmuletPrice                decimal.Decimal              `lf:"amuletPrice"`
	// InputValidatorFaucetAmount is also part of InputValidatorRewardAmount.
	InputValidatorFaucetAmount         *decimal.Decimal `lf:"inputValidatorFaucetAmount"`
	InputUnclaimedActivityRecordAmount *decimal.Decimal `lf:"inputUnclaimedActivityRecordAmount"`
	InputDevelopmentFundAmount         *decimal.Decimal `lf:"inputDevelopmentFundAmount"`
}

// BalanceChange is the change of a party's holdings, converted to round 0: an amount, and the holding fee that accrues
// on it each round.
type BalanceChange struct {
	_                                  struct{}        `lf:"splice-amulet:Splice.AmuletRules:BalanceChange"`
	ChangeToInitialAmountAsOfRoundZero decimal.Decimal `lf:"changeToInitialAmountAsOfRoundZero"`
	ChangeToHoldingFeesRate            decimal.Decimal `lf:"changeToHoldingFeesRate"`
}

// CreatedAmulet is a coin that a transfer created. Exactly one field is set.
type CreatedAmulet struct {
	_            struct{}              `lf:"variant splice-amulet:Splice.AmuletRules:CreatedAmulet"`
	Amulet       *lf.CID[Amulet]       `lf:"TransferResultAmulet"`
	LockedAmulet *lf.CID[LockedAmulet] `lf:"TransferResultLockedAmulet"`
	// Ext is never produced.
	Ext *ExtCreatedAmulet `lf:"ExtCreatedAmulet"`
}

// ExtCreatedAmulet is the constructor that upstream kept for additions.
type ExtCreatedAmulet struct {
	_              struct{} `lf:"splice-amulet:Splice.AmuletRules:CreatedAmulet.ExtCreatedAmulet"`
	DummyUnitField lf.Unit  `lf:"dummyUnitField"`
}
