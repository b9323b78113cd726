package coin

import (
	"fmt"
	"math"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// MemberTraffic is the traffic that a member of a synchronizer bought. A member may have several; its limit is their
// sum.
type MemberTraffic struct {
	_   struct{} `lf:"splice-amulet:Splice.DecentralizedSynchronizer:MemberTraffic"`
	DSO Party    `lf:"dso"`
	// MemberID is the id of the member at the sequencer, such as PAR::name::1220ab…
	MemberID       string `lf:"memberId"`
	SynchronizerID string `lf:"synchronizerId"`
	MigrationID    int64  `lf:"migrationId"`
	// TotalPurchased is in bytes.
	TotalPurchased int64           `lf:"totalPurchased"`
	NumPurchases   int64           `lf:"numPurchases"`
	AmuletSpent    decimal.Decimal `lf:"amuletSpent"`
	USDSpent       decimal.Decimal `lf:"usdSpent"`
}

func (m MemberTraffic) dso() Party { return m.DSO }

// AmuletRulesBuyMemberTraffic burns coin of the provider for traffic of a member, its own or another.
type AmuletRulesBuyMemberTraffic struct {
	_              struct{}        `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_BuyMemberTraffic"`
	Inputs         []TransferInput `lf:"inputs"`
	Context        TransferContext `lf:"context"`
	Provider       Party           `lf:"provider"`
	MemberID       string          `lf:"memberId"`
	SynchronizerID string          `lf:"synchronizerId"`
	MigrationID    int64           `lf:"migrationId"`
	// TrafficAmount is in bytes.
	TrafficAmount int64  `lf:"trafficAmount"`
	ExpectedDSO   *Party `lf:"expectedDso"`
}

// AmuletRulesBuyMemberTrafficResult is the result of [AmuletRulesBuyMemberTraffic].
type AmuletRulesBuyMemberTrafficResult struct {
	_                  struct{}              `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_BuyMemberTrafficResult"`
	Round              Round                 `lf:"round"`
	Summary            TransferSummary       `lf:"summary"`
	AmuletPaid         decimal.Decimal       `lf:"amuletPaid"`
	PurchasedTraffic   lf.CID[MemberTraffic] `lf:"purchasedTraffic"`
	SenderChangeAmulet *lf.CID[Amulet]       `lf:"senderChangeAmulet"`
	Meta               *token.Metadata       `lf:"meta"`
}

// AmuletRulesMergeMemberTrafficContracts merges several MemberTraffic contracts of one member into one.
type AmuletRulesMergeMemberTrafficContracts struct {
	_           struct{}                `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MergeMemberTrafficContracts"`
	TrafficCids []lf.CID[MemberTraffic] `lf:"trafficCids"`
}

// AmuletRulesMergeMemberTrafficContractsResult is the result of [AmuletRulesMergeMemberTrafficContracts].
type AmuletRulesMergeMemberTrafficContractsResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MergeMemberTrafficContractsResult"`

	MergedTrafficCid lf.CID[MemberTraffic] `lf:"mergedTrafficCid"`
}

func memberTrafficTemplate() ledger.TemplateSource {
	return ledger.Template[MemberTraffic]{
		Network:     ledger.DSOSigned(MemberTraffic.dso),
		Signatories: func(m MemberTraffic) []Party { return []Party{m.DSO} },
		Ensure: ledger.That("its numbers are not negative", func(m MemberTraffic) bool {
			return m.TotalPurchased >= 0 && m.NumPurchases >= 0 && m.AmuletSpent.Sign() >= 0 && m.USDSpent.Sign() >= 0 &&
				m.MigrationID >= 0
		}).And("memberId and synchronizerId are not empty", func(m MemberTraffic) bool {
			return m.MemberID != "" && m.SynchronizerID != ""
		}),
	}
}

func trafficChoices() []ledger.ChoiceOf[AmuletRules] {
	type (
		buy   = AmuletRulesBuyMemberTraffic
		merge = AmuletRulesMergeMemberTrafficContracts
	)
	return []ledger.ChoiceOf[AmuletRules]{
		ledger.Choice[AmuletRules, buy, AmuletRulesBuyMemberTrafficResult]{
			Controllers: func(_ AmuletRules, arg buy) []Party { return []Party{arg.Provider} },
			Body:        buyMemberTraffic,
		},
		ledger.Choice[AmuletRules, merge, AmuletRulesMergeMemberTrafficContractsResult]{
			Controllers: func(r AmuletRules, _ merge) []Party { return []Party{r.DSO} },
			Body:        mergeMemberTraffic,
		},
	}
}

func buyMemberTraffic(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesBuyMemberTraffic,
) (none AmuletRulesBuyMemberTrafficResult, err error) {
	if err := checkExpectedDSO(rules.DSO, arg.ExpectedDSO); err != nil {
		return none, err
	}
	synchronizer := rules.config().DecentralizedSynchronizer
	if err := synchronizer.checkPurchase(arg.SynchronizerID, arg.TrafficAmount); err != nil {
		return none, err
	}
	round, err := fetchForDSO(tx, rules.DSO, arg.Context.OpenMiningRound)
	if err != nil {
		return none, err
	}
	price := valueOr(round.TrafficPrice, synchronizer.Fees.ExtraTrafficPrice)
	amulets, usd, err := trafficCost(arg.TrafficAmount, price, round.AmuletPrice)
	if err != nil {
		return none, err
	}
	bought := purchase{
		dso: rules.DSO, payer: arg.Provider, inputs: arg.Inputs, context: arg.Context, reason: "traffic purchase",
	}
	result, meta, err := bought.burn(tx, amulets)
	if err != nil {
		return none, err
	}
	traffic, err := ledger.Create(tx, MemberTraffic{
		DSO: rules.DSO, MemberID: arg.MemberID, SynchronizerID: arg.SynchronizerID, MigrationID: arg.MigrationID,
		TotalPurchased: arg.TrafficAmount, NumPurchases: 1, AmuletSpent: amulets, USDSpent: usd,
	})
	return AmuletRulesBuyMemberTrafficResult{
		Round: result.Round, Summary: result.Summary, AmuletPaid: amulets, PurchasedTraffic: traffic,
		SenderChangeAmulet: result.SenderChangeAmulet, Meta: &meta,
	}, err
}

// checkPurchase refuses traffic for an unknown synchronizer, then too little of it.
func (c AmuletDecentralizedSynchronizerConfig) checkPurchase(synchronizerID string, bytes int64) error {
	known := false
	for _, required := range c.RequiredSynchronizers.Map {
		known = known || required.Key == synchronizerID
	}
	switch {
	case !known:
		return unknownSynchronizer(synchronizerID)
	case bytes < c.Fees.MinTopupAmount:
		return insufficientTopupAmount(bytes, c.Fees.MinTopupAmount)
	default:
		return nil
	}
}

// trafficCost is the price of traffic in coin and in US dollars: megabytes (of 1,000,000 bytes) times the price of a
// megabyte; for coin, divided by the price of the coin.
func trafficCost(bytes int64, perMegabyte, amuletPrice decimal.Decimal) (amulets, usd decimal.Decimal, err error) {
	const bytesPerMegabyte = 1_000_000
	var calc calc
	usd = calc.mul(calc.div(decimal.FromInt(bytes), decimal.FromInt(bytesPerMegabyte)), perMegabyte)
	amulets = calc.div(usd, amuletPrice)
	return amulets, usd, calc.failure()
}

// mergeMemberTraffic adds the contracts up. An overflow gives the greatest integer, which nobody can use up.
func mergeMemberTraffic(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesMergeMemberTrafficContracts,
) (none AmuletRulesMergeMemberTrafficContractsResult, err error) {
	var calc calc
	var merged MemberTraffic
	for i, id := range arg.TrafficCids {
		traffic, err := fetchForDSO(tx, rules.DSO, id)
		if err != nil {
			return none, err
		}
		if i == 0 {
			merged = MemberTraffic{
				DSO: traffic.DSO, MemberID: traffic.MemberID,
				SynchronizerID: traffic.SynchronizerID, MigrationID: traffic.MigrationID,
			}
		}
		if err := sameGroup(id.ID(), merged.account(), traffic.account()); err != nil {
			return none, err
		}
		if err := ledger.ArchiveContract(tx, id); err != nil {
			return none, err
		}
		merged.TotalPurchased += min(traffic.TotalPurchased, math.MaxInt64-merged.TotalPurchased)
		merged.NumPurchases += min(traffic.NumPurchases, math.MaxInt64-merged.NumPurchases)
		merged.AmuletSpent = calc.add(merged.AmuletSpent, traffic.AmuletSpent)
		merged.USDSpent = calc.add(merged.USDSpent, traffic.USDSpent)
	}
	if err := ledger.Require("There is at least one member traffic contract", len(arg.TrafficCids) > 0); err != nil {
		return none, err
	}
	if err := calc.failure(); err != nil {
		return none, err
	}
	created, err := ledger.Create(tx, merged)
	return AmuletRulesMergeMemberTrafficContractsResult{MergedTrafficCid: created}, err
}

// account is the member and synchronizer of the traffic, for texts.
func (m MemberTraffic) account() string {
	return fmt.Sprintf("dso %s, member %q, synchronizer %q, migration %d",
		quoted(m.DSO), m.MemberID, m.SynchronizerID, m.MigrationID)
}
