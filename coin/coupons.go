package coin

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AppRewardCoupon records app activity of a round. Its amount is activity in coin, not the reward.
type AppRewardCoupon struct {
	_        struct{}        `lf:"splice-amulet:Splice.Amulet:AppRewardCoupon"`
	DSO      Party           `lf:"dso"`
	Provider Party           `lf:"provider"`
	Featured bool            `lf:"featured"`
	Amount   decimal.Decimal `lf:"amount"`
	Round    Round           `lf:"round"`
	// Beneficiary may mint the reward; nil means the provider.
	Beneficiary *Party `lf:"beneficiary"`
}

func (c AppRewardCoupon) dso() Party   { return c.DSO }
func (c AppRewardCoupon) owner() Party { return valueOr(c.Beneficiary, c.Provider) }

// AppRewardCouponDSOExpire archives a coupon of a closed round.
type AppRewardCouponDSOExpire struct {
	_              struct{}                  `lf:"splice-amulet:Splice.Amulet:AppRewardCoupon_DsoExpire"`
	ClosedRoundCid lf.CID[ClosedMiningRound] `lf:"closedRoundCid"`
}

// AppRewardCouponDSOExpireResult is the result of [AppRewardCouponDSOExpire].
type AppRewardCouponDSOExpireResult struct {
	_        struct{}        `lf:"splice-amulet:Splice.Amulet:AppRewardCoupon_DsoExpireResult"`
	Featured bool            `lf:"featured"`
	Amount   decimal.Decimal `lf:"amount"`
}

// ValidatorRewardCoupon records coin that a user burned; the user's validator mints the reward.
type ValidatorRewardCoupon struct {
	_      struct{}        `lf:"splice-amulet:Splice.Amulet:ValidatorRewardCoupon"`
	DSO    Party           `lf:"dso"`
	User   Party           `lf:"user"`
	Amount decimal.Decimal `lf:"amount"`
	Round  Round           `lf:"round"`
}

func (c ValidatorRewardCoupon) dso() Party { return c.DSO }

// ValidatorRewardCouponDSOExpire archives a coupon of a closed round.
type ValidatorRewardCouponDSOExpire struct {
	_              struct{}                  `lf:"splice-amulet:Splice.Amulet:ValidatorRewardCoupon_DsoExpire"`
	ClosedRoundCid lf.CID[ClosedMiningRound] `lf:"closedRoundCid"`
}

// ValidatorRewardCouponDSOExpireResult is the result of [ValidatorRewardCouponDSOExpire].
type ValidatorRewardCouponDSOExpireResult struct {
	_      struct{}        `lf:"splice-amulet:Splice.Amulet:ValidatorRewardCoupon_DsoExpireResult"`
	Amount decimal.Decimal `lf:"amount"`
}

// ValidatorRewardCouponArchiveAsValidator archives a coupon that its user's validator mints.
type ValidatorRewardCouponArchiveAsValidator struct {
	_         struct{}               `lf:"splice-amulet:Splice.Amulet:ValidatorRewardCoupon_ArchiveAsValidator"`
	Validator Party                  `lf:"validator"`
	RightCid  lf.CID[ValidatorRight] `lf:"rightCid"`
}

// ValidatorRewardCouponArchiveAsValidatorResult is the result of [ValidatorRewardCouponArchiveAsValidator].
type ValidatorRewardCouponArchiveAsValidatorResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:ValidatorRewardCoupon_ArchiveAsValidatorResult"`
}

// SvRewardCoupon records a super validator's work in a round.
type SvRewardCoupon struct {
	_           struct{} `lf:"splice-amulet:Splice.Amulet:SvRewardCoupon"`
	DSO         Party    `lf:"dso"`
	SV          Party    `lf:"sv"`
	Beneficiary Party    `lf:"beneficiary"`
	Round       Round    `lf:"round"`
	Weight      int64    `lf:"weight"`
}

func (c SvRewardCoupon) dso() Party   { return c.DSO }
func (c SvRewardCoupon) owner() Party { return c.Beneficiary }

// SvRewardCouponDSOExpire archives a coupon of a closed round.
type SvRewardCouponDSOExpire struct {
	_              struct{}                  `lf:"splice-amulet:Splice.Amulet:SvRewardCoupon_DsoExpire"`
	ClosedRoundCid lf.CID[ClosedMiningRound] `lf:"closedRoundCid"`
}

// SvRewardCouponDSOExpireResult is the result of [SvRewardCouponDSOExpire].
type SvRewardCouponDSOExpireResult struct {
	_      struct{} `lf:"splice-amulet:Splice.Amulet:SvRewardCoupon_DsoExpireResult"`
	Weight int64    `lf:"weight"`
}

// SvRewardCouponArchiveAsBeneficiary archives a coupon that its beneficiary mints.
type SvRewardCouponArchiveAsBeneficiary struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:SvRewardCoupon_ArchiveAsBeneficiary"`
}

// SvRewardCouponArchiveAsBeneficiaryResult is the result of [SvRewardCouponArchiveAsBeneficiary].
type SvRewardCouponArchiveAsBeneficiaryResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:SvRewardCoupon_ArchiveAsBeneficiaryResult"`
}

func appRewardCouponTemplate() ledger.TemplateSource {
	return ledger.Template[AppRewardCoupon]{
		Network:     ledger.DSOSigned(AppRewardCoupon.dso),
		Signatories: func(c AppRewardCoupon) []Party { return []Party{c.DSO} },
		Observers:   func(c AppRewardCoupon) []Party { return []Party{c.Provider, c.owner()} },
		Ensure: ledger.That("the amount is more than 0",
			func(c AppRewardCoupon) bool { return c.Amount.Sign() > 0 }),
		Choices: []ledger.ChoiceOf[AppRewardCoupon]{
			ledger.Choice[AppRewardCoupon, AppRewardCouponDSOExpire, AppRewardCouponDSOExpireResult]{
				Consuming:   true,
				Controllers: func(c AppRewardCoupon, _ AppRewardCouponDSOExpire) []Party { return []Party{c.DSO} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[AppRewardCoupon], c AppRewardCoupon, arg AppRewardCouponDSOExpire,
				) (AppRewardCouponDSOExpireResult, error) {
					_, err := fetchForRound(tx, c.DSO, c.Round, arg.ClosedRoundCid)
					return AppRewardCouponDSOExpireResult{Featured: c.Featured, Amount: c.Amount}, err
				},
			},
		},
	}
}

func validatorRewardCouponTemplate() ledger.TemplateSource {
	type expire = ValidatorRewardCouponDSOExpire
	type archive = ValidatorRewardCouponArchiveAsValidator
	return ledger.Template[ValidatorRewardCoupon]{
		Network:     ledger.DSOSigned(ValidatorRewardCoupon.dso),
		Signatories: func(c ValidatorRewardCoupon) []Party { return []Party{c.DSO} },
		Observers:   func(c ValidatorRewardCoupon) []Party { return []Party{c.User} },
		Ensure: ledger.That("the amount is more than 0",
			func(c ValidatorRewardCoupon) bool { return c.Amount.Sign() > 0 }),
		Choices: []ledger.ChoiceOf[ValidatorRewardCoupon]{
			ledger.Choice[ValidatorRewardCoupon, expire, ValidatorRewardCouponDSOExpireResult]{
				Consuming:   true,
				Controllers: func(c ValidatorRewardCoupon, _ expire) []Party { return []Party{c.DSO} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[ValidatorRewardCoupon], c ValidatorRewardCoupon, arg expire,
				) (ValidatorRewardCouponDSOExpireResult, error) {
					_, err := fetchForRound(tx, c.DSO, c.Round, arg.ClosedRoundCid)
					return ValidatorRewardCouponDSOExpireResult{Amount: c.Amount}, err
				},
			},
			ledger.Choice[ValidatorRewardCoupon, archive, ValidatorRewardCouponArchiveAsValidatorResult]{
				Consuming:   true,
				Controllers: func(c ValidatorRewardCoupon, arg archive) []Party { return []Party{c.DSO, arg.Validator} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[ValidatorRewardCoupon], c ValidatorRewardCoupon, arg archive,
				) (none ValidatorRewardCouponArchiveAsValidatorResult, err error) {
					right := ValidatorRight{DSO: c.DSO, User: c.User, Validator: arg.Validator}
					return none, requireValidatorRight(tx, arg.RightCid, right)
				},
			},
		},
	}
}

func requireValidatorRight(tx *ledger.Tx, id lf.CID[ValidatorRight], expected ValidatorRight) error {
	actual, err := ledger.Fetch(tx, id)
	if err != nil || actual == expected {
		return err
	}
	show := func(r ValidatorRight) string {
		return fmt.Sprintf("dso %s, user %s, validator %s", quoted(r.DSO), quoted(r.User), quoted(r.Validator))
	}
	return ledger.Abort("Contract mismatch: expected a ValidatorRight of %s, got %s referenced by %s",
		show(expected), show(actual), id)
}

func svRewardCouponTemplate() ledger.TemplateSource {
	type archive = SvRewardCouponArchiveAsBeneficiary
	return ledger.Template[SvRewardCoupon]{
		Network:     ledger.DSOSigned(SvRewardCoupon.dso),
		Signatories: func(c SvRewardCoupon) []Party { return []Party{c.DSO} },
		Observers:   func(c SvRewardCoupon) []Party { return []Party{c.Beneficiary, c.SV} },
		Ensure: ledger.That("the weight is more than 0",
			func(c SvRewardCoupon) bool { return c.Weight > 0 }),
		Choices: []ledger.ChoiceOf[SvRewardCoupon]{
			ledger.Choice[SvRewardCoupon, SvRewardCouponDSOExpire, SvRewardCouponDSOExpireResult]{
				Consuming:   true,
				Controllers: func(c SvRewardCoupon, _ SvRewardCouponDSOExpire) []Party { return []Party{c.DSO} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[SvRewardCoupon], c SvRewardCoupon, arg SvRewardCouponDSOExpire,
				) (SvRewardCouponDSOExpireResult, error) {
					_, err := fetchForRound(tx, c.DSO, c.Round, arg.ClosedRoundCid)
					return SvRewardCouponDSOExpireResult{Weight: c.Weight}, err
				},
			},
			ledger.Choice[SvRewardCoupon, archive, SvRewardCouponArchiveAsBeneficiaryResult]{
				Consuming:   true,
				Controllers: func(c SvRewardCoupon, _ archive) []Party { return []Party{c.Beneficiary} },
				Body:        justArchive[SvRewardCoupon, archive, SvRewardCouponArchiveAsBeneficiaryResult],
			},
		},
	}
}
