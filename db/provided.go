package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// ProvidedPreapprovals has the receivers for whom the operator has paid preapprovals.
type ProvidedPreapprovals struct {
	// Count is the number of receivers for whom it has paid beyond the requested time.
	Count int
	// Until is the time until which it has paid, for each requested receiver. Receivers for whom it has not paid are
	// absent.
	Until map[ledger.Party]time.Time
}

// ProvidedPreapprovals counts the receivers for whom the operator has paid beyond a time, and reads the end of the paid
// time of some of them.
func (r Reader) ProvidedPreapprovals(
	ctx context.Context, now time.Time, receivers ...ledger.Party,
) (ProvidedPreapprovals, error) {
	const doing = "reading what the operator has paid for"
	count, err := r.queries.CountProvided(ctx, now)
	if err != nil {
		return ProvidedPreapprovals{}, failed(doing, err)
	}
	rows, err := r.queries.ListProvided(ctx, ledger.Strings(receivers))
	found := ProvidedPreapprovals{Count: int(count), Until: make(map[ledger.Party]time.Time, len(rows))}
	for _, row := range rows {
		found.Until[ledger.Party(row.Receiver)] = row.PaidUntil.UTC()
	}
	return found, failed(doing, err)
}

// ForgetProvidedPreapproval forgets that the operator has paid for a receiver, and reports whether it had. For a
// request with a key it also reports true if an earlier attempt forgot it. The same transaction wakes the automation
// that waits for that.
func (d *DB) ForgetProvidedPreapproval(
	ctx context.Context, receiver ledger.Party, by *KeyClaim,
) (forgot bool, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if err := tx.wakeProposals(ctx, receiver); err != nil {
			return err
		}
		if _, err := tx.LockHead(ctx); err != nil {
			return err
		}
		if by != nil { // what an earlier attempt forgot may have been paid for again since
			if _, forgot, err = tx.KeyNote(ctx, *by); err != nil || forgot {
				return err
			}
		}
		count, err := tx.queries.ForgetProvided(ctx, []string{string(receiver)})
		if err != nil {
			return failed("forgetting what the operator has paid for", err)
		}
		if forgot = count > 0; !forgot || by == nil {
			return nil
		}
		return failed("noting what a request did", noteKey(ctx, tx.queries, *by, "forgot"))
	})
	return forgot, err
}

// ProposalsKind is the automation whose subjects wait for the operator to pay.
const ProposalsKind = "proposals"

// WakeProposals makes the automation look at once at receivers whose proposals wait for the end of a paid preapproval,
// and at all that are in trouble: the limit may be their trouble.
func (d *DB) WakeProposals(ctx context.Context, receivers ...ledger.Party) error {
	return d.InTx(ctx, func(tx *Tx) error { return tx.wakeProposals(ctx, receivers...) })
}

// wakeProposals is [DB.WakeProposals] in a transaction that has not locked the head yet. A commit of planned
// submissions locks the head first and skips locked tasks, so that neither waits for the other.
func (t *Tx) wakeProposals(ctx context.Context, receivers ...ledger.Party) error {
	return t.wake(ctx, dbgen.WakeTroubledParams{Kind: ProposalsKind, Subjects: ledger.Strings(receivers)})
}

// wakeAllProposals is wakeProposals for every receiver, also for receivers for whom automation has just made a plan.
func (t *Tx) wakeAllProposals(ctx context.Context) error {
	return t.wake(ctx, dbgen.WakeTroubledParams{Kind: ProposalsKind, Everything: true})
}

func (t *Tx) wake(ctx context.Context, tasks dbgen.WakeTroubledParams) error {
	const doing = "waking proposals of preapprovals"
	if err := t.queries.WakeTroubled(ctx, tasks); err != nil {
		return failed(doing, err)
	}
	return failed(doing, t.queries.CallAutomations(ctx))
}

// queueProvided stores the receivers for whom the operator has paid, and forgets preapprovals that have ended.
func (p *pipeline) queueProvided(ctx context.Context, entries Entries) error {
	if len(entries.Provided) == 0 {
		return nil
	}
	var paid dbgen.StoreProvidedParams
	var unpaid []string
	for receiver, until := range entries.Provided {
		if until.After(entries.Head.RecordTime) {
			paid.Receivers = append(paid.Receivers, string(receiver))
			paid.PaidUntils = append(paid.PaidUntils, storableTime(until))
		} else {
			unpaid = append(unpaid, string(receiver))
		}
	}
	if _, err := p.queries().ForgetProvided(ctx, unpaid); err != nil {
		return err
	}
	if err := p.queries().StoreProvided(ctx, paid); err != nil {
		return err
	}
	return p.queries().ForgetEndedProvided(ctx, entries.Head.RecordTime)
}
