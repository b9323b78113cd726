package instruments

import (
	"context"
	"math"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/tokens"
)

const (
	// maxHistory is the maximum number of transactions that one request looks at.
	maxHistory = 200
	// maxChanges is the maximum number of contracts that the history reads of one transaction.
	maxChanges = 500
	// historySteps limits the views of one transaction, so that a costly one hides no other.
	historySteps = ledger.MaxAnswerSteps / maxHistory
)

// ListTokenHistoryRequest asks for a page of the history.
type ListTokenHistoryRequest struct {
	Before *int64 `query:"before" doc:"The next of the previous page: an offset"`
}

// ListTokenHistoryResponse is a page of the history.
type ListTokenHistoryResponse struct {
	Transactions []TokenTransaction `json:"transactions" required:"true" doc:"Newest first"`
	Next         *ledger.Offset     `json:"next" doc:"before of the next page, which may be empty; null on the last page"`
}

// TokenTransaction is a transaction that changed holdings.
type TokenTransaction struct {
	UpdateID    ledger.UpdateID    `json:"update_id" required:"true" doc:"The transaction"`
	Offset      ledger.Offset      `json:"offset" required:"true" doc:"Its offset"`
	Date        endpoint.Timestamp `json:"date" required:"true" doc:"Its ledger time"`
	Movements   []TokenMovement    `json:"movements" required:"true" doc:"Changes of holdings that the caller sees, of any owner"`
	Transfers   []ClaimedContract  `json:"transfers" required:"true" doc:"Pending transfers that the transaction made or ended"`
	Incomplete  bool               `json:"incomplete" required:"true" doc:"Whether some claims could not be read: their code fails or costs too much"`
	PackageName string             `json:"package_name" required:"true" doc:"Package of the first choice or contract of a token"`
	Choice      string             `json:"choice" required:"true" doc:"The choice that made the first change; empty for a created contract"`
}

// TokenMovement is the change of an owner's holdings of one instrument of one package.
type TokenMovement struct {
	Owner       ledger.Party     `json:"owner" required:"true" doc:"Claimed owner"`
	PackageName string           `json:"package_name" required:"true" doc:"The package whose code makes the claims"`
	Instrument  InstrumentID     `json:"instrument" required:"true" doc:"Claimed instrument"`
	AdminSigned bool             `json:"admin_signed" required:"true" doc:"Whether the claimed administrator signed the holdings"`
	Unlocked    *decimal.Decimal `json:"unlocked" doc:"Change of the amount without a lock; null if it is larger than any amount"`
	Locked      *decimal.Decimal `json:"locked" doc:"Change of the amount with a lock; null if it is larger than any amount"`
}

// ListHistory reads a page of the caller's history.
func (a *API) ListHistory(
	ctx context.Context, req ListTokenHistoryRequest,
) (response ListTokenHistoryResponse, err error) {
	w, err := a.Caller(ctx, "listTokenHistory")
	if err != nil {
		return response, err
	}
	upTo := ledger.Offset(math.MaxInt64)
	if req.Before != nil {
		if *req.Before < 1 {
			return response, v0.BadRequest("before: there is no offset before %d. Send the next of the previous page, or "+
				"nothing.", *req.Before)
		}
		upTo = ledger.Offset(*req.Before) - 1
	}
	reader, err := a.historyReader(ctx, w.Party)
	if err != nil {
		return response, err
	}
	query := db.UpdatesQuery{Parties: []ledger.Party{w.Party}, UpTo: upTo, Descending: true}
	looked := 0
	err = budget.Each(ctx, budget.NewPortions(maxHistory), func(ctx context.Context, limit int32) ([]ledger.Update, error) {
		query.Limit = limit
		return a.record.Updates(ctx, query)
	}, func(ctx context.Context, update ledger.Update) (bool, error) {
		looked++
		query.UpTo = update.Offset - 1
		shown, ok, err := reader.read(ctx, update)
		if err == nil && ok {
			err = budget.Of(ctx).Take(shown.size())
			response.Transactions = append(response.Transactions, shown)
		}
		if looked == maxHistory {
			response.Next = &update.Offset
		}
		return looked < maxHistory, err
	})
	return response, err
}

// size estimates the bytes of the transaction.
func (t TokenTransaction) size() int64 {
	const fixed = 512
	size := fixed
	for _, movement := range t.Movements {
		size += fixed + len(movement.Instrument.ID)
	}
	for _, transfer := range t.Transfers {
		size += fixed + len(transfer.View)
	}
	return int64(size)
}

// historyReader reads the transactions of one party.
type historyReader struct {
	api                  *API
	party                ledger.Party
	packages             *ledger.Packages
	holding, instruction lf.TypeName
	// holdings and instructions are the uploaded templates that implement the interfaces.
	holdings, instructions map[lf.TypeName]bool
}

func (a *API) historyReader(ctx context.Context, party ledger.Party) (*historyReader, error) {
	packages, err := a.Catalog.For(ctx)
	if err != nil {
		return nil, err
	}
	r := &historyReader{api: a, party: party, packages: packages}
	for _, of := range []struct {
		interfaceName string
		name          *lf.TypeName
		templates     *map[lf.TypeName]bool
	}{
		{tokens.HoldingInterface, &r.holding, &r.holdings},
		{tokens.InstructionInterface, &r.instruction, &r.instructions},
	} {
		name, templates, err := validator.Implementers(packages, of.interfaceName)
		if err != nil {
			return nil, err
		}
		*of.name, *of.templates = name, map[lf.TypeName]bool{}
		for _, template := range templates {
			(*of.templates)[template] = packages.IsUploaded(template.Package)
		}
	}
	return r, nil
}

// read reads a transaction; it is false if the party sees no change of a token's contracts.
func (r *historyReader) read(ctx context.Context, update ledger.Update) (shown TokenTransaction, ok bool, err error) {
	changes := r.changes(update)
	if len(changes) == 0 {
		return shown, false, nil
	}
	left := max(0, len(changes)-maxChanges)
	changes = changes[:len(changes)-left]
	contracts, err := r.contracts(ctx, changes)
	if err != nil {
		return shown, false, err
	}
	views, _ := ledger.WithViewsUpTo(ctx, historySteps)
	shown = TokenTransaction{
		UpdateID: update.ID, Offset: update.Offset, Date: endpoint.Timestamp(update.EffectiveAt),
		PackageName: changes[0].PackageName, Choice: changes[0].Choice, Incomplete: left > 0,
	}
	var created, archived []tokens.Holding
	for _, event := range changes {
		contract, found := contracts[event.ContractID]
		if !found { // pruned
			shown.Incomplete = true
			continue
		}
		if event.Kind != ledger.EventCreate && !contract.IsStakeholder(r.party) {
			continue // a witness of the choice does not get to know the contract
		}
		if r.holdings[contract.Template] {
			holding, err := r.holdingOf(views, contract)
			switch {
			case err != nil:
				shown.Incomplete = true
			case event.Kind == ledger.EventCreate:
				created = append(created, holding)
			default:
				archived = append(archived, holding)
			}
		}
		if r.instructions[contract.Template] {
			view, _, err := r.packages.View(views, contract, r.instruction)
			if err != nil || tokens.ReadView(view, &instructionClaim{}) != nil {
				shown.Incomplete = true
				continue
			}
			shown.Transfers = append(shown.Transfers, toAPIContract(contract, view))
		}
	}
	for _, moved := range tokens.Movements(created, archived) {
		shown.Movements = append(shown.Movements, TokenMovement{
			Owner: moved.Owner, PackageName: moved.Kind.Package, Instrument: toAPIInstrument(moved.Kind.Instrument),
			AdminSigned: moved.Kind.Signed, Unlocked: toAPISum(moved.Unlocked), Locked: toAPISum(moved.Locked),
		})
	}
	return shown, true, ctx.Err()
}

// changes are the events of the transaction that the party sees and that create or archive contracts of tokens.
func (r *historyReader) changes(update ledger.Update) (changes []ledger.Event) {
	for _, event := range update.Events {
		isChange := event.Kind == ledger.EventCreate || event.Kind == ledger.EventExercise && event.Consuming
		if isChange && (r.holdings[event.Template] || r.instructions[event.Template]) &&
			ledger.PartiesContain(event.Witnesses, r.party) {
			changes = append(changes, event)
		}
	}
	return changes
}

// contracts finds the contracts of events.
func (r *historyReader) contracts(
	ctx context.Context, changes []ledger.Event,
) (map[ledger.ContractID]ledger.Contract, error) {
	ids := make([]ledger.ContractID, len(changes))
	for i, event := range changes {
		ids[i] = event.ContractID
	}
	stored, err := r.api.record.Contracts(ctx, ids)
	contracts := make(map[ledger.ContractID]ledger.Contract, len(stored))
	for id, one := range stored {
		contracts[id] = one.Contract
	}
	return contracts, err
}

func (r *historyReader) holdingOf(ctx context.Context, contract ledger.Contract) (tokens.Holding, error) {
	view, _, err := r.packages.View(ctx, contract, r.holding)
	if err != nil {
		return tokens.Holding{}, err
	}
	return tokens.ReadHolding(contract, view)
}
