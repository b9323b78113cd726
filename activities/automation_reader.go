package activities

import (
	"fmt"
	"strconv"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/provided"
)

// sharedQuery is a query of the contracts of the DSO.
type sharedQuery struct {
	template lf.TypeName
	limit    int
}

// Shared implements [plan.Reader]. It queries the contracts of the DSO once in a turn.
func (t *automationTurn) Shared(template lf.TypeName, limit int) ([]ledger.Contract, error) {
	query := sharedQuery{template, limit}
	if known, ok := t.shared[query]; ok {
		return known, nil
	}
	contracts, err := t.planning.Shared(template, limit)
	if err != nil {
		return nil, err
	}
	if t.shared == nil {
		t.shared = map[sharedQuery][]ledger.Contract{}
	}
	t.shared[query] = contracts
	return contracts, nil
}

// Contract implements [automation.LedgerReader].
func (t *automationTurn) Contract(id ledger.ContractID) (ledger.Contract, bool, error) {
	stored, ok, err := t.tx.NetworkContract(t.ctx, id)
	return stored.Contract, ok && stored.Archived == nil, t.note(err)
}

// IsHosted implements [automation.LedgerReader].
func (t *automationTurn) IsHosted(party ledger.Party) (bool, error) {
	parties, err := t.tx.Parties(t.ctx, []ledger.Party{party})
	return len(parties) > 0 && parties[0].IsLocal, t.note(err)
}

// Provided implements [automation.LedgerReader].
func (t *automationTurn) Provided(receiver ledger.Party) (provided.Book, error) {
	book, err := t.tx.ProvidedPreapprovals(t.ctx, t.now, receiver)
	return provided.Book(book), t.note(err)
}

// OfRound implements [automation.LedgerReader].
func (t *automationTurn) OfRound(round int64, templates []lf.TypeName, limit int) ([]ledger.Contract, error) {
	contracts, err := t.tx.ContractsOfRound(t.ctx, names(templates), strconv.FormatInt(round, 10), int32(limit))
	return withoutPlace(contracts), t.note(err)
}

// Dust implements [automation.LedgerReader].
func (t *automationTurn) Dust(round int64, limit int) ([]ledger.Contract, error) {
	contracts, err := t.tx.Dust(t.ctx, round, int32(limit))
	return withoutPlace(contracts), t.note(err)
}

func withoutPlace(stored []db.StoredContract) []ledger.Contract {
	contracts := make([]ledger.Contract, len(stored))
	for i, contract := range stored {
		contracts[i] = contract.Contract
	}
	return contracts
}

// Activity implements [automation.LedgerReader].
func (t *automationTurn) Activity(round int64) (summary coin.OpenMiningRoundSummary, err error) {
	packages := t.activities.Packages
	var templates [5]lf.TypeName
	for i, name := range []func(*ledger.Packages) (lf.TypeName, error){
		ledger.TemplateName[coin.ValidatorRewardCoupon], ledger.TemplateName[coin.AppRewardCoupon],
		ledger.TemplateName[coin.SvRewardCoupon], ledger.TemplateName[coin.ValidatorFaucetCoupon],
		ledger.TemplateName[coin.ValidatorLivenessActivityRecord],
	} {
		if templates[i], err = name(packages); err != nil {
			return summary, err
		}
	}
	sums, err := t.tx.RoundActivity(t.ctx, names(templates[:]), strconv.FormatInt(round, 10))
	if err != nil {
		return summary, t.note(err)
	}
	var validators int64
	for _, sum := range sums {
		total := &decimal.Decimal{}
		switch sum.Template {
		case templates[0].String():
			total = &summary.TotalValidatorRewardCoupons
		case templates[1].String():
			total = &summary.TotalUnfeaturedAppRewardCoupons
			if sum.Featured {
				total = &summary.TotalFeaturedAppRewardCoupons
			}
		case templates[2].String():
			if summary.TotalSvRewardWeight, err = strconv.ParseInt(sum.Weight, 10, 64); err != nil {
				return summary, tooMuchActivity(sum, round, err)
			}
		default:
			validators += sum.Count
		}
		amount, err := decimal.Parse(sum.Amount)
		if err == nil {
			*total, err = total.Add(amount)
		}
		if err != nil {
			return summary, tooMuchActivity(sum, round, err)
		}
	}
	summary.OptTotalValidatorFaucetCoupons = &validators
	return summary, nil
}

func tooMuchActivity(sum db.RoundActivity, round int64, err error) error {
	return fmt.Errorf("the %d contracts of %s in round %d add up to an amount of %s and a weight of %s: %w",
		sum.Count, sum.Template, round, sum.Amount, sum.Weight, err)
}

func names(templates []lf.TypeName) []string {
	out := make([]string, len(templates))
	for i, template := range templates {
		out[i] = template.String()
	}
	return out
}
