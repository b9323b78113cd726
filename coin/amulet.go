package coin

import (
	"strconv"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// InstrumentName is the DSO's name for the coin in the token standard.
const InstrumentName = "Amulet"

// Amulet is an amount of coin that its owner can spend.
type Amulet struct {
	_      struct{}       `lf:"splice-amulet:Splice.Amulet:Amulet"`
	DSO    Party          `lf:"dso"`
	Owner  Party          `lf:"owner"`
	Amount ExpiringAmount `lf:"amount"`
}

func (a Amulet) dso() Party   { return a.DSO }
func (a Amulet) owner() Party { return a.Owner }

// AmuletExpire burned dust against an open round.
type AmuletExpire struct {
	_        struct{}                `lf:"splice-amulet:Splice.Amulet:Amulet_Expire"`
	RoundCid lf.CID[OpenMiningRound] `lf:"roundCid"`
}

// AmuletExpireV2 burns a coin that is dust in the earlier round of two configuration states.
type AmuletExpireV2 struct {
	_                            struct{}                         `lf:"splice-amulet:Splice.Amulet:Amulet_ExpireV2"`
	ExternalPartyConfigState0Cid lf.CID[ExternalPartyConfigState] `lf:"externalPartyConfigState0Cid"`
	ExternalPartyConfigState1Cid lf.CID[ExternalPartyConfigState] `lf:"externalPartyConfigState1Cid"`
}

// AmuletExpireV2Result is the result of [AmuletExpireV2].
type AmuletExpireV2Result struct {
	_         struct{}              `lf:"splice-amulet:Splice.Amulet:Amulet_ExpireV2Result"`
	ExpireSum AmuletExpireV2Summary `lf:"expireSum"`
	Meta      token.Metadata        `lf:"meta"`
}

// AmuletExpireV2Summary has the owner of the burned coin.
type AmuletExpireV2Summary struct {
	_     struct{} `lf:"splice-amulet:Splice.Amulet:AmuletExpireV2Summary"`
	Owner Party    `lf:"owner"`
}

// AmuletExpireResult was the result of [AmuletExpire].
type AmuletExpireResult struct {
	_         struct{}            `lf:"splice-amulet:Splice.Amulet:Amulet_ExpireResult"`
	ExpireSum AmuletExpireSummary `lf:"expireSum"`
	Meta      *token.Metadata     `lf:"meta"`
}

// AmuletCreateSummary is a coin that a choice created, with the price and round of its creation.
type AmuletCreateSummary[C any] struct {
	_           struct{}        `lf:"splice-amulet:Splice.Amulet:AmuletCreateSummary"`
	Amulet      C               `lf:"amulet"`
	AmuletPrice decimal.Decimal `lf:"amuletPrice"`
	Round       Round           `lf:"round"`
}

// AmuletExpireSummary was the summary of a coin burned against an open round.
type AmuletExpireSummary struct {
	_                                  struct{}        `lf:"splice-amulet:Splice.Amulet:AmuletExpireSummary"`
	Owner                              Party           `lf:"owner"`
	Round                              Round           `lf:"round"`
	ChangeToInitialAmountAsOfRoundZero decimal.Decimal `lf:"changeToInitialAmountAsOfRoundZero"`
	ChangeToHoldingFeesRate            decimal.Decimal `lf:"changeToHoldingFeesRate"`
}

func amuletTemplate() ledger.TemplateSource {
	return ledger.Template[Amulet]{
		Network:     ledger.DSOSigned(Amulet.dso),
		Signatories: func(a Amulet) []Party { return []Party{a.DSO, a.Owner} },
		Ensure: ledger.That("the initial amount is more than 0, and the rate and the round of its creation are not negative",
			func(a Amulet) bool { return a.Amount.valid() }),
		Choices: []ledger.ChoiceOf[Amulet]{
			abortingChoice[AmuletExpireResult]("Amulet_Expire", true, func(a Amulet, _ AmuletExpire) []Party {
				return []Party{a.DSO}
			}),
			ledger.Choice[Amulet, AmuletExpireV2, AmuletExpireV2Result]{
				Consuming:   true,
				Controllers: func(a Amulet, _ AmuletExpireV2) []Party { return []Party{a.DSO} },
				Body:        expireAmulet,
			},
		},
		Interfaces: []ledger.ImplementationOf[Amulet]{
			ledger.Implements[Amulet, token.Holding, token.HoldingView]{View: Amulet.holdingView},
		},
	}
}

func expireAmulet(tx *ledger.Tx, _ lf.CID[Amulet], a Amulet, arg AmuletExpireV2) (AmuletExpireV2Result, error) {
	err := requireExpired(tx, a, arg.ExternalPartyConfigState0Cid, arg.ExternalPartyConfigState1Cid)
	return AmuletExpireV2Result{
		ExpireSum: AmuletExpireV2Summary{Owner: a.Owner},
		Meta:      holdingMeta(txExpireDust, "", a.Amount.InitialAmount),
	}, err
}

// requireExpired checks that a coin is dust in the rounds of both configuration states, so that no transaction that was
// prepared with the older one still needs it.
func requireExpired(tx *ledger.Tx, a Amulet, cid0, cid1 lf.CID[ExternalPartyConfigState]) error {
	if err := ledger.Require("externalPartyConfigState0Cid /= externalPartyConfigState1Cid", cid0 != cid1); err != nil {
		return err
	}
	state0, err := fetchForDSO(tx, a.DSO, cid0)
	if err != nil {
		return err
	}
	state1, err := fetchForDSO(tx, a.DSO, cid1)
	if err != nil {
		return err
	}
	earlier := Round{Number: min(state0.HoldingFeesOpenRoundNumber.Number, state1.HoldingFeesOpenRoundNumber.Number)}
	expired, err := a.Amount.expiredBy(earlier)
	if err != nil {
		return err
	}
	return ledger.Require("Amulet is expired", expired)
}

func (a Amulet) holdingView() (token.HoldingView, error) {
	return token.HoldingView{
		Owner:        a.Owner,
		InstrumentID: token.InstrumentID{Admin: a.DSO, ID: InstrumentName},
		Amount:       a.Amount.InitialAmount,
		Meta: token.Metadata{Values: map[string]string{
			metaCreatedInRound: strconv.FormatInt(a.Amount.CreatedAt.Number, 10),
			metaRatePerRound:   a.Amount.RatePerRound.Rate.Show(),
		}},
	}, nil
}
