package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// RewardCouponV2 lets its beneficiary mint an amount from a calculation outside the ledger (CIP-0104).
type RewardCouponV2 struct {
	_        struct{} `lf:"splice-amulet:Splice.Amulet:RewardCouponV2"`
	DSO      Party    `lf:"dso"`
	Provider Party    `lf:"provider"`
	Round    Round    `lf:"round"`
	// Amount is the reward itself, in coin.
	Amount    decimal.Decimal `lf:"amount"`
	ExpiresAt lf.Timestamp    `lf:"expiresAt"`
	// ProviderIsObserver is unset while the provider's node cannot read the contract yet.
	ProviderIsObserver bool `lf:"providerIsObserver"`
	// Beneficiary may mint the reward; nil means the provider.
	Beneficiary *Party `lf:"beneficiary"`
}

func (c RewardCouponV2) dso() Party   { return c.DSO }
func (c RewardCouponV2) owner() Party { return valueOr(c.Beneficiary, c.Provider) }

// RewardCoupon is the interface through which providers share their rewards.
type RewardCoupon struct {
	_ struct{} `lf:"splice-api-reward-assignment-v1:Splice.Api.RewardAssignmentV1:RewardCoupon"`
}

// RewardCouponView is the view of [RewardCoupon].
type RewardCouponView struct {
	_ struct{} `lf:"splice-api-reward-assignment-v1:Splice.Api.RewardAssignmentV1:RewardCouponView"`

	DSO                    Party           `lf:"dso"`
	Provider               Party           `lf:"provider"`
	Beneficiary            Party           `lf:"beneficiary"`
	Amount                 decimal.Decimal `lf:"amount"`
	ExpiresAt              lf.Timestamp    `lf:"expiresAt"`
	MaxNumNewBeneficiaries int64           `lf:"maxNumNewBeneficiaries"`
	Meta                   token.Metadata  `lf:"meta"`
}

// RewardBeneficiary is a party with its share of a reward; Percentage is a fraction of one.
type RewardBeneficiary struct {
	_           struct{}        `lf:"splice-api-reward-assignment-v1:Splice.Api.RewardAssignmentV1:RewardBeneficiary"`
	Beneficiary Party           `lf:"beneficiary"`
	Percentage  decimal.Decimal `lf:"percentage"`
}

// AssignBeneficiaries splits coupons that have no beneficiary yet.
type AssignBeneficiaries struct {
	_ struct{} `lf:"splice-api-reward-assignment-v1:Splice.Api.RewardAssignmentV1:RewardCoupon_AssignBeneficiaries"`

	AdditionalCoupons []lf.CID[RewardCoupon] `lf:"additionalCoupons"`
	NewBeneficiaries  []RewardBeneficiary    `lf:"newBeneficiaries"`
	ExtraArgs         token.ExtraArgs        `lf:"extraArgs"`
}

// AssignBeneficiariesResult lists the coupons of each beneficiary.
type AssignBeneficiariesResult struct {
	_ struct{} `lf:"splice-api-reward-assignment-v1:Splice.Api.RewardAssignmentV1:RewardCoupon_AssignBeneficiariesResult"`

	NewBeneficiariesCouponCids []lf.Tuple2[Party, []lf.CID[RewardCoupon]] `lf:"newBeneficiariesCouponCids"`
}

func rewardAssignmentInterfaces() []ledger.InterfaceSource {
	type view = RewardCouponView
	return []ledger.InterfaceSource{
		ledger.Interface[RewardCoupon, view]{
			Choices: []ledger.InterfaceChoiceOf[view]{
				ledger.InterfaceChoice[view, AssignBeneficiaries, AssignBeneficiariesResult]{
					Consuming:   true,
					Controllers: func(v view, _ AssignBeneficiaries) []Party { return []Party{v.Provider} },
					Observers: func(_ view, arg AssignBeneficiaries) (beneficiaries []Party) {
						for _, b := range arg.NewBeneficiaries {
							beneficiaries = append(beneficiaries, b.Beneficiary)
						}
						return beneficiaries
					},
				},
			},
		},
	}
}

func rewardCouponV2Template() ledger.TemplateSource {
	type coupon = RewardCouponV2
	return ledger.Template[coupon]{
		Network:     ledger.DSOSigned(coupon.dso),
		Signatories: func(c coupon) []Party { return []Party{c.DSO} },
		Observers: func(c coupon) []Party {
			if !c.ProviderIsObserver {
				return nil
			}
			return []Party{c.Provider, c.owner()}
		},
		Ensure: ledger.That("the amount is more than 0",
			func(c coupon) bool { return c.Amount.Sign() > 0 }),
		Interfaces: []ledger.ImplementationOf[coupon]{
			ledger.Implements[coupon, RewardCoupon, RewardCouponView]{
				View: func(c coupon) (RewardCouponView, error) {
					return RewardCouponView{
						DSO: c.DSO, Provider: c.Provider, Beneficiary: c.owner(), Amount: c.Amount, ExpiresAt: c.ExpiresAt,
						MaxNumNewBeneficiaries: maxBeneficiaries,
					}, nil
				},
				Choices: []ledger.ChoiceOf[coupon]{
					ledger.Choice[coupon, AssignBeneficiaries, AssignBeneficiariesResult]{Body: assignBeneficiaries},
				},
			},
		},
	}
}

func assignBeneficiaries(
	tx *ledger.Tx, _ lf.CID[RewardCouponV2], first RewardCouponV2, arg AssignBeneficiaries,
) (result AssignBeneficiariesResult, err error) {
	if err := checkNewBeneficiaries(arg.NewBeneficiaries); err != nil {
		return result, err
	}
	coupons := []RewardCouponV2{first}
	for _, id := range arg.AdditionalCoupons {
		coupon, err := ledger.Fetch(tx, lf.Coerce[RewardCouponV2](id))
		if err != nil {
			return result, err
		}
		if err := ledger.ArchiveContract(tx, lf.Coerce[RewardCouponV2](id)); err != nil {
			return result, err
		}
		coupons = append(coupons, coupon)
	}
	for _, coupon := range coupons {
		same := coupon.DSO == first.DSO && coupon.Provider == first.Provider
		if err := ledger.Require("All coupons are of the same provider", same); err != nil {
			return result, err
		}
		if err := ledger.Require("No coupon has a beneficiary yet", coupon.Beneficiary == nil); err != nil {
			return result, err
		}
	}
	for _, beneficiary := range arg.NewBeneficiaries {
		created, err := couponsFor(tx, beneficiary, coupons)
		if err != nil {
			return result, err
		}
		result.NewBeneficiariesCouponCids = append(result.NewBeneficiariesCouponCids,
			lf.Tuple2[Party, []lf.CID[RewardCoupon]]{V1: beneficiary.Beneficiary, V2: created})
	}
	return result, nil
}

func couponsFor(
	tx *ledger.Tx, beneficiary RewardBeneficiary, coupons []RewardCouponV2,
) (created []lf.CID[RewardCoupon], err error) {
	for _, coupon := range coupons {
		var calc calc
		coupon.Amount = calc.mul(coupon.Amount, beneficiary.Percentage)
		coupon.Beneficiary = &beneficiary.Beneficiary
		if err := calc.failure(); err != nil {
			return nil, err
		}
		id, err := ledger.Create(tx, coupon)
		if err != nil {
			return nil, err
		}
		created = append(created, lf.Coerce[RewardCoupon](id))
	}
	return created, nil
}

func checkNewBeneficiaries(beneficiaries []RewardBeneficiary) error {
	var calc calc
	var total decimal.Decimal
	seen := map[Party]bool{}
	for _, b := range beneficiaries {
		if err := ledger.Require("No beneficiary is named twice", !seen[b.Beneficiary]); err != nil {
			return err
		}
		seen[b.Beneficiary] = true
		inRange := b.Percentage.Sign() > 0 && atMost(b.Percentage, one())
		if err := ledger.Require("Percentages are between 0.0 and 1.0", inRange); err != nil {
			return err
		}
		total = calc.add(total, b.Percentage)
	}
	if err := calc.failure(); err != nil {
		return err
	}
	if err := ledger.Require("Percentages add up to 1.0", total.Equal(one())); err != nil {
		return err
	}
	return ledger.Require("There are at most 20 beneficiaries", len(beneficiaries) <= maxBeneficiaries)
}
