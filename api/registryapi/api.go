package registryapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// NetworkReader reads from the database.
type NetworkReader interface {
	Head(ctx context.Context) (db.Head, error)
	ActiveNetworkContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error)
	HeldContracts(ctx context.Context, held db.HeldQuery) ([]db.StoredContract, error)
	NewestHeld(ctx context.Context, template string, limit int32) ([]db.StoredContract, error)
	NetworkContract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error)
	LastRecordTime(ctx context.Context, after, upTo ledger.Offset) (ledger.Offset, time.Time, bool, error)
	NetworkUpdateByOffset(ctx context.Context, offset ledger.Offset) (ledger.NetworkUpdate, bool, error)
	StillActive(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error)
	SpentCoin(
		ctx context.Context, owner ledger.Party, after db.SpentPosition, limit int32,
	) ([]db.StoredContract, error)
	MemberTraffic(ctx context.Context, member, synchronizer string) (purchased int64, known bool, err error)
	TransferCommands(ctx context.Context, sender ledger.Party, nonce int64, limit int32) ([]db.StoredContract, error)
}

// Options are the parts of an [API]. All are required.
type Options struct {
	Node     ledger.Node
	Packages *ledger.Packages
	Record   NetworkReader
	// Supply returns the counted supply of the coin.
	Supply Supply
	// Now is the node's clock.
	Now func() time.Time
}

// Supply counts the coin of all holders.
type Supply interface {
	// TotalSupply is the supply at a recent time; false if it has not been counted yet.
	TotalSupply(ctx context.Context) (amount decimal.Decimal, asOf time.Time, ok bool, err error)
}

// API serves scan, its proxy and the registry.
type API struct {
	node     ledger.Node
	packages *ledger.Packages
	record   NetworkReader
	supply   Supply
	now      func() time.Time
	// The argument types of the factories' choices.
	transferArgument, allocateArgument *lf.Type
}

// New makes the API. The error names the missing options.
func New(options Options) (*API, error) {
	switch {
	case options.Node.DSO == "" || options.Node.SynchronizerID == "":
		return nil, errors.New("the registry needs Node.DSO and Node.SynchronizerID")
	case options.Packages == nil || options.Record == nil || options.Supply == nil:
		return nil, errors.New("the registry needs Packages, Record and Supply")
	case options.Now == nil:
		return nil, errors.New("the registry needs Now")
	}
	a := &API{
		node: options.Node, packages: options.Packages, record: options.Record, supply: options.Supply, now: options.Now,
	}
	a.transferArgument = a.choiceType(transferFactories, transferChoice)
	a.allocateArgument = a.choiceType(allocationFactories, allocateChoice)
	return a, nil
}

const (
	// maxContracts limits lists without pages.
	maxContracts = 1000
	// latest is the offset for the contracts that are active now.
	latest = ledger.Offset(math.MaxInt64)
	// contractsPage is the number of contracts in one database read.
	contractsPage = 250
)

// The templates by package name.
const (
	amuletRules        = "#splice-amulet:Splice.AmuletRules:AmuletRules"
	externalPartyRules = "#splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules"
	dsoRules           = "#splice-dso-governance:Splice.DsoRules:DsoRules"
	openRounds         = "#splice-amulet:Splice.Round:OpenMiningRound"
	issuingRounds      = "#splice-amulet:Splice.Round:IssuingMiningRound"
	configStates       = "#splice-amulet:Splice.ExternalPartyConfigState:ExternalPartyConfigState"
	preapprovals       = "#splice-amulet:Splice.AmuletRules:TransferPreapproval"
	featuredAppRights  = "#splice-amulet:Splice.Amulet:FeaturedAppRight"
	transferCommands   = "#splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand"
	transferCounters   = "#splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommandCounter"
	fundCoupons        = "#splice-amulet:Splice.Amulet:UnclaimedDevelopmentFundCoupon"
	amulets            = "#splice-amulet:Splice.Amulet:Amulet"
	lockedAmulets      = "#splice-amulet:Splice.Amulet:LockedAmulet"
)

// templateIDs returns the ids of templates, with the package version of new contracts. It omits templates that this
// node does not have: there are no contracts of them.
func (a *API) templateIDs(names ...string) []string {
	ids := make([]string, 0, len(names))
	for _, name := range names {
		reference, err := lf.ParseTypeName(name)
		if err != nil {
			continue
		}
		if resolved, refusal := a.packages.ResolveTemplate(reference, nil); refusal == nil {
			ids = append(ids, resolved.String())
		}
	}
	return ids
}

// listActive lists the network's active contracts of a template of which the party is a stakeholder, oldest first.
func (a *API) listActive(ctx context.Context, template string, party ledger.Party) ([]ledger.Contract, error) {
	var contracts []ledger.Contract
	err := a.eachActive(ctx, a.templateIDs(template), party, latest, func(contract ledger.Contract) (bool, error) {
		contracts = append(contracts, contract)
		return len(contracts) < maxContracts, budget.Of(ctx).Take(int64(len(contract.Payload)))
	})
	return contracts, err
}

// eachActive visits the network's contracts of some templates that were active at an offset and of which the party is a
// stakeholder, oldest first, until visit returns false.
func (a *API) eachActive(
	ctx context.Context, templates []string, party ledger.Party, at ledger.Offset,
	visit func(ledger.Contract) (more bool, err error),
) error {
	query := db.ActiveQuery{Parties: []ledger.Party{party}, Templates: templates, At: at, Limit: contractsPage}
	read := func(ctx context.Context, limit int32) ([]db.StoredContract, error) {
		query.Limit = limit
		return a.record.ActiveNetworkContracts(ctx, query)
	}
	return budget.Each(ctx, budget.NewPortions(contractsPage), read,
		func(_ context.Context, contract db.StoredContract) (bool, error) {
			query.After = contract.Position()
			return visit(contract.Contract)
		})
}

// readPortion reads a portion of a list of contracts. A caller that keeps contracts takes them from the budget of the
// answer.
func readPortion(
	ctx context.Context, portions *budget.Portions,
	read func(context.Context, db.ActiveQuery) ([]db.StoredContract, error), query db.ActiveQuery,
) (page []db.StoredContract, more bool, release func(), err error) {
	return budget.Read(ctx, portions, func(ctx context.Context, limit int32) ([]db.StoredContract, error) {
		query.Limit = limit
		return read(ctx, query)
	})
}

// findHeld finds the first contract of a template that a party holds; false if there is none. Other contracts that name
// the party make no difference.
func (a *API) findHeld(ctx context.Context, template string, held db.HeldQuery) (ledger.Contract, bool, error) {
	held.Limit = 1
	for _, held.Template = range a.templateIDs(template) {
		found, err := a.record.HeldContracts(ctx, held)
		if err != nil || len(found) > 0 {
			return firstOf(found), len(found) > 0, err
		}
	}
	return ledger.Contract{}, false, nil
}

func firstOf(found []db.StoredContract) (first ledger.Contract) {
	if len(found) > 0 {
		first = found[0].Contract
	}
	return first
}

// findNewest finds the newest contract of a template of which the DSO keeps one. It is a 404 if the node has not
// created the coin yet.
func (a *API) findNewest(ctx context.Context, template string) (ledger.Contract, error) {
	found, err := a.listActive(ctx, template, a.node.DSO)
	if err != nil {
		return ledger.Contract{}, err
	}
	if len(found) == 0 {
		return ledger.Contract{}, v0.NotFound("No %s found: the node has not created the coin yet. Try again shortly.",
			entityOf(template))
	}
	return found[len(found)-1], nil
}

// entityOf returns the last part of a template's name.
func entityOf(template string) string { return template[strings.LastIndex(template, ":")+1:] }

// payloadOf decodes the fields of a payload that T has.
func payloadOf[T any](contract ledger.Contract) (T, error) {
	var payload T
	if err := json.Unmarshal(contract.Payload, &payload); err != nil {
		return payload, fault.Internal(fmt.Errorf("reading contract %s: %w", contract.ID, err))
	}
	return payload, nil
}

// partyOf parses a party id.
func partyOf(text string) (ledger.Party, error) {
	if err := ledger.CheckParty(text); err != nil {
		return "", v0.BadRequest("Failed to decode: %s", err)
	}
	return ledger.Party(text), nil
}
