package coin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// FeaturedAppRight lets an app provider earn featured app rewards.
type FeaturedAppRight struct {
	_        struct{} `lf:"splice-amulet:Splice.Amulet:FeaturedAppRight"`
	DSO      Party    `lf:"dso"`
	Provider Party    `lf:"provider"`
	// ActivityWeight scales the provider's traffic-based rewards; nil means 1.
	ActivityWeight *decimal.Decimal `lf:"activityWeight"`
}

func (r FeaturedAppRight) dso() Party   { return r.DSO }
func (r FeaturedAppRight) owner() Party { return r.Provider }

// FeaturedAppRightUpdate changes the weight of the provider's activity.
type FeaturedAppRightUpdate struct {
	_                 struct{}        `lf:"splice-amulet:Splice.Amulet:FeaturedAppRight_Update"`
	Reason            string          `lf:"reason"`
	NewActivityWeight decimal.Decimal `lf:"newActivityWeight"`
}

// FeaturedAppRightUpdateResult is the result of [FeaturedAppRightUpdate].
type FeaturedAppRightUpdateResult struct {
	_                   struct{}                 `lf:"splice-amulet:Splice.Amulet:FeaturedAppRight_UpdateResult"`
	FeaturedAppRightCid lf.CID[FeaturedAppRight] `lf:"featuredAppRightCid"`
}

// FeaturedAppRightWithdraw ends the right; the DSO decides.
type FeaturedAppRightWithdraw struct {
	_      struct{} `lf:"splice-amulet:Splice.Amulet:FeaturedAppRight_Withdraw"`
	Reason string   `lf:"reason"`
}

// FeaturedAppRightWithdrawResult is the result of [FeaturedAppRightWithdraw].
type FeaturedAppRightWithdrawResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:FeaturedAppRight_WithdrawResult"`
}

// FeaturedAppRightCancel ends the right; the provider decides.
type FeaturedAppRightCancel struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:FeaturedAppRight_Cancel"`
}

// FeaturedAppRightCancelResult is the result of [FeaturedAppRightCancel].
type FeaturedAppRightCancelResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:FeaturedAppRight_CancelResult"`
}

// FeaturedAppActivityMarker records one act of a featured app. The DSO turns markers into app reward coupons.
type FeaturedAppActivityMarker struct {
	_           struct{} `lf:"splice-amulet:Splice.Amulet:FeaturedAppActivityMarker"`
	DSO         Party    `lf:"dso"`
	Provider    Party    `lf:"provider"`
	Beneficiary Party    `lf:"beneficiary"`
	// Weight is above 0 and at most 10000.
	Weight decimal.Decimal `lf:"weight"`
}

func (m FeaturedAppActivityMarker) dso() Party { return m.DSO }

func featuredAppRightTemplate() ledger.TemplateSource {
	return ledger.Template[FeaturedAppRight]{
		Network:     ledger.DSOSigned(FeaturedAppRight.dso),
		Signatories: func(r FeaturedAppRight) []Party { return []Party{r.DSO} },
		Observers:   func(r FeaturedAppRight) []Party { return []Party{r.Provider} },
		Ensure: ledger.That("the activity weight is not negative",
			func(r FeaturedAppRight) bool { return valueOr(r.ActivityWeight, one()).Sign() >= 0 }),
		Choices: []ledger.ChoiceOf[FeaturedAppRight]{
			ledger.Choice[FeaturedAppRight, FeaturedAppRightUpdate, FeaturedAppRightUpdateResult]{
				Consuming:   true,
				Controllers: func(r FeaturedAppRight, _ FeaturedAppRightUpdate) []Party { return []Party{r.DSO} },
				Body:        updateFeaturedAppRight,
			},
			ledger.Choice[FeaturedAppRight, FeaturedAppRightWithdraw, FeaturedAppRightWithdrawResult]{
				Consuming:   true,
				Controllers: func(r FeaturedAppRight, _ FeaturedAppRightWithdraw) []Party { return []Party{r.DSO} },
				Body:        justArchive[FeaturedAppRight, FeaturedAppRightWithdraw, FeaturedAppRightWithdrawResult],
			},
			ledger.Choice[FeaturedAppRight, FeaturedAppRightCancel, FeaturedAppRightCancelResult]{
				Consuming:   true,
				Controllers: func(r FeaturedAppRight, _ FeaturedAppRightCancel) []Party { return []Party{r.Provider} },
				Body:        justArchive[FeaturedAppRight, FeaturedAppRightCancel, FeaturedAppRightCancelResult],
			},
		},
		Interfaces: []ledger.ImplementationOf[FeaturedAppRight]{featuredAppRightV1(), featuredAppRightV2()},
	}
}

func featuredAppActivityMarkerTemplate() ledger.TemplateSource {
	maximum := decimal.FromInt(maxMarkerWeight)
	return ledger.Template[FeaturedAppActivityMarker]{
		Network:     ledger.DSOSigned(FeaturedAppActivityMarker.dso),
		Signatories: func(m FeaturedAppActivityMarker) []Party { return []Party{m.DSO} },
		Observers:   func(m FeaturedAppActivityMarker) []Party { return []Party{m.Provider, m.Beneficiary} },
		Ensure: ledger.That(fmt.Sprintf("the weight is more than 0 and at most %d", maxMarkerWeight),
			func(m FeaturedAppActivityMarker) bool { return m.Weight.Sign() > 0 && atMost(m.Weight, maximum) }),
		Interfaces: []ledger.ImplementationOf[FeaturedAppActivityMarker]{activityMarkerV1(), activityMarkerV2()},
	}
}

// justArchive is the body of consuming choices that only archive their contract.
func justArchive[T, A, R any](*ledger.Tx, lf.CID[T], T, A) (none R, err error) { return none, nil }

// updateFeaturedAppRight stores a weight of 1 as absent, so that older versions can still read the contract.
func updateFeaturedAppRight(
	tx *ledger.Tx, _ lf.CID[FeaturedAppRight], right FeaturedAppRight, arg FeaturedAppRightUpdate,
) (FeaturedAppRightUpdateResult, error) {
	right.ActivityWeight = &arg.NewActivityWeight
	if arg.NewActivityWeight.Equal(one()) {
		right.ActivityWeight = nil
	}
	updated, err := ledger.Create(tx, right)
	return FeaturedAppRightUpdateResult{FeaturedAppRightCid: updated}, err
}

const (
	maxBeneficiaries = 20
	maxMarkerWeight  = 10_000
)

// createMarkers records one act of a featured app: a marker for each beneficiary, of its share times the weight.
func createMarkers(
	tx *ledger.Tx, dso, provider Party, beneficiaries []AppRewardBeneficiary, weight decimal.Decimal,
) ([]lf.CID[FeaturedAppActivityMarker], error) {
	var calc calc
	var markers []lf.CID[FeaturedAppActivityMarker]
	for _, share := range sharesOf(&calc, beneficiaries) {
		marker := FeaturedAppActivityMarker{
			DSO: dso, Provider: provider, Beneficiary: share.Beneficiary, Weight: calc.mul(share.Weight, weight),
		}
		if err := calc.failure(); err != nil {
			return nil, err
		}
		created, err := ledger.Create(tx, marker)
		if err != nil {
			return nil, err
		}
		markers = append(markers, created)
	}
	return markers, nil
}

// sharesOf adds up the shares of beneficiaries that appear several times. The result is in the order of the parties.
func sharesOf(calc *calc, beneficiaries []AppRewardBeneficiary) []AppRewardBeneficiary {
	sums := map[Party]decimal.Decimal{}
	for _, b := range beneficiaries {
		sums[b.Beneficiary] = calc.add(sums[b.Beneficiary], b.Weight)
	}
	var shares []AppRewardBeneficiary
	for _, beneficiary := range slices.SortedFunc(maps.Keys(sums), cmp.Compare) {
		shares = append(shares, AppRewardBeneficiary{Beneficiary: beneficiary, Weight: sums[beneficiary]})
	}
	return shares
}

func checkBeneficiaries(beneficiaries []AppRewardBeneficiary) error {
	var calc calc
	var total decimal.Decimal
	for _, b := range beneficiaries {
		inRange := b.Weight.Sign() > 0 && atMost(b.Weight, one())
		if err := ledger.Require("Beneficiary weights are between 0.0 and 1.0", inRange); err != nil {
			return err
		}
		total = calc.add(total, b.Weight)
	}
	if err := calc.failure(); err != nil {
		return err
	}
	if err := ledger.Require("Beneficiary weights add up to 1.0", total.Equal(one())); err != nil {
		return err
	}
	return ledger.Require("There are at most 20 beneficiaries", len(beneficiaries) <= maxBeneficiaries)
}
