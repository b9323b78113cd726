package activities

import (
	"cmp"
	"context"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

// searchBatch is the number of new contracts in one transaction.
const searchBatch = 1000

// search enters the tasks of the contracts that were created or ended since the last search of a kind. If the database
// does not take the tasks, it goes on in smaller steps until it finds the guilty contract, and past that one.
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

// searchStep divides the batch after an error, and multiplies it again after a success.
const searchStep = 10

// searchPage searches the next contracts, and reports whether there are more. guilty is the error of the only contract
// of the page; then it goes past that one.
func (a *Activities) searchPage(
	ctx context.Context, tx *db.Tx, kind automation.Automation, limit int, guilty error,
) (more bool, err error) {
	position, known, err := tx.LockAutomation(ctx, kind.Kind)
	if err != nil || !known {
		return false, err
	}
	head, err := tx.Head(ctx)
	all := db.SearchPosition{Created: db.AfterAll(head.Offset), Ended: head.Offset}
	if err != nil || position == all || position.Created.Offset > head.Offset {
		return false, err
	}
	var created []db.StoredContract
	if templates := kind.Templates(); len(templates) > 0 {
		if created, err = tx.NewContracts(ctx, templates, position.Created, head.Offset, int32(limit)); err != nil {
			return false, err
		}
	}
	if err := a.enterTasks(ctx, tx, kind, created, guilty); err != nil {
		return false, err
	}
	if len(created) == limit {
		position.Created = created[len(created)-1].Position()
		return true, tx.SeeAutomation(ctx, kind.Kind, position)
	}
	var ended []db.StoredContract
	if templates := kind.EndTemplates(); len(templates) > 0 {
		if ended, err = tx.EndedContracts(ctx, templates, position.Ended, head.Offset, int32(limit)); err != nil {
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

// enterTasks enters the tasks of contracts. A contract with a defect, or with the error guilty, is entered as trouble,
// and does not stop the others.
func (a *Activities) enterTasks(
	ctx context.Context, tx *db.Tx, kind automation.Automation, contracts []db.StoredContract, guilty error,
) error {
	if len(contracts) == 0 {
		return nil
	}
	now := a.Clock().UTC().Truncate(time.Microsecond)
	accounts, err := a.accountsOf(ctx, tx, contracts)
	if err != nil {
		return err
	}
	var tasks []db.DueTask
	var troubles []db.AutomationTask
	var payers []ledger.Party
	for _, contract := range contracts {
		due, err := guarded(func() ([]automation.Due, error) {
			if contract.Archived != nil {
				return kind.DueAtEnd(contract.Contract, now)
			}
			return kind.Due(contract.Contract, now)
		})
		if err = cmp.Or(guilty, err); err != nil {
			a.Log.ErrorContext(ctx, "automation could not find what a contract makes due",
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
	if err := tx.RetryTasks(ctx, kind.Kind, payers, now.Add(backoffAfter(1)), maxRetries); err != nil {
		return err
	}
	return tx.EnterTasks(ctx, kind.Kind, kind.Wallets.String(), tasks)
}

// maxRetries limits the tasks in trouble that one search retries because their payer got coin: coin comes all the time,
// and the refusal may have another reason.
const maxRetries = 10

// changedAt is the offset at which a contract was archived or, if it is active, created.
func changedAt(contract db.StoredContract) ledger.Offset {
	if contract.Archived != nil {
		return *contract.Archived
	}
	return contract.Offset
}

// accountsOf returns the accounts whose submissions created or archived contracts, by offset. Pruned ones are missing.
func (a *Activities) accountsOf(
	ctx context.Context, tx *db.Tx, contracts []db.StoredContract,
) (map[ledger.Offset]string, error) {
	offsets := make([]ledger.Offset, len(contracts))
	for i, contract := range contracts {
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

// EnterAutomations enters missing kinds of automation and their standing subjects. It is not an activity: processes
// with a worker call it when they start.
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

// RescanAutomation makes kinds of automation look again at all active contracts that they follow, and at their standing
// subjects, after a change of their settings. It is not an activity.
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

// AutomationCalls lists the kinds of automation that have due work. It is not an activity: no workflow calls it.
type AutomationCalls struct{ activities *Activities }

// NewAutomationCalls makes one with the database and the kinds of the activities.
func NewAutomationCalls(activities *Activities) *AutomationCalls {
	return &AutomationCalls{activities: activities}
}

// Due searches the record for new work, and lists the kinds that have due work by a ledger time.
func (c *AutomationCalls) Due(ctx context.Context, by time.Time) ([]string, error) {
	const evenPaused = true
	behind, err := c.activities.DB.BehindAutomations(ctx, evenPaused)
	if err != nil {
		return nil, err
	}
	for _, name := range behind {
		kind, _ := c.activities.Automations.Find(name) // a kind of another version has no templates
		if err := c.activities.search(ctx, kind); err != nil {
			return nil, err
		}
	}
	return c.activities.DB.DueAutomations(ctx, by, evenPaused)
}

// Paused stores whether the Schedule of a kind is paused.
func (c *AutomationCalls) Paused(ctx context.Context, kind string, paused bool) error {
	return c.activities.DB.PauseAutomation(ctx, kind, paused)
}
