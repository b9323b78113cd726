package registryapi

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet"
)

// RecordTimeMatch says whether an earlier snapshot is acceptable.
type RecordTimeMatch string

// Names implements [endpoint.Enum].
func (RecordTimeMatch) Names() []string { return []string{"exact", "at_or_before"} }

// HoldingsSummaryRequest asks for the holdings of parties at a time.
type HoldingsSummaryRequest struct {
	endpoint.Strict

	MigrationID     int64              `json:"migration_id" required:"true" doc:"0: this network never migrated"`
	RecordTime      endpoint.Timestamp `json:"record_time" required:"true" doc:"Time of the balances"`
	RecordTimeMatch *RecordTimeMatch   `json:"record_time_match" doc:"Both give the same result: the node can compute every instant"`
	OwnerPartyIDs   []string           `json:"owner_party_ids" required:"true" doc:"Owners, at least one"`
	AsOfRound       *int64             `json:"as_of_round" doc:"Round up to which holding fees count; default: the earliest open round"`
}

type holdingsSummaryRequest struct {
	Body HoldingsSummaryRequest `body:"json"`
}

// HoldingsSummaryResponse has the holdings of parties at a time.
type HoldingsSummaryResponse struct {
	RecordTime        endpoint.Timestamp `json:"record_time" required:"true" doc:"Time of the balances"`
	MigrationID       int64              `json:"migration_id" required:"true" doc:"0"`
	ComputedAsOfRound int64              `json:"computed_as_of_round" required:"true" doc:"Round of the holding fees"`
	Summaries         []HoldingsSummary  `json:"summaries" required:"true" doc:"One for each owner"`
}

// HoldingsSummary has the holdings of a party.
type HoldingsSummary struct {
	PartyID      ledger.Party    `json:"party_id" required:"true" doc:"The owner"`
	Unlocked     decimal.Decimal `json:"total_unlocked_coin" required:"true" doc:"Unlocked coin"`
	Locked       decimal.Decimal `json:"total_locked_coin" required:"true" doc:"Locked coin"`
	Holdings     decimal.Decimal `json:"total_coin_holdings" required:"true" doc:"Unlocked and locked coin"`
	FeesUnlocked decimal.Decimal `json:"accumulated_holding_fees_unlocked" required:"true" doc:"Never deducted"`
	FeesLocked   decimal.Decimal `json:"accumulated_holding_fees_locked" required:"true" doc:"Never deducted"`
	FeesTotal    decimal.Decimal `json:"accumulated_holding_fees_total" required:"true" doc:"Never deducted"`
	Available    decimal.Decimal `json:"total_available_coin" required:"true" doc:"Unlocked coin less its fees"`
}

// HoldingsSummaryResponseV1 is [HoldingsSummaryResponse] without rounds and fees.
type HoldingsSummaryResponseV1 struct {
	RecordTime  endpoint.Timestamp  `json:"record_time" required:"true" doc:"Time of the balances"`
	MigrationID int64               `json:"migration_id" required:"true" doc:"0"`
	Summaries   []HoldingsSummaryV1 `json:"summaries" required:"true" doc:"One for each owner"`
}

// HoldingsSummaryV1 has the holdings of a party.
type HoldingsSummaryV1 struct {
	PartyID  ledger.Party    `json:"party_id" required:"true" doc:"The owner"`
	Unlocked decimal.Decimal `json:"total_unlocked_coin" required:"true" doc:"Unlocked coin"`
	Locked   decimal.Decimal `json:"total_locked_coin" required:"true" doc:"Locked coin"`
	Holdings decimal.Decimal `json:"total_coin_holdings" required:"true" doc:"Unlocked and locked coin"`
}

func (a *API) holdingsSummaryV1(
	ctx context.Context, req holdingsSummaryRequest,
) (response HoldingsSummaryResponseV1, err error) {
	whole, err := a.holdingsSummary(ctx, req)
	if err != nil {
		return response, err
	}
	response.RecordTime, response.MigrationID = whole.RecordTime, whole.MigrationID
	for _, s := range whole.Summaries {
		response.Summaries = append(response.Summaries, HoldingsSummaryV1{
			PartyID: s.PartyID, Unlocked: s.Unlocked, Locked: s.Locked, Holdings: s.Holdings,
		})
	}
	return response, nil
}

func (a *API) holdingsSummary(
	ctx context.Context, req holdingsSummaryRequest,
) (response HoldingsSummaryResponse, err error) {
	if req.Body.MigrationID != 0 {
		return response, v0.NotFound("No snapshot found for migration %d: this network is at migration 0",
			req.Body.MigrationID)
	}
	owners, err := ownersOf(req.Body.OwnerPartyIDs)
	if err != nil {
		return response, err
	}
	at, err := a.offsetAt(ctx, time.Time(req.Body.RecordTime))
	if err != nil {
		return response, err
	}
	if response.ComputedAsOfRound, err = a.feeRound(ctx, req.Body.AsOfRound); err != nil {
		return response, err
	}
	response.RecordTime = req.Body.RecordTime
	allowed := allowanceOf(ctx)
	for _, owner := range owners {
		summary, err := a.holdingsOf(ctx, owner, at, response.ComputedAsOfRound, allowed)
		if err != nil {
			return response, err
		}
		response.Summaries = append(response.Summaries, summary)
	}
	return response, a.checkNotPruned(ctx, time.Time(req.Body.RecordTime))
}

// checkNotPruned refuses the answer if the record was pruned beyond the time while it was read: the offset may be
// wrong, and coin that was spent since then may be missing.
func (a *API) checkNotPruned(ctx context.Context, when time.Time) error {
	head, err := a.record.Head(ctx)
	if err != nil || head.StillHoldsTime(when) {
		return err
	}
	return prunedError(when)
}

func prunedError(when time.Time) error {
	return v0.NotFound("No snapshot found for %s: the record before that was pruned", endpoint.Timestamp(when))
}

// maxOwners is the maximum number of owners in a request.
const maxOwners = 100

// ownersOf parses the owners of a request, each once, in order.
func ownersOf(ids []string) ([]ledger.Party, error) {
	if len(ids) == 0 {
		return nil, v0.BadRequest("owner_party_ids is empty: send at least one party")
	}
	var owners []ledger.Party
	named := make(map[string]bool, min(len(ids), maxOwners))
	for _, id := range ids {
		if named[id] {
			continue
		}
		if named[id] = true; len(named) > maxOwners {
			return nil, v0.BadRequest("owner_party_ids has more than %d parties: send fewer", maxOwners)
		}
		owner, err := partyOf(id)
		if err != nil {
			return nil, err
		}
		if _, _, whole := ledger.SplitParty(id); !whole {
			return nil, v0.BadRequest("Failed to decode: owner_party_ids: %q is not a party id: hint::fingerprint", id)
		}
		owners = append(owners, owner)
	}
	return owners, nil
}

// maxAnonymousCoins is the number of coins that a request without a token may read. A wallet usually has about ten
// coins.
const maxAnonymousCoins = 2500

// allowance is the number of coins that a request may still read; nil for no limit.
type allowance struct{ left int }

// allowanceOf returns the allowance of a request. Requests with a token have no limit: they wait in the queue of their
// own account.
func allowanceOf(ctx context.Context) *allowance {
	if endpoint.Claims(ctx).Authenticated() {
		return nil
	}
	return &allowance{maxAnonymousCoins}
}

func (a *allowance) take(count int) error {
	if a == nil {
		return nil
	}
	if a.left -= count; a.left < 0 {
		return v0.Refuse(http.StatusRequestEntityTooLarge, "The sum is of more than %d coins, the limit for a request "+
			"without a token: send fewer owners or a later record_time, or use %s/holdings/summary with a token",
			maxAnonymousCoins, proxyPath)
	}
	return nil
}

// feeRound is the round up to which holding fees count.
func (a *API) feeRound(ctx context.Context, asked *int64) (int64, error) {
	if asked != nil {
		if *asked < 0 {
			return 0, v0.BadRequest("as_of_round: there is no round %d. Send 0 or more, or omit it for the earliest open "+
				"round.", *asked)
		}
		return *asked, nil
	}
	open, _, err := a.rounds(ctx)
	if err != nil {
		return 0, err
	}
	rounds := make([]coin.OpenMiningRound, len(open))
	for i, contract := range open {
		if rounds[i], err = ledger.DecodePayload[coin.OpenMiningRound](a.packages, contract); err != nil {
			return 0, fault.Internal(err)
		}
	}
	itself := func(round coin.OpenMiningRound) coin.OpenMiningRound { return round }
	earliest, ok := coin.EarliestRound(rounds, itself, lf.TimestampOf(a.now()))
	if !ok {
		return 0, v0.NotFound("No open OpenMiningRound found. Try again shortly.")
	}
	return earliest.Round.Number, nil
}

// offsetAt finds the last offset at a time by binary search: record times grow with offsets.
func (a *API) offsetAt(ctx context.Context, when time.Time) (ledger.Offset, error) {
	head, err := a.record.Head(ctx)
	if err != nil {
		return 0, err
	}
	if when.After(a.now()) {
		return 0, v0.NotFound("No snapshot found for %s: it is in the future", endpoint.Timestamp(when))
	}
	low, high := head.Pruned, head.Offset // low is known to be not after the time; the result is at most high
	for low < high {
		middle := low + (high-low+1)/2
		last, recorded, found, err := a.record.LastRecordTime(ctx, low, middle)
		switch {
		case err != nil:
			return 0, err
		case !found || !recorded.After(when):
			low = middle
		default:
			high = last - 1
		}
	}
	if low == 0 {
		return 0, v0.NotFound("No snapshot found for %s: the network began later", endpoint.Timestamp(when))
	}
	if low == head.Pruned && (head.Offset > low || when.Before(head.RecordTime)) {
		return 0, prunedError(when)
	}
	return low, nil
}

// holding has the common fields of amulets and locked amulets.
type holding struct {
	Owner  ledger.Party `json:"owner"`
	Amount struct {
		InitialAmount decimal.Decimal `json:"initialAmount"`
		CreatedAt     struct {
			Number int64 `json:"number,string"`
		} `json:"createdAt"`
		RatePerRound struct {
			Rate decimal.Decimal `json:"rate"`
		} `json:"ratePerRound"`
	} `json:"amount"`
	// Amulet is the locked amulet; nil for an unlocked one.
	Amulet *holding `json:"amulet"`
}

func (h holding) amount() coin.ExpiringAmount {
	return coin.ExpiringAmount{
		InitialAmount: h.Amount.InitialAmount,
		CreatedAt:     coin.Round{Number: h.Amount.CreatedAt.Number},
		RatePerRound:  coin.RatePerRound{Rate: h.Amount.RatePerRound.Rate},
	}
}

func (a *API) holdingsOf(
	ctx context.Context, owner ledger.Party, at ledger.Offset, round int64, allowed *allowance,
) (summary HoldingsSummary, err error) {
	balance := wallet.Balance{Round: round}
	add := func(contract ledger.Contract) error {
		held, err := payloadOf[holding](contract)
		if err != nil {
			return err
		}
		locked := held.Amulet != nil
		if locked {
			held = *held.Amulet
		}
		if held.Owner != owner {
			return nil
		}
		balance, err = balance.Add(wallet.Holding{Amount: held.amount(), Locked: locked})
		return wrapInternal(err)
	}
	if err := a.eachCoin(ctx, owner, at, allowed, add); err != nil {
		return summary, err
	}
	summary = HoldingsSummary{
		PartyID: owner, Unlocked: balance.Unlocked, Locked: balance.Locked,
		FeesUnlocked: balance.UnlockedFees, FeesLocked: balance.LockedFees,
	}
	var ofAll, ofFees, ofAvailable error
	summary.Holdings, ofAll = balance.Total()
	summary.FeesTotal, ofFees = balance.TotalFees()
	summary.Available, ofAvailable = balance.Available()
	return summary, wrapInternal(cmp.Or(ofAll, ofFees, ofAvailable))
}

// wrapInternal makes an internal fault of an error; nil of nil.
func wrapInternal(err error) error {
	if err == nil {
		return nil
	}
	return fault.Internal(err)
}

// eachCoin visits the coin that an owner held at an offset, and possibly coin of which it is only a stakeholder: first
// the coin that it still holds, then the coin that was spent since. This order matters because the ledger may go on
// between the two reads: both find coin that is spent in the meantime, and it is visited once.
func (a *API) eachCoin(
	ctx context.Context, owner ledger.Party, at ledger.Offset, allowed *allowance, visit func(ledger.Contract) error,
) error {
	visited := map[ledger.ContractID]bool{}
	look := func(page []db.StoredContract) error {
		if err := allowed.take(len(page)); err != nil {
			return err
		}
		for _, contract := range page {
			if contract.Offset > at || visited[contract.ID] {
				continue
			}
			visited[contract.ID] = true
			if err := visit(contract.Contract); err != nil {
				return err
			}
		}
		return nil
	}
	portions := budget.NewPortions(contractsPage)
	held := db.ActiveQuery{
		Parties: []ledger.Party{owner}, Templates: a.templateIDs(amulets, lockedAmulets), At: at, Limit: contractsPage,
	}
	for more := true; more; {
		page, next, release, err := readPortion(ctx, portions, a.record.StillActive, held)
		if err == nil {
			err = look(page)
			release()
		}
		if err != nil {
			return err
		}
		if more = next; more {
			held.After = page[len(page)-1].Position()
		}
	}
	after := db.SpentPosition{Offset: at + 1}
	for more := true; more; {
		page, next, release, err := budget.Read(ctx, portions,
			func(ctx context.Context, limit int32) ([]db.StoredContract, error) {
				return a.record.SpentCoin(ctx, owner, after, limit)
			})
		if err == nil {
			err = look(page)
			release()
		}
		if err != nil {
			return err
		}
		if more = next; more {
			last := page[len(page)-1]
			after = db.SpentPosition{Offset: *last.Archived, ID: last.ID}
		}
	}
	return nil
}
