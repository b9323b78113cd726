package db

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
)

// Lifecycle is a contract, or a group of contracts, that a workflow looks after. The commit that creates the contracts
// writes it, so it exists even if the workflow is lost.
type Lifecycle struct {
	WorkflowID string
	Kind       string
	// Parties are those that the workflow is about; operators search by them.
	Parties []ledger.Party
	// Account is the account whose submission made it due last; accounts take turns.
	Account string
	// Contracts are those that were active when the workflow looked last, and all that were created since.
	Contracts []ledger.ContractID
	// Version grows with each change of the contracts.
	Version int64
	// DueAt is when the workflow has to look next, in ledger time; the Unix epoch when something changed since it looked.
	DueAt time.Time
	// WaitsFor says in words what the workflow waits for.
	WaitsFor string
	// Refusal is why Temporal refused the last call of the workflow; "" when it did not.
	Refusal string
	// Tries counts the failed decisions in a row, and Trouble says why the last one failed.
	Tries   int32
	Trouble string
}

// LifecycleChange has the changes of a lifecycle's contracts by one commit.
type LifecycleChange struct {
	WorkflowID workflowid.ID
	Kind       string
	Parties    []ledger.Party
	// Account is the account of the submission.
	Account string
	// ByNode: the node made the submission by itself. An existing lifecycle keeps its account.
	ByNode bool
	// Created are new contracts; none if contracts were only archived, or if the lifecycle has to look because of a
	// contract that is not its own.
	Created []ledger.ContractID
	// Changed are existing contracts, which may have lifecycles of their own.
	Changed []ledger.ContractID
}

// maxTogether limits the contracts that share a lifecycle: users choose the names by which theirs do, and each further
// contract costs as much as all before it. Beyond the limit each contract has its own lifecycle. So a rule cannot
// expect one lifecycle to have all contracts that matter to it: it reads them from the record.
const maxTogether = 100

// apartPrefix begins the id of a lifecycle that belongs to one contract.
const apartPrefix = "contract:"

// Apart is the id of the lifecycle that a contract has when too many would share one.
func Apart(id ledger.ContractID) workflowid.ID {
	own, _ := workflowid.Parse(apartPrefix + string(id))
	return own
}

// IsApart reports whether [Apart] made an id.
func IsApart(id string) bool { return strings.HasPrefix(id, apartPrefix) }

// queueLifecycles makes the lifecycles due whose contracts changed. It merges the changes of each one.
func (p *pipeline) queueLifecycles(ctx context.Context, entries Entries) error {
	if len(entries.Lifecycles) == 0 {
		return nil
	}
	var order []workflowid.ID
	changes := make(map[workflowid.ID]LifecycleChange, len(entries.Lifecycles))
	for _, change := range withApart(entries.Lifecycles) {
		merged, known := changes[change.WorkflowID]
		if !known {
			order = append(order, change.WorkflowID)
			merged = LifecycleChange{WorkflowID: change.WorkflowID, Kind: change.Kind, Parties: change.Parties}
		}
		if len(merged.Created) == 0 && len(change.Created) > 0 { // a change that only wakes it may know less
			merged.Kind, merged.Parties = change.Kind, change.Parties
		}
		if merged.Account == "" || !change.ByNode {
			merged.Account, merged.ByNode = change.Account, change.ByNode
		}
		merged.Created = append(merged.Created, change.Created...)
		changes[change.WorkflowID] = merged
	}
	params := dbgen.TouchLifecyclesParams{ApartPrefix: apartPrefix, TogetherMax: maxTogether}
	for _, id := range order {
		change := changes[id]
		params.WorkflowIds = append(params.WorkflowIds, id.String())
		params.Kinds = append(params.Kinds, change.Kind)
		params.Parties = append(params.Parties, toDBArray(change.Parties))
		params.Created = append(params.Created, contractArray(change.Created))
		params.Accounts = append(params.Accounts, change.Account)
		params.ByNode = append(params.ByNode, change.ByNode)
	}
	return p.queries().TouchLifecycles(ctx, params)
}

// withApart adds the changes of lifecycles that belong to one contract.
func withApart(changes []LifecycleChange) []LifecycleChange {
	all := slices.Clone(changes)
	for _, change := range changes {
		for _, id := range change.Changed {
			own := change
			own.WorkflowID, own.Created, own.Changed = Apart(id), nil, nil
			all = append(all, own)
		}
	}
	return all
}

// contractArray writes an array literal; contract ids need no quotes.
func contractArray(ids []ledger.ContractID) string {
	literal := []byte{'{'}
	for i, id := range ids {
		if i > 0 {
			literal = append(literal, ',')
		}
		literal = append(literal, id...)
	}
	return string(append(literal, '}'))
}

// TouchLifecycles enters lifecycles, or makes existing ones due, like a commit that creates their contracts.
func (t *Tx) TouchLifecycles(ctx context.Context, changes []LifecycleChange) error {
	p := &pipeline{}
	if err := p.queueLifecycles(ctx, Entries{Lifecycles: changes}); err != nil || len(changes) == 0 {
		return failed("entering lifecycles", err)
	}
	return failed("entering lifecycles", p.send(ctx, t.tx))
}

// Lifecycle finds a lifecycle; false when there is none.
func (r Reader) Lifecycle(ctx context.Context, workflowID string) (Lifecycle, bool, error) {
	row, err := r.queries.GetLifecycle(ctx, workflowID)
	if isNoRows(err) {
		return Lifecycle{}, false, nil
	}
	return fromDBLifecycle(row), err == nil, failed("reading a lifecycle", err)
}

// Lifecycles pages through all lifecycles in order of their workflow ids.
func (r Reader) Lifecycles(ctx context.Context, after string, limit int32) ([]Lifecycle, error) {
	rows, err := r.queries.ListLifecycles(ctx, dbgen.ListLifecyclesParams{After: after, CountMax: limit})
	lifecycles := make([]Lifecycle, len(rows))
	for i, row := range rows {
		lifecycles[i] = fromDBLifecycle(row)
	}
	return lifecycles, failed("listing lifecycles", err)
}

// SettleLifecycle stores the state of a lifecycle: its contracts, DueAt and WaitsFor. Without contracts it deletes the
// lifecycle. If the contracts changed since the lifecycle was read, it stores nothing, returns false, and the lifecycle
// stays due.
func (t *Tx) SettleLifecycle(ctx context.Context, l Lifecycle) (bool, error) {
	if len(l.Contracts) == 0 {
		ended, err := t.queries.EndLifecycle(ctx, dbgen.EndLifecycleParams{WorkflowID: l.WorkflowID, Version: l.Version})
		return ended == 1, failed("ending a lifecycle", err)
	}
	settled, err := t.queries.SettleLifecycle(ctx, dbgen.SettleLifecycleParams{
		WorkflowID: l.WorkflowID, Version: l.Version, ContractIds: ledger.Strings(l.Contracts),
		DueAt: storableTime(l.DueAt), WaitsFor: l.WaitsFor, Tries: l.Tries, Trouble: l.Trouble,
	})
	return settled == 1, failed("settling a lifecycle", err)
}

// storableTime limits a due time to the range of the database: the epoch means at once, and [lf.MaxTimestamp] never.
func storableTime(at time.Time) time.Time {
	switch epoch, never := time.Unix(0, 0), lf.MaxTimestamp().Time(); {
	case at.Before(epoch):
		return epoch
	case at.After(never):
		return never
	default:
		return at
	}
}

// AwaitTime makes a workflow without contracts due at a ledger time; [Tx.DropLifecycle] undoes it.
func (t *Tx) AwaitTime(ctx context.Context, l Lifecycle) error {
	return failed("awaiting a time", t.queries.AwaitTime(ctx, dbgen.AwaitTimeParams{
		WorkflowID: l.WorkflowID, Kind: l.Kind, Parties: ledger.Strings(l.Parties), DueAt: storableTime(l.DueAt),
		WaitsFor: l.WaitsFor, Account: l.Account,
	}))
}

// DropLifecycle undoes [Tx.AwaitTime].
func (t *Tx) DropLifecycle(ctx context.Context, workflowID string) error {
	return failed("deleting a lifecycle", t.queries.DropLifecycle(ctx, workflowID))
}

// NoteRefusal notes why Temporal refused the call of a lifecycle's workflow. Until the workflow looks, or its contracts
// change, nobody waits for the lifecycle.
func (t *Tx) NoteRefusal(ctx context.Context, workflowID, refusal string) error {
	return failed("noting a refusal", t.queries.NoteRefusal(ctx, dbgen.NoteRefusalParams{
		WorkflowID: workflowID, Refusal: refusal,
	}))
}

// UnderWay limits the lifecycles that were called and have not looked yet. Ten seconds after the call they do not
// count.
type UnderWay struct {
	// OfAccount is the limit of each account, All that of all accounts together.
	OfAccount, All int64
}

// TakeDueLifecycles returns lifecycles that are due at a ledger time; the caller calls their workflows now. The longest
// due come first within an account, and the accounts in turn. No process gets one of them again until its contracts
// change or some time has passed in which its workflow did not look. It reports whether the bounds held back others
// that are due.
func (d *DB) TakeDueLifecycles(
	ctx context.Context, dueBy, realNow time.Time, bounds UnderWay,
) (due []Lifecycle, heldBack bool, err error) {
	rows, err := d.queries.TakeDueLifecycles(ctx, dbgen.TakeDueLifecyclesParams{
		DueBy: dueBy, Now: realNow, After: d.turns.last(lifecycleTurns), AccountMax: bounds.OfAccount,
		CountMax: bounds.All, CountMore: bounds.All + 1,
	})
	for _, row := range rows {
		heldBack = row.HeldBack
		if row.WorkflowID == "" { // nothing is taken
			continue
		}
		due = append(due, Lifecycle{WorkflowID: row.WorkflowID, Kind: row.Kind, Parties: fromDBParties(row.Parties)})
		d.turns.note(lifecycleTurns, row.Account)
	}
	return due, heldBack, failed("looking for lifecycles that are due", err)
}

// Holders asks for the parties that received contracts of a template between two offsets, and have at least AtLeast of
// them now.
type Holders struct {
	Template    string // package-id:Module:Entity
	After, UpTo ledger.Offset
	AtLeast     int32
}

// FullHolders lists the parties that [Holders] asks for.
func (r Reader) FullHolders(ctx context.Context, holders Holders) ([]ledger.Party, error) {
	parties, err := r.queries.ListFullHolders(ctx, dbgen.ListFullHoldersParams{
		TemplateID: holders.Template, AfterOffset: int64(holders.After), UpTo: holders.UpTo,
		AllButOne: holders.AtLeast - 1,
	})
	return fromDBParties(parties), failed("looking for holders of many contracts", err)
}

func fromDBLifecycle(row dbgen.Lifecycle) Lifecycle {
	contracts := make([]ledger.ContractID, len(row.ContractIds))
	for i, id := range row.ContractIds {
		contracts[i] = ledger.ContractID(id)
	}
	return Lifecycle{
		WorkflowID: row.WorkflowID, Kind: row.Kind, Parties: fromDBParties(row.Parties), Contracts: contracts,
		Account: row.Account, Version: row.Version, DueAt: row.DueAt, WaitsFor: row.WaitsFor, Refusal: row.Refusal,
		Tries: row.Tries, Trouble: row.Trouble,
	}
}

// NextDue finds the first ledger time after one, and not after another, at which a lifecycle or a deadline of
// automation is due; false when there is none.
func (r Reader) NextDue(ctx context.Context, after, upTo time.Time) (time.Time, bool, error) {
	next, err := r.queries.NextDue(ctx, dbgen.NextDueParams{After: after, UpTo: upTo})
	if err != nil {
		return next, false, failed("looking for the next deadline", err)
	}
	if next.After(after) {
		upTo = next
	}
	deadline, err := r.queries.NextDeadline(ctx, dbgen.NextDeadlineParams{After: after, UpTo: upTo})
	if deadline.After(after) {
		next = deadline
	}
	return next, next.After(after), failed("looking for the next deadline", err)
}
