package preview

import (
	"cmp"
	"context"
	"crypto/rand"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
)

// Record reads what a decision needs from the database.
type Record interface {
	ContractReader
	Head(ctx context.Context) (db.Head, error)
	Changes(ctx context.Context, ids []ledger.ChangeID) (map[ledger.ChangeID]db.Change, error)
	LedgerSettings(ctx context.Context) (ledger.Settings, error)
	PartyKeys(ctx context.Context, parties []ledger.Party) (map[ledger.Party]prepared.PartyKeys, error)
	ExecutedTransactions(ctx context.Context, uuids []string) (map[string]ledger.Offset, error)
}

// DryRun decides submissions as a commit would, and writes nothing.
type DryRun struct {
	Node     ledger.Node
	Packages *ledger.Packages
	Record   Record
	Traffic  ledger.TrafficRules
	// Now is the ledger's time.
	Now time.Time
}

// Trial is the decision about a submission. Ids of created contracts and of the update are not those of a later commit.
type Trial struct {
	ledger.Decision

	// Cost is the traffic of an accepted submission, in bytes.
	Cost int64
	// Trace is set for a refusal by the code of a contract.
	Trace *Trace
}

// Trace says how a submission failed.
type Trace struct {
	// Places are the active functions of uploaded code, the innermost first.
	Places []ledger.CodePlace
	// Transaction has the nodes until the failure.
	Transaction ledger.Transaction
}

// Decide decides a submission at the head. A refusal is in the completion; the error is a failure of the database, or
// the end of the context.
func (d DryRun) Decide(ctx context.Context, submission ledger.Submission) (Trial, error) {
	var opened *prepared.OpenedTransaction
	if submission.Signed != nil {
		external, refusal := prepared.OpenSigned(*submission.Signed, prepared.SynchronizerOf(d.Node), d.Packages)
		if refusal != nil {
			return Trial{Decision: ledger.Decision{
				Completion: submission.CompletionAt(ledger.Position{}).Refused(submission, refusal),
			}}, nil
		}
		opened, submission = external, external.Submission(submission)
	}
	at, circumstances, charge, err := d.circumstances(ctx, submission, opened)
	if err != nil {
		return Trial{}, err
	}
	decision, err := ledger.Decide(submission, at, circumstances)
	if err := cmp.Or(circumstances.Budget.Close(), err); err != nil {
		return Trial{}, err
	}
	out := Trial{Decision: decision, Cost: decision.Completion.PaidTrafficCost}
	if refusal := decision.Completion.Refusal; refusal != nil {
		out.Trace = d.explain(ctx, submission, at, circumstances, refusal)
		return out, nil
	}
	err = checkInformees(ctx, d.Record, *decision.Transaction)
	if err == nil {
		_, err = charge(decision)
	}
	if err != nil {
		refusal, isRefusal := fault.As(err)
		if !isRefusal {
			return Trial{}, err
		}
		out.Completion = decision.Completion.Refused(submission, refusal)
	}
	return out, nil
}

// circumstances reads the input of a decision, and returns how to charge its cost.
func (d DryRun) circumstances(
	ctx context.Context, submission ledger.Submission, opened *prepared.OpenedTransaction,
) (at ledger.Position, out ledger.Circumstances, charge func(ledger.Decision) (ledger.TrafficAccount, error), err error) {
	head, err := d.Record.Head(ctx)
	if err != nil {
		return at, out, nil, err
	}
	settings, err := d.Record.LedgerSettings(ctx)
	if err != nil {
		return at, out, nil, err
	}
	changes, err := d.Record.Changes(ctx, []ledger.ChangeID{submission.ChangeID()})
	if err != nil {
		return at, out, nil, err
	}
	now := d.Now
	if minimum := submission.MinLedgerTime; minimum != nil && opened == nil && minimum.After(now) {
		now = minimum.UTC().Truncate(time.Microsecond) // the submission would wait until then
	}
	next := head.Next(now)
	at = ledger.Position{Offset: next.Offset, RecordTime: next.RecordTime}
	secret := make([]byte, 32) //nolint:mnd // contract ids must not foretell those of a commit
	if _, err := rand.Read(secret); err != nil {
		return at, out, nil, err
	}
	local, err := d.localParties(ctx, submission.ActAs)
	if err != nil {
		return at, out, nil, err
	}
	out = ledger.Circumstances{
		Packages: d.Packages, Network: d.Node.Network(), Store: db.Store(ctx, d.Record, nil), Secret: secret,
		Deduplication: ledger.DeduplicationRules{Now: d.Now, Maximum: settings.MaxDeduplication, Pruned: head.Pruned},
		IsLocal:       func(party ledger.Party) (bool, error) { return local[party], nil },
		IsKnown:       func(ledger.Party) (bool, error) { return true, nil }, // Decide checks all with one query
		MaySubmit:     d.Node.MaySubmitFor, Budget: ledger.NewBudget(ctx),
	}
	if change, ok := changes[submission.ChangeID()]; ok {
		out.Previous = &ledger.AcceptedChange{Offset: change.Offset, At: change.AcceptedAt, SubmissionID: change.SubmissionID}
	}
	charge = func(decision ledger.Decision) (ledger.TrafficAccount, error) {
		created, archived := moved(decision)
		return head.Traffic.Charge(
			decision.Completion.PaidTrafficCost, created, archived, at.RecordTime, d.Traffic.Under(settings))
	}
	if opened != nil {
		out.External, err = d.external(ctx, opened)
	}
	return at, out, charge, err
}

// moved returns the contracts that an accepted submission creates and archives.
func moved(decision ledger.Decision) (created, archived []ledger.Contract) {
	byID := map[ledger.ContractID]ledger.Contract{}
	for _, input := range decision.Transaction.Inputs {
		byID[input.ID] = input
	}
	for _, one := range decision.Created {
		byID[one.Contract.ID] = one.Contract
		created = append(created, one.Contract)
	}
	for _, id := range decision.Archived {
		archived = append(archived, byID[id])
	}
	return created, archived
}

// localParties are those of the parties that the node hosts.
func (d DryRun) localParties(ctx context.Context, parties []ledger.Party) (map[ledger.Party]bool, error) {
	found, err := d.Record.Parties(ctx, parties)
	local := make(map[ledger.Party]bool, len(found))
	for _, details := range found {
		local[details.Party] = details.IsLocal
	}
	return local, err
}

// external completes the input of the decision about a signed transaction.
func (d DryRun) external(ctx context.Context, opened *prepared.OpenedTransaction) (*ledger.External, error) {
	keys, err := d.Record.PartyKeys(ctx, opened.Metadata.ActAs)
	if err != nil {
		return nil, err
	}
	external := opened.External()
	executed, err := d.Record.ExecutedTransactions(ctx, []string{external.TransactionUUID})
	if err != nil {
		return nil, err
	}
	if at, done := executed[external.TransactionUUID]; done {
		external.Executed = &at
	}
	external.Authorize = func() error {
		if refusal := opened.CheckSignatures(keys); refusal != nil {
			return refusal
		}
		return nil
	}
	return &external, nil
}

// explain interprets the commands of a refused submission again, and returns how they failed; nil if they did not fail
// in this way.
func (d DryRun) explain(
	ctx context.Context, submission ledger.Submission, at ledger.Position, c ledger.Circumstances,
	refusal *fault.Fault,
) *Trace {
	env := ledger.Environment{
		Packages: c.Packages, Store: c.Store, EffectiveAt: at.RecordTime, Network: c.Network,
		Seed: ledger.SubmissionSeed(c.Secret, submission.Key), Budget: ledger.NewBudget(ctx),
	}
	if c.External != nil {
		env.Prepared = &c.External.Run
	}
	env.Budget.Explains = true
	transaction, err := ledger.Interpret(submission, env)
	again, isRefusal := fault.As(err)
	if env.Budget.Close() != nil || !isRefusal || again.Code != refusal.Code {
		return nil
	}
	return &Trace{Places: ledger.PlacesOf(err), Transaction: transaction}
}
