package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// ValidatorLivenessActivityRecord records that a validator was up in a round; it mints the faucet's share.
type ValidatorLivenessActivityRecord struct {
	_         struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLivenessActivityRecord"`
	DSO       Party    `lf:"dso"`
	Validator Party    `lf:"validator"`
	Round     Round    `lf:"round"`
}

func (r ValidatorLivenessActivityRecord) dso() Party   { return r.DSO }
func (r ValidatorLivenessActivityRecord) owner() Party { return r.Validator }

// ValidatorLivenessActivityRecordDSOExpire archives a record of a closed round.
type ValidatorLivenessActivityRecordDSOExpire struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLivenessActivityRecord_DsoExpire"`

	ClosedRoundCid lf.CID[ClosedMiningRound] `lf:"closedRoundCid"`
}

// ValidatorLivenessActivityRecordDSOExpireResult is the result of [ValidatorLivenessActivityRecordDSOExpire].
type ValidatorLivenessActivityRecordDSOExpireResult struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLivenessActivityRecord_DsoExpireResult"`
}

// ValidatorFaucetCoupon is the older form of [ValidatorLivenessActivityRecord], which the validator signs too.
type ValidatorFaucetCoupon struct {
	_         struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorFaucetCoupon"`
	DSO       Party    `lf:"dso"`
	Validator Party    `lf:"validator"`
	Round     Round    `lf:"round"`
}

func (c ValidatorFaucetCoupon) dso() Party   { return c.DSO }
func (c ValidatorFaucetCoupon) owner() Party { return c.Validator }

// ValidatorFaucetCouponDSOExpire archives a coupon of a closed round.
type ValidatorFaucetCouponDSOExpire struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorFaucetCoupon_DsoExpire"`

	ClosedRoundCid lf.CID[ClosedMiningRound] `lf:"closedRoundCid"`
}

// ValidatorFaucetCouponDSOExpireResult is the result of [ValidatorFaucetCouponDSOExpire].
type ValidatorFaucetCouponDSOExpireResult struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorFaucetCoupon_DsoExpireResult"`
}

func validatorLivenessActivityRecordTemplate() ledger.TemplateSource {
	type record = ValidatorLivenessActivityRecord
	type expire = ValidatorLivenessActivityRecordDSOExpire
	return ledger.Template[record]{
		Network:     ledger.DSOSigned(record.dso),
		Signatories: func(r record) []Party { return []Party{r.DSO} },
		Observers:   func(r record) []Party { return []Party{r.Validator} },
		Choices: []ledger.ChoiceOf[record]{
			ledger.Choice[record, expire, ValidatorLivenessActivityRecordDSOExpireResult]{
				Consuming:   true,
				Controllers: func(r record, _ expire) []Party { return []Party{r.DSO} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[record], r record, arg expire,
				) (none ValidatorLivenessActivityRecordDSOExpireResult, err error) {
					_, err = fetchForRound(tx, r.DSO, r.Round, arg.ClosedRoundCid)
					return none, err
				},
			},
		},
	}
}

func validatorFaucetCouponTemplate() ledger.TemplateSource {
	type coupon = ValidatorFaucetCoupon
	type expire = ValidatorFaucetCouponDSOExpire
	return ledger.Template[coupon]{
		Network:     ledger.DSOSigned(coupon.dso),
		Signatories: func(c coupon) []Party { return []Party{c.DSO, c.Validator} },
		Choices: []ledger.ChoiceOf[coupon]{
			ledger.Choice[coupon, expire, ValidatorFaucetCouponDSOExpireResult]{
				Consuming:   true,
				Controllers: func(c coupon, _ expire) []Party { return []Party{c.DSO} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[coupon], c coupon, arg expire,
				) (none ValidatorFaucetCouponDSOExpireResult, err error) {
					_, err = fetchForRound(tx, c.DSO, c.Round, arg.ClosedRoundCid)
					return none, err
				},
			},
		},
	}
}
