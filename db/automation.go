package db

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Automation is one kind of automation.
type Automation struct {
	Kind string
	// Paused: its Schedule was paused when the node last looked.
	Paused bool
	// RanAt is the ledger time of the last run; zero before the first.
	RanAt time.Time
	// NextAt is the ledger time at which something is due next; [lf.MaxTimestamp] for never.
	NextAt time.Time
	// Done and Refused count its submissions since the ledger began, Troubles the tasks that were refused last time.
	Done, Refused, Troubles int64
}

// AutomationTask is a wallet, a contract or something else that a kind of automation has to look at.
type AutomationTask struct {
	Kind    string
	Subject string
	// DueAt is when to look next, in ledger time: the Unix epoch for at once, [lf.MaxTimestamp] for never by itself.
	DueAt time.Time
	// Deadline: a simulated clock stops at DueAt when it is advanced.
	Deadline bool
	WaitsFor string
	// CommandID and SubmissionKey are those of the last submission; Pending: nobody has looked at its outcome yet.
	CommandID     string
	SubmissionKey string
	Pending       bool
	// Tries is how often it was refused in a row, Refusal why the last time.
	Tries   int32
	Refusal string
	// HeldBy is the run that works on it; others leave it alone for half a minute.
	HeldBy string
	// Spends is the party whose coin the last submission spends; empty for none.
	Spends ledger.Party
	// WakeAbove is a price: [Tx.WakeTasks] makes the task due when the coin is worth more; nil for none. Reads leave it
	// nil.
	WakeAbove *decimal.Decimal
}

// DueTask makes a subject due.
type DueTask struct {
	Subject string
	// At is when, in ledger time; not the zero time.
	At       time.Time
	Deadline bool
	// Wallet is a party that must have a contract of the wallets' template, or else nothing is due; "" for no condition.
	Wallet ledger.Party
	// IfSet: nothing is due unless the kind has an effective setting for the subject.
	IfSet bool
	// Account is the account whose submission made it due; accounts take turns.
	Account string
}

// EnterAutomations enters kinds of automation, so that runs, troubles and the clock know of them.
func (t *Tx) EnterAutomations(ctx context.Context, kinds []string) error {
	return failed("entering kinds of automation", t.queries.EnterAutomations(ctx, kinds))
}

// Automations lists the kinds in order.
func (r Reader) Automations(ctx context.Context) ([]Automation, error) {
	rows, err := r.queries.ListAutomations(ctx, lf.MaxTimestamp().Time())
	list := make([]Automation, len(rows))
	for i, row := range rows {
		list[i] = Automation{
			Kind: row.Kind, Paused: row.IsPaused, NextAt: row.NextAt, Done: row.Done, Refused: row.Refused,
			Troubles: row.Troubles,
		}
		if row.RanAt != nil {
			list[i].RanAt = *row.RanAt
		}
	}
	return list, failed("listing automations", err)
}

// SearchPosition is the position up to which a kind of automation has searched the record.
type SearchPosition struct {
	// Created is the last contract that was created, Ended the offset of the last that ended.
	Created Position
	Ended   ledger.Offset
}

// LockAutomation returns the position up to which a kind has searched the record for new subjects, and lets no other
// transaction search; false if the kind is unknown.
func (t *Tx) LockAutomation(ctx context.Context, kind string) (SearchPosition, bool, error) {
	row, err := t.queries.LockAutomation(ctx, kind)
	if isNoRows(err) {
		return SearchPosition{}, false, nil
	}
	seen := SearchPosition{
		Created: Position{Offset: ledger.Offset(row.SeenOffset), NodeID: row.SeenNodeID},
		Ended:   ledger.Offset(row.SeenEndOffset),
	}
	return seen, err == nil, failed("reading the search position of automation", err)
}

// SeeAutomation stores the position up to which a kind has searched the record.
func (t *Tx) SeeAutomation(ctx context.Context, kind string, seen SearchPosition) error {
	return failed("storing the search position of automation", t.queries.SeeAutomation(ctx, dbgen.SeeAutomationParams{
		Kind: kind, SeenOffset: int64(seen.Created.Offset), SeenNodeID: seen.Created.NodeID,
		SeenEndOffset: int64(seen.Ended),
	}))
}

// ForgetAutomations makes kinds search the record again from its beginning. They do not look again at contracts that
// ended.
func (t *Tx) ForgetAutomations(ctx context.Context, kinds []string) error {
	return failed("making automation search again", t.queries.ForgetAutomations(ctx, kinds))
}

// EnterTasks makes subjects of a kind due, each at the earliest of the times that are given for it. Those in trouble
// wait for their next try.
func (t *Tx) EnterTasks(ctx context.Context, kind, walletTemplate string, tasks []DueTask) error {
	params := dbgen.EnterTasksParams{Kind: kind, WalletTemplate: walletTemplate}
	index := make(map[string]int, len(tasks))
	for _, task := range tasks {
		task.At = storableTime(task.At)
		i, known := index[task.Subject]
		switch {
		case !known:
			index[task.Subject] = len(params.Subjects)
			params.Subjects = append(params.Subjects, task.Subject)
			params.DueAts = append(params.DueAts, task.At)
			params.AreDeadlines = append(params.AreDeadlines, task.Deadline)
			params.Wallets = append(params.Wallets, string(task.Wallet))
			params.AreIfSet = append(params.AreIfSet, task.IfSet)
			params.Accounts = append(params.Accounts, task.Account)
		case task.At.Before(params.DueAts[i]):
			params.DueAts[i], params.AreDeadlines[i], params.Accounts[i] = task.At, task.Deadline, task.Account
		}
	}
	if len(params.Subjects) == 0 {
		return nil
	}
	return failed("entering tasks of automation", t.queries.EnterTasks(ctx, params))
}

// RetryTasks makes at most limit tasks of a kind due at a time: tasks in trouble that spend the coin of one of the
// payers.
func (t *Tx) RetryTasks(
	ctx context.Context, kind string, payers []ledger.Party, dueAt time.Time, limit int,
) error {
	if len(payers) == 0 {
		return nil
	}
	return failed("trying tasks of automation again", t.queries.RetryTasks(ctx, dbgen.RetryTasksParams{
		Kind: kind, Payers: ledger.Strings(payers), DueAt: storableTime(dueAt), CountMax: int64(limit),
	}))
}

// EnterTroubles notes subjects whose due work the node cannot tell, and why. They wait for a nudge.
func (t *Tx) EnterTroubles(ctx context.Context, kind string, troubles []AutomationTask) error {
	params := dbgen.EnterTroublesParams{
		Kind: kind, Never: lf.MaxTimestamp().Time(), WaitsFor: "a nudge: the node cannot tell what it makes due",
	}
	for _, trouble := range troubles {
		params.Subjects = append(params.Subjects, trouble.Subject)
		params.Refusals = append(params.Refusals, trouble.Refusal)
	}
	if len(params.Subjects) == 0 {
		return nil
	}
	return failed("entering troubles of automation", t.queries.EnterTroubles(ctx, params))
}

// TakeTasks returns tasks of a kind that are due by a ledger time, and locks them: the longest due first within an
// account, and the accounts in turn. A run also takes the tasks that it held before, and none that another run holds.
func (t *Tx) TakeTasks(
	ctx context.Context, kind, run string, dueBy time.Time, limit int32,
) ([]AutomationTask, error) {
	rows, err := t.queries.TakeTasks(ctx, dbgen.TakeTasksParams{
		Kind: kind, DueBy: dueBy, RunID: run, After: t.db.turns.last(kind),
		CountMax: int64(limit), CountMore: int64(limit) + 1,
	})
	if len(rows) > 0 {
		t.db.turns.note(kind, rows[len(rows)-1].Account)
	}
	return fromDBTasks(rows), failed("taking tasks of automation", err)
}

// HoldsDueTasks reports whether a run holds tasks of a kind that are due by a ledger time, which others leave alone.
func (t *Tx) HoldsDueTasks(ctx context.Context, kind, run string, dueBy time.Time) (bool, error) {
	holds, err := t.queries.HoldsDueTasks(ctx, dbgen.HoldsDueTasksParams{Kind: kind, DueBy: dueBy, RunID: run})
	return holds, failed("looking for tasks that a run of automation holds", err)
}

// SettleTasks stores the state of tasks of one kind: the time or price that each waits for, or its submission.
func (t *Tx) SettleTasks(ctx context.Context, kind string, tasks []AutomationTask) error {
	if len(tasks) == 0 {
		return nil
	}
	params := dbgen.SettleTasksParams{Kind: kind}
	for _, task := range tasks {
		params.Subjects = append(params.Subjects, task.Subject)
		params.DueAts = append(params.DueAts, storableTime(task.DueAt))
		params.AreDeadlines = append(params.AreDeadlines, task.Deadline)
		params.WaitsFors = append(params.WaitsFors, task.WaitsFor)
		params.CommandIds = append(params.CommandIds, task.CommandID)
		params.SubmissionKeys = append(params.SubmissionKeys, task.SubmissionKey)
		params.ArePending = append(params.ArePending, task.Pending)
		params.Tries = append(params.Tries, task.Tries)
		params.Refusals = append(params.Refusals, task.Refusal)
		params.HeldBys = append(params.HeldBys, task.HeldBy)
		params.Spends = append(params.Spends, string(task.Spends))
		price := ""
		if task.WakeAbove != nil {
			price = task.WakeAbove.String()
		}
		params.WakeAboves = append(params.WakeAboves, price)
	}
	return failed("settling tasks of automation", t.queries.SettleTasks(ctx, params))
}

// WakeTasks makes those tasks of a kind due at once whose WakeAbove is below a price, in US dollars per coin.
func (t *Tx) WakeTasks(ctx context.Context, kind string, price decimal.Decimal) error {
	return failed("waking tasks of automation", t.queries.WakeTasks(ctx, dbgen.WakeTasksParams{
		Kind: kind, Price: price.String(),
	}))
}

// EndTasks deletes tasks of a kind.
func (t *Tx) EndTasks(ctx context.Context, kind string, subjects []string) error {
	if len(subjects) == 0 {
		return nil
	}
	return failed("ending tasks of automation", t.queries.EndTasks(ctx, dbgen.EndTasksParams{
		Kind: kind, Subjects: subjects,
	}))
}

// CountAutomation counts submissions of a kind that were accepted and refused, and notes the ledger time of a look.
func (t *Tx) CountAutomation(ctx context.Context, kind string, ranAt time.Time, done, refused int) error {
	return failed("counting what automation did", t.queries.CountAutomation(ctx, dbgen.CountAutomationParams{
		Kind: kind, RanAt: ranAt, Done: int64(done), Refused: int64(refused),
	}))
}

// PauseAutomation stores whether a kind's Schedule is paused. Due tasks of a paused kind do not hold up the clock.
func (d *DB) PauseAutomation(ctx context.Context, kind string, paused bool) error {
	return failed("noting that automation is paused", d.queries.PauseAutomation(ctx, dbgen.PauseAutomationParams{
		Kind: kind, IsPaused: paused,
	}))
}

// DueAutomations lists the kinds that have something to look at by a ledger time; paused kinds only with evenPaused.
func (r Reader) DueAutomations(ctx context.Context, by time.Time, evenPaused bool) ([]string, error) {
	due, err := r.queries.ListDueAutomations(ctx, dbgen.ListDueAutomationsParams{DueBy: by, EvenPaused: evenPaused})
	var kinds []string
	for _, row := range due {
		kinds = append(kinds, row.Kind)
	}
	return kinds, failed("looking for automation that is due", err)
}

// BehindAutomations lists the kinds that have not searched the record up to its end; paused kinds only with evenPaused.
func (r Reader) BehindAutomations(ctx context.Context, evenPaused bool) ([]string, error) {
	behind, err := r.queries.ListBehindAutomations(ctx, evenPaused)
	var kinds []string
	for _, row := range behind {
		kinds = append(kinds, row.Kind)
	}
	return kinds, failed("looking for automation that is behind", err)
}

// Overdue is a workflow that has not yet looked at something that is due.
type Overdue struct {
	// WorkflowID is that of a lifecycle, or of a kind of automation.
	WorkflowID string
	// At is the position of a kind of automation: the wallet, contract or other subject that it looks at first, or the
	// offset up to which it has searched the record. It changes while the kind makes progress.
	At string
}

// Overdue lists some workflows that should have looked at something by a ledger time and have not. As long as the list
// changes, they make progress.
func (r Reader) Overdue(ctx context.Context, by time.Time) ([]Overdue, error) {
	const some = 3
	ids, err := r.queries.ListOverdue(ctx, dbgen.ListOverdueParams{DueBy: by, CountMax: some})
	if err != nil {
		return nil, failed("looking for what is due", err)
	}
	var overdue []Overdue
	for _, id := range ids {
		overdue = append(overdue, Overdue{WorkflowID: id})
	}
	// In this order: when a kind stops being behind, what it found in the record is due. So one of the two lists has it.
	behind, err := r.queries.ListBehindAutomations(ctx, false)
	if err != nil {
		return nil, failed("looking for automation that is behind", err)
	}
	for _, kind := range behind {
		overdue = append(overdue, Overdue{"automation:" + kind.Kind, fmt.Sprint("offset ", kind.SeenOffset)})
	}
	due, err := r.queries.ListDueAutomations(ctx, dbgen.ListDueAutomationsParams{DueBy: by})
	for _, kind := range due {
		overdue = append(overdue, Overdue{"automation:" + kind.Kind, kind.Subject})
	}
	return overdue, failed("looking for automation that is due", err)
}

// String names the workflow and its position.
func (o Overdue) String() string {
	if o.At == "" {
		return o.WorkflowID
	}
	return o.WorkflowID + " at " + o.At
}

// CallWorkflows wakes the callers of the workflows of lifecycles and automation, in all processes.
func (d *DB) CallWorkflows(ctx context.Context) error {
	return failed("calling workflows", d.queries.CallAutomations(ctx))
}

// Troubles pages through the tasks of a kind that were refused, in order of their subjects.
func (r Reader) Troubles(ctx context.Context, kind, after string, limit int32) ([]AutomationTask, error) {
	rows, err := r.queries.ListTroubles(ctx, dbgen.ListTroublesParams{Kind: kind, After: after, CountMax: limit})
	return fromDBTasks(rows), failed("listing troubles of automation", err)
}

// NudgeTasks makes the tasks of a kind that are in trouble due at once: that of a subject, or all for "". It returns
// their number.
func (d *DB) NudgeTasks(ctx context.Context, kind, subject string) (nudged int64, err error) {
	err = d.InTx(ctx, func(tx *Tx) (err error) {
		nudged, err = tx.queries.NudgeTasks(ctx, dbgen.NudgeTasksParams{Kind: kind, Subject: subject})
		return failed("nudging tasks of automation", err)
	})
	return nudged, err
}

// RoundActivity is the activity in a mining round that the network's contracts of one template record.
type RoundActivity struct {
	Template string
	Featured bool
	Count    int64
	// Amount and Weight are exact sums in decimal notation. They may be larger than any amount or number can be.
	Amount string
	Weight string
}

// RoundActivity adds up the network's active contracts of some templates that belong to a mining round.
func (r Reader) RoundActivity(ctx context.Context, templates []string, round string) ([]RoundActivity, error) {
	rows, err := r.queries.SumActivity(ctx, dbgen.SumActivityParams{TemplateIds: templates, RoundNumber: round})
	sums := make([]RoundActivity, len(rows))
	for i, row := range rows {
		sums[i] = RoundActivity{
			Template: row.TemplateID, Featured: row.Featured, Count: row.Contracts, Amount: row.Amount, Weight: row.Weight,
		}
	}
	return sums, failed("adding up the activity of a round", err)
}

// ContractsOfRound lists the network's active contracts of some templates that belong to a mining round, template by
// template.
func (r Reader) ContractsOfRound(
	ctx context.Context, templates []string, round string, limit int32,
) ([]StoredContract, error) {
	rows, err := r.queries.ListOfRound(ctx, dbgen.ListOfRoundParams{
		TemplateIds: templates, RoundNumber: round, CountMax: limit,
	})
	if err != nil {
		return nil, failed("listing the contracts of a round", err)
	}
	return fromDBContracts(rows)
}

// Dust lists coin of the network, locked or not, whose holding fee has reached its amount by a mining round.
func (r Reader) Dust(ctx context.Context, round int64, limit int32) ([]StoredContract, error) {
	rows, err := r.queries.ListDust(ctx, dbgen.ListDustParams{RoundNumber: round, CountMax: limit})
	if err != nil {
		return nil, failed("looking for coin that is dust", err)
	}
	return fromDBContracts(rows)
}

// AfterAll is the position after everything that was created up to an offset.
func AfterAll(offset ledger.Offset) Position { return Position{Offset: offset, NodeID: math.MaxInt32} }

func fromDBTasks(rows []dbgen.AutomationTask) []AutomationTask {
	tasks := make([]AutomationTask, len(rows))
	for i, row := range rows {
		tasks[i] = AutomationTask{
			Kind: row.Kind, Subject: row.Subject, DueAt: row.DueAt, Deadline: row.IsDeadline, WaitsFor: row.WaitsFor,
			CommandID: row.CommandID, SubmissionKey: row.SubmissionKey, Pending: row.IsPending,
			Tries: row.Tries, Refusal: row.Refusal, HeldBy: row.HeldBy, Spends: ledger.Party(row.Spends),
		}
	}
	return tasks
}
