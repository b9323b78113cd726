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

// Reader is what is audited.
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
	record   Reader
	packages *ledger.Packages
	network  ledger.Network
	holding  []string
	progress func(at, end ledger.Offset)
	// written is the head that somebody wrote down; nil where nobody did.
	written *db.ChainHead
	// known are the hashes that the record must have.
	known []knownHead
}

// Expect makes [Auditor.Audit] compare the record with a head that was stored outside of the database. It proves that
// the record is the same up to that head without trust in the database.
func (a *Auditor) Expect(head db.ChainHead) {
	a.written = &head
	a.known = append(a.known, knownHead{head, "the head that was written down"})
}

// OnProgress makes an audit report its progress. After the last report, only the sums are left.
func (a *Auditor) OnProgress(tell func(at, end ledger.Offset)) { a.progress = tell }

// New makes an auditor of a network's coin. The error says that the packages do not have the coin.
func New(record Reader, packages *ledger.Packages, network ledger.Network) (*Auditor, error) {
	a := &Auditor{record: record, packages: packages, network: network, progress: func(ledger.Offset, ledger.Offset) {}}
	for _, entity := range []string{"Amulet", "LockedAmulet"} {
		name := lf.TypeName{Package: "#" + coinPackage, Module: "Splice.Amulet", Entity: entity}
		resolved, refusal := packages.ResolveTemplate(name, nil)
		if refusal != nil {
			return nil, fmt.Errorf("audit the coin: %w", refusal)
		}
		a.holding = append(a.holding, resolved.String())
	}
	return a, nil
}

// Report is the outcome of an audit.
type Report struct {
	State

	// Counted is what the holdings that were active at the offset add up to.
	Counted decimal.Decimal
	// Since is the offset after which everything is proved, including pruned entries: the start of the state, or of the
	// continuous audit that a pruned record was compared with. The audit trusts the contracts that existed at Since.
	Since ledger.Offset

	// foundBefore is the number of findings of the continuous audit when this one began.
	foundBefore int64
}

// Audit audits the whole record up to an offset; 0 is its end. In a pruned record it begins with the first entry that
// is left, and compares with the sums of the continuous audit.
//
// Faults: OFFSET_AFTER_LEDGER_END, PARTICIPANT_PRUNED_DATA_ACCESSED, NEGATIVE_OFFSET.
func (a *Auditor) Audit(ctx context.Context, upTo ledger.Offset) (Report, error) {
	before, err := a.loadCheckpoint(ctx)
	if err != nil {
		return Report{}, err
	}
	if state := before.state; before.holds && state.Clean() { // else it may have the hash of what was put right since
		audit := *a
		audit.known = append(slices.Clip(a.known), knownHead{state.Head(), "the checkpoint of the continuous audit"})
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
	report.Since, report.foundBefore = since, before.state.FindingCount
	return report, a.compareCounts(ctx, &report.State)
}

// compareEnds compares the head that was written down with where an audit begins and ends.
func (a *Auditor) compareEnds(state *State, end ledger.Offset) error {
	switch {
	case a.written == nil:
	case a.written.Offset < state.Start:
		return fault.PrunedDataAccessed(int64(a.written.Offset), int64(state.Start))
	case a.written.Offset > end:
		state.report(chained(end, "the record ends here, before offset %d of the head that was written down: its end was cut "+
			"off", a.written.Offset))
	}
	for _, known := range a.known {
		known.compare(state, state.Head())
	}
	return nil
}

// Begin is the state before the first page.
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

// Continue goes on from a state up to an offset, or to the end of the record for 0, and adds the holdings up there.
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

// Close adds up the holdings at the offset of the state, and compares. It looks at every contract that is active, at
// the list of them, and at what pruning left.
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

// differ is the text of a finding that the wrong contracts are active.
func differ(active, expected int64) string {
	if active == expected {
		return fmt.Sprintf("%d contracts are active, as many as should be, but not the same: some were added or brought "+
			"back, and others deleted, archived or moved", active)
	}
	return fmt.Sprintf("%d contracts are active, but %d should be, by what updates created and consumed: contracts were "+
		"added, brought back, deleted or archived", active, expected)
}

type tally struct {
	total    decimal.Decimal
	holdings int64
	active   contractSet
}

// count adds up the network's holdings at the offset of the state. It reports those that were changed, and all
// contracts, of any template and network, that are not what their ids and their marks say.
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
				state.report(notMarked(contract, contract.Offset))
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

// Advance audits the next page, at most up to an offset.
func (a *Auditor) Advance(ctx context.Context, state State, upTo ledger.Offset) (State, error) {
	entries, release, err := a.entries(ctx, state.Offset, upTo)
	if err != nil {
		return state, err
	}
	defer release()
	upTo = entries.upTo
	updates := entries.readable()
	contracts, err := a.record.Contracts(ctx, mentioned(updates))
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
	entries.examine(&state, a.known)
	listings.examine(&state)
	for _, update := range updates {
		state.follow(update)
		if err := page.examine(&state, update); err != nil {
			return state, fmt.Errorf("audit the update at offset %d: %w", update.Offset, err)
		}
	}
	if consumed := int64(len(page.consumed)); consumed != archived {
		state.report(Finding{Rule: ConsumedOnce, Offset: upTo, Detail: fmt.Sprintf(
			"after offset %d, %d contracts are marked as archived, but updates consume %d",
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

// stillThere fails if the rows that were read have been pruned since.
func (a *Auditor) stillThere(ctx context.Context, offset ledger.Offset) error {
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	return head.StillHolds(offset)
}

// isMember decides again whether a contract is the network's, and compares with its mark. It trusts the mark of a
// contract that cannot be read, which is a finding of its own.
func (a *Auditor) isMember(contract db.StoredContract) (member, marked bool) {
	member, err := a.packages.InNetwork(contract.Contract, a.network)
	if err != nil {
		return contract.InNetwork, true
	}
	return member, member == contract.InNetwork
}

// notMarked finds that the mark on a contract is not what its payload and signatories say.
func notMarked(contract db.StoredContract, at ledger.Offset) Finding {
	detail := "the contract is marked as one of the network's, but does not name its DSO, or the DSO did not sign it"
	if !contract.InNetwork {
		detail = "the contract is one of the network's, but is not marked so"
	}
	return Finding{Rule: Unchanged, Offset: at, ContractID: contract.ID, Detail: detail}
}

// mentioned are the contracts that updates create or exercise choices of.
func mentioned(updates []ledger.Update) []ledger.ContractID {
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
