package activities

import (
	"cmp"
	"context"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

// searchBatch is how many new contracts are looked at in one transaction.
const searchBatch = 1000

// search makes due what the contracts make due that were created or ended since the last search of a kind. Where the
// database does not take what some of them make due, it goes on in smaller steps, and past the one that is guilty.
func (a *Activities) search(ctx context.Context, kind automation.Automation) error {
	var guilty error
	for limit := searchBatch; ; {
		more := false
		err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
			more, err = a.searchPage(ctx, tx, kind, limit, guilty)
			return err
		})
		switch {
		case err == nil && !more:
			return nil
		case err == nil:
			guilty, limit = nil, min(searchBatch, limit*searchStep)
		case !isOwn(err) || guilty != nil:
			return err
		case limit > 1:
			limit = max(1, limit/searchStep)
		default:
			guilty = err
		}
	}
}

// searchStep is by how much a search goes on in smaller steps.
const searchStep = 10

// searchPage searches the next contracts, and reports whether there are more. With an error that the only one of them
// is guilty of, it goes past that one.
func (a *Activities) searchPage(
	ctx context.Context, tx *db.Tx, kind automation.Automation, limit int, guilty error,
) (more bool, err error) {
	seen, known, err := tx.LockAutomation(ctx, kind.Kind)
	if err != nil || !known {
		return false, err
	}
	head, err := tx.Head(ctx)
	all := db.Searched{Created: db.AfterAll(head.Offset), Ended: head.Offset}
	if err != nil || seen == all || seen.Created.Offset > head.Offset {
		return false, err
	}
	var created []db.StoredContract
	if templates := kind.Templates(); len(templates) > 0 {
		if created, err = tx.NewContracts(ctx, templates, seen.Created, head.Offset, int32(limit)); err != nil {
			return false, err
		}
	}
	if err := a.enterTasks(ctx, tx, kind, created, guilty); err != nil {
		return false, err
	}
	if len(created) == limit {
		seen.Created = created[len(created)-1].Position()
		return true, tx.SeeAutomation(ctx, kind.Kind, seen)
	}
	var ended []db.StoredContract
	if templates := kind.EndTemplates(); len(templates) > 0 {
		if ended, err = tx.EndedContracts(ctx, templates, seen.Ended, head.Offset, int32(limit)); err != nil {
			return false, err
		}
	}
	if err := a.enterTasks(ctx, tx, kind, ended, guilty); err != nil {
		return false, err
	}
	if len(ended) >= limit {
		all.Ended = *ended[len(ended)-1].Archived
	}
	return all.Ended < head.Offset, tx.SeeAutomation(ctx, kind.Kind, all)
}

// enterTasks enters what contracts make due. One of which that cannot be told, for a defect or the error that it is
// guilty of, is in trouble, and must not keep the others from it.
func (a *Activities) enterTasks(
	ctx context.Context, tx *db.Tx, kind automation.Automation, found []db.StoredContract, guilty error,
) error {
	if len(found) == 0 {
		return nil
	}
	now := a.Clock().UTC().Truncate(time.Microsecond)
	accounts, err := a.accountsOf(ctx, tx, found)
	if err != nil {
		return err
	}
	var tasks []db.DueTask
	var troubles []db.AutomationTask
	var payers []ledger.Party
	for _, contract := range found {
		due, err := guarded(func() ([]automation.Due, error) {
			if contract.Archived != nil {
				return kind.DueAtEnd(contract.Contract, now)
			}
			return kind.Due(contract.Contract, now)
		})
		if err = cmp.Or(guilty, err); err != nil {
			a.Log.ErrorContext(ctx, "what a contract makes due cannot be told",
				"automation", kind.Kind, "contract_id", contract.ID, "error", err)
			troubles = append(troubles, db.AutomationTask{
				Subject: string(contract.ID), Refusal: storableText(err.Error()),
			})
			continue
		}
		for _, d := range due {
			if d.Payer != "" {
				payers = append(payers, d.Payer)
				continue
			}
			if d.At.IsZero() {
				d.At = time.Unix(0, 0)
			}
			tasks = append(tasks, db.DueTask{
				Subject: d.Subject, At: d.At, Deadline: d.Deadline, Wallet: d.Wallet, IfSet: d.IfSet,
				Account: accounts[changedAt(contract)],
			})
		}
	}
	if err := tx.EnterTroubles(ctx, kind.Kind, troubles); err != nil {
		return err
	}
	if err := tx.RetryTasks(ctx, kind.Kind, payers, now.Add(backoffAfter(1)), maxRetried); err != nil {
		return err
	}
	return tx.EnterTasks(ctx, kind.Kind, kind.Wallets.String(), tasks)
}

// maxRetried is how many tasks in trouble one search has tried again because their payer got coin: what they were
// refused for may be something else, and coin comes all the time.
const maxRetried = 10

// changedAt is where a contract was archived, or created while it is active.
func changedAt(contract db.StoredContract) ledger.Offset {
	if contract.Archived != nil {
		return *contract.Archived
	}
	return contract.Offset
}

// accountsOf tells whose submissions created or archived contracts, by offset. Of what was pruned nobody can tell.
func (a *Activities) accountsOf(
	ctx context.Context, tx *db.Tx, found []db.StoredContract,
) (map[ledger.Offset]string, error) {
	offsets := make([]ledger.Offset, len(found))
	for i, contract := range found {
		offsets[i] = changedAt(contract)
	}
	submitters, err := tx.SubmittersAt(ctx, offsets)
	accounts := make(map[ledger.Offset]string, len(submitters))
	for offset, submitter := range submitters {
		if accounts[offset] = ledger.IdentityText(submitter.Identity); submitter.IsNode(a.Node) {
			accounts[offset] = nodeFor(submitter.Party)
		}
	}
	return accounts, err
}

// EnterAutomations enters the kinds of automation and their standing subjects where they are missing. It is no
// activity: processes with a worker do it when they start.
func EnterAutomations(ctx context.Context, database *db.DB, registry *automation.Registry) error {
	return database.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.EnterAutomations(ctx, registry.Kinds()); err != nil {
			return err
		}
		for _, kind := range registry.All() {
			if err := tx.EnterTasks(ctx, kind.Kind, kind.Wallets.String(), standing(kind)); err != nil {
				return err
			}
		}
		return nil
	})
}

// RescanAutomation makes a kind of automation look at all active contracts that it follows, and at its standing
// subjects, once more: its settings have changed what they make due. It is no activity.
func RescanAutomation(ctx context.Context, database *db.DB, registry *automation.Registry, kinds ...string) error {
	err := database.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.ForgetAutomations(ctx, kinds); err != nil {
			return err
		}
		for _, name := range kinds {
			kind, _ := registry.Find(name)
			if err := tx.EnterTasks(ctx, name, kind.Wallets.String(), standing(kind)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return database.CallWorkflows(ctx)
}

func standing(kind automation.Automation) []db.DueTask {
	var tasks []db.DueTask
	for _, subject := range kind.Standing {
		tasks = append(tasks, db.DueTask{Subject: subject, At: time.Unix(0, 0)})
	}
	return tasks
}

// AutomationCalls tells which kinds of automation have something to do. It is no activity: who calls is no workflow.
type AutomationCalls struct{ activities *Activities }

// NewAutomationCalls makes one for what activities know.
func NewAutomationCalls(activities *Activities) *AutomationCalls {
	return &AutomationCalls{activities: activities}
}

// Due searches the record for what became due, and lists the kinds that have something to look at by a ledger time.
func (c *AutomationCalls) Due(ctx context.Context, by time.Time) ([]string, error) {
	const evenPaused = true
	behind, err := c.activities.DB.BehindAutomations(ctx, evenPaused)
	if err != nil {
		return nil, err
	}
	for _, name := range behind {
		kind, _ := c.activities.Automations.Find(name) // what only another version knows has no templates
		if err := c.activities.search(ctx, kind); err != nil {
			return nil, err
		}
	}
	return c.activities.DB.DueAutomations(ctx, by, evenPaused)
}

// Paused notes whether the Schedule of a kind is paused.
func (c *AutomationCalls) Paused(ctx context.Context, kind string, paused bool) error {
	return c.activities.DB.PauseAutomation(ctx, kind, paused)
}
