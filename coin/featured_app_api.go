package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// FeaturedAppRightV1 is the interface through which apps of any kind record their featured activity.
type FeaturedAppRightV1 struct {
	_ struct{} `lf:"splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:FeaturedAppRight"`
}

// FeaturedAppRightV1View is the view of [FeaturedAppRightV1].
type FeaturedAppRightV1View struct {
	_        struct{} `lf:"splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:FeaturedAppRightView"`
	DSO      Party    `lf:"dso"`
	Provider Party    `lf:"provider"`
}

// AppRewardBeneficiary is a party with its share of an app reward; Weight is above 0 and at most 1.
type AppRewardBeneficiary struct {
	_           struct{}        `lf:"splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:AppRewardBeneficiary"`
	Beneficiary Party           `lf:"beneficiary"`
	Weight      decimal.Decimal `lf:"weight"`
}

// CreateActivityMarkerV1 records one act.
type CreateActivityMarkerV1 struct {
	_ struct{} `lf:"splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:FeaturedAppRight_CreateActivityMarker"`

	Beneficiaries []AppRewardBeneficiary `lf:"beneficiaries"`
}

// CreateActivityMarkerV1Result is the result of [CreateActivityMarkerV1].
type CreateActivityMarkerV1Result struct {
	_ struct{} `lf:"splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:FeaturedAppRight_CreateActivityMarkerResult"`

	ActivityMarkerCids []lf.CID[ActivityMarkerV1] `lf:"activityMarkerCids"`
}

// ActivityMarkerV1 is the interface of recorded activity.
type ActivityMarkerV1 struct {
	_ struct{} `lf:"splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:FeaturedAppActivityMarker"`
}

// ActivityMarkerV1View is the view of [ActivityMarkerV1].
type ActivityMarkerV1View struct {
	_ struct{} `lf:"splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:FeaturedAppActivityMarkerView"`

	DSO         Party           `lf:"dso"`
	Provider    Party           `lf:"provider"`
	Beneficiary Party           `lf:"beneficiary"`
	Weight      decimal.Decimal `lf:"weight"`
}

// FeaturedAppRightV2 is [FeaturedAppRightV1] with a weight for several acts at once.
type FeaturedAppRightV2 struct {
	_ struct{} `lf:"splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:FeaturedAppRight"`
}

// FeaturedAppRightV2View is the view of [FeaturedAppRightV2].
type FeaturedAppRightV2View struct {
	_        struct{} `lf:"splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:FeaturedAppRightView"`
	DSO      Party    `lf:"dso"`
	Provider Party    `lf:"provider"`
}

// AppRewardBeneficiaryV2 is [AppRewardBeneficiary] in the second version of the interface.
type AppRewardBeneficiaryV2 struct {
	_           struct{}        `lf:"splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:AppRewardBeneficiary"`
	Beneficiary Party           `lf:"beneficiary"`
	Weight      decimal.Decimal `lf:"weight"`
}

// CreateActivityMarkerV2 records acts; the beneficiaries see it.
type CreateActivityMarkerV2 struct {
	_ struct{} `lf:"splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:FeaturedAppRight_CreateActivityMarker"`

	Beneficiaries []AppRewardBeneficiaryV2 `lf:"beneficiaries"`
	// Weight is the number of acts, 1 to 10000; nil means 1.
	Weight *decimal.Decimal `lf:"weight"`
}

// CreateActivityMarkerV2Result is the result of [CreateActivityMarkerV2].
type CreateActivityMarkerV2Result struct {
	_ struct{} `lf:"splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:FeaturedAppRight_CreateActivityMarkerResult"`

	ActivityMarkerCids []lf.CID[ActivityMarkerV2] `lf:"activityMarkerCids"`
}

// ActivityMarkerV2 is the interface of recorded activity, second version.
type ActivityMarkerV2 struct {
	_ struct{} `lf:"splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:FeaturedAppActivityMarker"`
}

// ActivityMarkerV2View is the view of [ActivityMarkerV2].
type ActivityMarkerV2View struct {
	_ struct{} `lf:"splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:FeaturedAppActivityMarkerView"`

	DSO         Party           `lf:"dso"`
	Provider    Party           `lf:"provider"`
	Beneficiary Party           `lf:"beneficiary"`
	Weight      decimal.Decimal `lf:"weight"`
}

func featuredAppV1Interfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{
		ledger.Interface[FeaturedAppRightV1, FeaturedAppRightV1View]{
			Choices: []ledger.InterfaceChoiceOf[FeaturedAppRightV1View]{
				ledger.InterfaceChoice[FeaturedAppRightV1View, CreateActivityMarkerV1, CreateActivityMarkerV1Result]{
					Controllers: func(view FeaturedAppRightV1View, _ CreateActivityMarkerV1) []Party {
						return []Party{view.Provider}
					},
				},
			},
		},
		ledger.Interface[ActivityMarkerV1, ActivityMarkerV1View]{},
	}
}

func featuredAppV2Interfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{
		ledger.Interface[FeaturedAppRightV2, FeaturedAppRightV2View]{
			Choices: []ledger.InterfaceChoiceOf[FeaturedAppRightV2View]{
				ledger.InterfaceChoice[FeaturedAppRightV2View, CreateActivityMarkerV2, CreateActivityMarkerV2Result]{
					Controllers: func(view FeaturedAppRightV2View, _ CreateActivityMarkerV2) []Party {
						return []Party{view.Provider}
					},
					Observers: func(view FeaturedAppRightV2View, arg CreateActivityMarkerV2) []Party {
						observers := []Party{view.Provider}
						for _, b := range arg.Beneficiaries {
							observers = append(observers, b.Beneficiary)
						}
						return observers
					},
				},
			},
		},
		ledger.Interface[ActivityMarkerV2, ActivityMarkerV2View]{},
	}
}

func featuredAppRightV1() ledger.ImplementationOf[FeaturedAppRight] {
	return ledger.Implements[FeaturedAppRight, FeaturedAppRightV1, FeaturedAppRightV1View]{
		View: func(r FeaturedAppRight) (FeaturedAppRightV1View, error) {
			return FeaturedAppRightV1View{DSO: r.DSO, Provider: r.Provider}, nil
		},
		Choices: []ledger.ChoiceOf[FeaturedAppRight]{
			ledger.Choice[FeaturedAppRight, CreateActivityMarkerV1, CreateActivityMarkerV1Result]{Body: markActivityV1},
		},
	}
}

func featuredAppRightV2() ledger.ImplementationOf[FeaturedAppRight] {
	return ledger.Implements[FeaturedAppRight, FeaturedAppRightV2, FeaturedAppRightV2View]{
		View: func(r FeaturedAppRight) (FeaturedAppRightV2View, error) {
			return FeaturedAppRightV2View{DSO: r.DSO, Provider: r.Provider}, nil
		},
		Choices: []ledger.ChoiceOf[FeaturedAppRight]{
			ledger.Choice[FeaturedAppRight, CreateActivityMarkerV2, CreateActivityMarkerV2Result]{Body: markActivityV2},
		},
	}
}

func markActivityV1(
	tx *ledger.Tx, _ lf.CID[FeaturedAppRight], right FeaturedAppRight, arg CreateActivityMarkerV1,
) (result CreateActivityMarkerV1Result, err error) {
	if err := checkBeneficiaries(arg.Beneficiaries); err != nil {
		return result, err
	}
	markers, err := createMarkers(tx, right.DSO, right.Provider, arg.Beneficiaries, one())
	for _, marker := range markers {
		result.ActivityMarkerCids = append(result.ActivityMarkerCids, lf.Coerce[ActivityMarkerV1](marker))
	}
	return result, err
}

func markActivityV2(
	tx *ledger.Tx, _ lf.CID[FeaturedAppRight], right FeaturedAppRight, arg CreateActivityMarkerV2,
) (result CreateActivityMarkerV2Result, err error) {
	beneficiaries := make([]AppRewardBeneficiary, len(arg.Beneficiaries))
	for i, b := range arg.Beneficiaries {
		beneficiaries[i] = AppRewardBeneficiary{Beneficiary: b.Beneficiary, Weight: b.Weight}
	}
	if err := checkBeneficiaries(beneficiaries); err != nil {
		return result, err
	}
	weight := valueOr(arg.Weight, one())
	if err := ledger.Require("Weight >= 1.0", atMost(one(), weight)); err != nil {
		return result, err
	}
	if err := ledger.Require("Weight <= 10000.0", atMost(weight, decimal.FromInt(maxMarkerWeight))); err != nil {
		return result, err
	}
	markers, err := createMarkers(tx, right.DSO, right.Provider, beneficiaries, weight)
	for _, marker := range markers {
		result.ActivityMarkerCids = append(result.ActivityMarkerCids, lf.Coerce[ActivityMarkerV2](marker))
	}
	return result, err
}

func activityMarkerV1() ledger.ImplementationOf[FeaturedAppActivityMarker] {
	return ledger.Implements[FeaturedAppActivityMarker, ActivityMarkerV1, ActivityMarkerV1View]{
		View: func(m FeaturedAppActivityMarker) (ActivityMarkerV1View, error) {
			return ActivityMarkerV1View{
				DSO: m.DSO, Provider: m.Provider, Beneficiary: m.Beneficiary, Weight: m.Weight,
			}, nil
		},
	}
}

func activityMarkerV2() ledger.ImplementationOf[FeaturedAppActivityMarker] {
	return ledger.Implements[FeaturedAppActivityMarker, ActivityMarkerV2, ActivityMarkerV2View]{
		View: func(m FeaturedAppActivityMarker) (ActivityMarkerV2View, error) {
			return ActivityMarkerV2View{
				DSO: m.DSO, Provider: m.Provider, Beneficiary: m.Beneficiary, Weight: m.Weight,
			}, nil
		},
	}
}
