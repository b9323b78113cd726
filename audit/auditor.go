package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Reader reads the record that an [Auditor] audits.
type Reader interface {
	Head(ctx context.Context) (db.Head, error)
	ChainedUpdates(ctx context.Context, after, upTo ledger.Offset, limit int32) ([]db.ChainedUpdate, error)
	ChainedCompletions(ctx context.Context, after, upTo ledger.Offset, limit int32) ([]db.ChainedCompletion, error)
	CountBeyondEnd(ctx context.Context) (int64, error)
	ChangedPackages(ctx context.Context) ([]db.ChangedPackage, error)
	ForgedPackages(ctx context.Context) ([]lf.PackageID, error)
	UnlistedPayloads(ctx context.Context) ([]lf.PackageID, error)
	Contracts(ctx context.Context, ids []ledger.ContractID) (map[ledger.ContractID]db.StoredContract, error)
	ActiveContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error)
	CountArchived(ctx context.Context, after, upTo ledger.Offset) (int64, error)
	ActiveListings(ctx context.Context, after db.Position, limit int32) ([]db.Mislisted, error)
	Listings(ctx context.Context, after db.Listing, limit int32) ([]db.Listing, error)
	UnlistedCompletions(ctx context.Context, after, upTo ledger.Offset) ([]db.Unlisted, error)
	UnlistedUpdates(
		ctx context.Context, updates []ledger.Update, history map[ledger.Offset][]ledger.Party,
	) (unlisted []db.Unlisted, pairs int, err error)
	UnlistedExecutions(ctx context.Context, after, upTo ledger.Offset) ([]ledger.Offset, error)
	TrackedStates(ctx context.Context, ids []db.TrackedID) (map[db.TrackedID]db.Tracked, error)
	KnownParties(ctx context.Context, parties []ledger.Party) (map[ledger.Party]bool, error)
	CountListed(ctx context.Context, after, upTo ledger.Offset) (map[string]db.Listed, error)
	MiscountedTraffic(ctx context.Context, limit int32) ([]db.MiscountedTraffic, error)
	AuditCheckpoint(ctx context.Context) (db.AuditCheckpoint, bool, error)
}

// Limits of one read, which bound the memory: updates and completions in bytes (package budget), all others in rows.
const (
	updatesPage     = 100
	completionsPage = 500
	contractsPage   = 500
	listingsPage    = 2000
)

// Auditor audits a record.
type Auditor struct {
	record       Reader
	packages     *ledger.Packages
	network      ledger.Network
	holding      []string
	progress     func(at, end ledger.Offset)
	expectedHead *db.ChainHead // nil: none
	// knownHeads are the hashes that the record must have.
	knownHeads []knownHead
}

// Expect makes [Auditor.Audit] compare the record with a head that was stored outside of the database. It proves that
// the record is the same up to that head without trust in the database.
func (a *Auditor) Expect(head db.ChainHead) {
	a.expectedHead = &head
	a.knownHeads = append(a.knownHeads, knownHead{head, "the expected head"})
}

// OnProgress makes an audit report its progress. After the last report, only the sums are left.
func (a *Auditor) OnProgress(tell func(at, end ledger.Offset)) { a.progress = tell }

// New makes an auditor of a network's coin. It fails if the packages lack the coin.
func New(record Reader, packages *ledger.Packages, network ledger.Network) (*Auditor, error) {
	a := &Auditor{record: record, packages: packages, network: network, progress: func(ledger.Offset, ledger.Offset) {}}
	for _, entity := range []string{"Amulet", "LockedAmulet"} {
		name := lf.TypeName{Package: "#" + coinPackage, Module: "Splice.Amulet", Entity: entity}
		resolved, refusal := packages.ResolveTemplate(name, nil)
		if refusal != nil {
			return nil, fmt.Errorf("audit: the packages lack the coin: %w", refusal)
		}
		a.holding = append(a.holding, resolved.String())
	}
	return a, nil
}

// Report is the outcome of an audit.
type Report struct {
	State

	// Counted is the sum of the holdings at the offset.
	Counted decimal.Decimal
	// Since is the offset after which all entries are proved, pruned ones included: the start of the state or, in a pruned
	// record, of the continuous audit. The audit trusts the contracts that existed at Since.
	Since ledger.Offset

	// findingsBefore counts the findings of the continuous audit when this audit began.
	findingsBefore int64
}

// Audit audits the whole record up to an offset; 0 is its end. A pruned record begins with its first remaining entry;
// Audit compares it with the sums of the continuous audit.
//
// Faults: OFFSET_AFTER_LEDGER_END, PARTICIPANT_PRUNED_DATA_ACCESSED, NEGATIVE_OFFSET.
func (a *Auditor) Audit(ctx context.Context, upTo ledger.Offset) (Report, error) {
	before, err := a.loadCheckpoint(ctx)
	if err != nil {
		return Report{}, err
	}
	if state := before.state; before.holds && state.Clean() { // else it may have the hash of an entry repaired since
		audit := *a
		checkpoint := knownHead{state.Head(), "the checkpoint of the continuous audit"}
		audit.knownHeads = append(slices.Clip(a.knownHeads), checkpoint)
		a = &audit
	}
	state, err := a.Begin(ctx)
	if err != nil {
		return Report{}, err
	}
	end, err := a.upTo(ctx, state, upTo)
	if err != nil {
		return Report{}, err
	}
	if err := a.compareEnds(&state, end); err != nil {
		return Report{}, err
	}
	state, since, err := a.compare(ctx, state, upTo)
	if err != nil {
		return Report{}, err
	}
	report, err := a.Continue(ctx, state, upTo)
	if err != nil {
		return Report{}, err
	}
	report.Since, report.findingsBefore = since, before.state.FindingCount
	return report, a.compareCounts(ctx, &report.State)
}

// compareEnds compares the expected head with the start and the end of the audit.
func (a *Auditor) compareEnds(state *State, end ledger.Offset) error {
	switch {
	case a.expectedHead == nil:
	case a.expectedHead.Offset < state.Start:
		return fault.PrunedDataAccessed(int64(a.expectedHead.Offset), int64(state.Start))
	case a.expectedHead.Offset > end:
		state.report(chainFinding(end, "the record ends here, but the expected head is at offset %d: somebody deleted the "+
			"end of the record", a.expectedHead.Offset))
	}
	for _, known := range a.knownHeads {
		known.compare(state, state.Head())
	}
	return nil
}

// Begin returns the state before the first page.
func (a *Auditor) Begin(ctx context.Context) (State, error) {
	head, err := a.record.Head(ctx)
	if err != nil {
		return State{}, err
	}
	state := State{Start: head.Pruned, Offset: head.Pruned, Hash: head.PrunedHash}
	if head.Pruned > 0 {
		held, err := a.count(ctx, &state)
		if err != nil {
			return State{}, err
		}
		state.Opening, state.Held, state.Holdings = held.total, held.total, held.holdings
		state.Active = held.active
		if err := a.openPackages(ctx, &state); err != nil {
			return State{}, err
		}
	}
	return state, nil
}

// Continue audits from a state up to an offset (0: the end of the record), and adds up the holdings there.
func (a *Auditor) Continue(ctx context.Context, state State, upTo ledger.Offset) (Report, error) {
	upTo, err := a.upTo(ctx, state, upTo)
	if err != nil {
		return Report{}, err
	}
	for state.Offset < upTo {
		if state, err = a.Advance(ctx, state, upTo); err != nil {
			return Report{}, err
		}
		a.progress(state.Offset, upTo)
	}
	return a.Close(ctx, state)
}

func (a *Auditor) upTo(ctx context.Context, state State, upTo ledger.Offset) (ledger.Offset, error) {
	head, err := a.record.Head(ctx)
	switch {
	case err != nil:
		return 0, err
	case upTo < 0:
		return 0, fault.NegativeOffsetIn("offset", int64(upTo))
	case upTo > head.Offset:
		return 0, fault.OffsetAfterEnd("The audit's", int64(upTo), int64(head.Offset))
	case upTo == 0:
		upTo = head.Offset
	}
	if upTo < state.Offset {
		return 0, fault.PrunedDataAccessed(int64(upTo), int64(head.Pruned))
	}
	return upTo, nil
}

// Close compares the state with all holdings at its offset. It reads every active contract, the list of active
// contracts, and the completions that pruning left.
func (a *Auditor) Close(ctx context.Context, state State) (Report, error) {
	held, err := a.count(ctx, &state)
	if err != nil {
		return Report{}, err
	}
	if !held.total.Equal(state.Held) {
		state.report(Finding{Rule: Held, Offset: state.Offset, Detail: fmt.Sprintf(
			"the holdings add up to %s, but %s should be held: %s at the start, %s minted, %s burned",
			held.total, state.Held, state.Opening, state.Minted, state.Burned)})
	}
	if held.active != state.Active {
		state.report(Finding{Rule: Active, Offset: state.Offset, Detail: differ(held.active.Count, state.Active.Count)})
	}
	for _, compare := range []func(context.Context, *State) error{
		a.compareContracts, a.compareList, a.compareTraffic, a.examineRest, a.examinePackages,
	} {
		if err := compare(ctx, &state); err != nil {
			return Report{}, err
		}
	}
	state.Holdings = held.holdings
	return Report{State: state, Counted: held.total, Since: state.Start}, nil
}

func differ(active, expected int64) string {
	if active == expected {
		return fmt.Sprintf("%d contracts are active. The number is right, but some of them are wrong: somebody added or "+
			"restored contracts, and deleted, archived or moved others", active)
	}
	return fmt.Sprintf("%d contracts are active, but the updates leave %d active: somebody added, restored, deleted or "+
		"archived contracts", active, expected)
}

type tally struct {
	total    decimal.Decimal
	holdings int64
	active   contractSet
}

// count adds up the network's holdings at the offset of the state. It reports every contract, of any template and
// network, that does not match its id or its mark (in_network).
func (a *Auditor) count(ctx context.Context, state *State) (held tally, err error) {
	query := db.ActiveQuery{At: state.Offset, Limit: contractsPage}
	for {
		page, err := a.record.ActiveContracts(ctx, query)
		if err != nil {
			return held, err
		}
		for _, contract := range page {
			query.After = contract.Position()
			held.active.add(contract)
			member, marked := a.isMember(contract)
			if !marked {
				state.report(markFinding(contract, contract.Offset))
			}
			changed := ledger.AuthenticateContract(contract.Contract)
			var coin holding
			if isHeld := member && slices.Contains(a.holding, contract.Template.String()); isHeld {
				held.holdings++
				if changed == nil {
					coin, changed = readHolding(contract.Payload)
				}
			}
			if changed != nil {
				state.report(Finding{
					Rule: Unchanged, Offset: contract.Offset, ContractID: contract.ID, Detail: changed.Error(),
				})
				continue
			}
			if held.total, err = held.total.Add(coin.amount()); err != nil {
				return held, fmt.Errorf("add up the holdings: %w", err)
			}
		}
		if len(page) < contractsPage {
			return held, a.stillThere(ctx, state.Offset)
		}
	}
}

// Advance audits the next page, but not beyond an offset.
func (a *Auditor) Advance(ctx context.Context, state State, upTo ledger.Offset) (State, error) {
	entries, release, err := a.entries(ctx, state.Offset, upTo)
	if err != nil {
		return state, err
	}
	defer release()
	upTo = entries.upTo
	updates := entries.readable()
	contracts, err := a.record.Contracts(ctx, contractIDs(updates))
	if err != nil {
		return state, err
	}
	page := a.newPage(contracts)
	archived, err := a.record.CountArchived(ctx, state.Offset, upTo)
	if err != nil {
		return state, err
	}
	listings, err := a.listings(ctx, entries, updates, page)
	if err != nil {
		return state, err
	}
	if err := a.stillThere(ctx, state.Offset); err != nil {
		return state, err
	}
	entries.examine(&state, a.knownHeads)
	listings.examine(&state)
	for _, update := range updates {
		state.follow(update)
		if err := page.examine(&state, update); err != nil {
			return state, fmt.Errorf("audit the update at offset %d: %w", update.Offset, err)
		}
	}
	if consumed := int64(len(page.consumed)); consumed != archived {
		state.report(Finding{Rule: ConsumedOnce, Offset: upTo, Detail: fmt.Sprintf(
			"after offset %d, table contracts has %d archived contracts, but the updates consume %d",
			state.Offset, archived, consumed)})
	}
	if len(updates) > 0 {
		state.RecordTime = updates[len(updates)-1].RecordTime
	}
	state.Offset = upTo
	state.Updates += int64(len(updates))
	return state, nil
}

func (a *Auditor) newPage(contracts map[ledger.ContractID]db.StoredContract) *page {
	page := &page{
		contracts: contracts, members: map[ledger.ContractID]bool{}, mismarked: map[ledger.ContractID]bool{},
		consumed: map[ledger.ContractID]ledger.Offset{},
	}
	for id, contract := range contracts {
		member, marked := a.isMember(contract)
		page.members[id], page.mismarked[id] = member, !marked
	}
	return page
}

// stillThere fails if a prune deleted the rows since the audit read them.
func (a *Auditor) stillThere(ctx context.Context, offset ledger.Offset) error {
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	return head.StillHolds(offset)
}

// isMember decides again whether the network owns a contract, and compares with its mark (in_network). It trusts the
// mark of an unreadable contract, which is a finding of its own.
func (a *Auditor) isMember(contract db.StoredContract) (member, marked bool) {
	member, err := a.packages.InNetwork(contract.Contract, a.network)
	if err != nil {
		return contract.InNetwork, true
	}
	return member, member == contract.InNetwork
}

func markFinding(contract db.StoredContract, at ledger.Offset) Finding {
	detail := "in_network is true, but the contract does not name the network's DSO, or the DSO did not sign it"
	if !contract.InNetwork {
		detail = "in_network is false, but the contract belongs to the network"
	}
	return Finding{Rule: Unchanged, Offset: at, ContractID: contract.ID, Detail: detail}
}

// contractIDs lists the contracts that updates create or exercise.
func contractIDs(updates []ledger.Update) []ledger.ContractID {
	seen := map[ledger.ContractID]bool{}
	var ids []ledger.ContractID
	for _, update := range updates {
		for _, event := range update.Events {
			if event.Kind != ledger.EventFetch && !seen[event.ContractID] {
				seen[event.ContractID] = true
				ids = append(ids, event.ContractID)
			}
		}
	}
	return ids
}
