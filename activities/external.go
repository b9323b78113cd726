package activities

import (
	"context"
	"strings"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
)

// openSubmission is a submission with its decoded signed transaction, if it has one.
type openSubmission struct {
	ledger.Submission

	external *prepared.OpenedTransaction
	// refusal is set if the signed transaction is not acceptable in any state of the ledger.
	refusal *fault.Fault
}

// open decodes the signed transactions of the submissions. The API has decoded them before the acknowledgement; the
// second time is here so that the commit need not trust anything in between.
func (a *Activities) open(
	ctx context.Context, submissions []ledger.Submission, packages *ledger.Packages,
) []openSubmission {
	out := make([]openSubmission, len(submissions))
	for i, submission := range submissions {
		out[i].Submission = submission
		if submission.Signed == nil {
			continue
		}
		external, err := guarded(func() (*prepared.OpenedTransaction, error) {
			external, refusal := prepared.OpenSigned(*submission.Signed, prepared.SynchronizerOf(a.Node), packages)
			if refusal != nil {
				return nil, refusal
			}
			out[i].Submission = external.Submission(submission)
			return external, nil
		})
		out[i].external = external
		if refusal, ok := fault.As(err); ok {
			out[i].refusal = refusal
		} else if err != nil {
			out[i].refusal = a.defect(ctx, submission, err)
		}
	}
	return out
}

// externals are the facts that the signed transactions of a commit depend on, read under the head lock.
type externals struct {
	keys     map[ledger.Party]prepared.PartyKeys
	executed map[string]ledger.Offset
}

func loadExternals(ctx context.Context, tx *db.Tx, submissions []openSubmission) (externals, error) {
	var parties []ledger.Party
	var uuids []string
	for _, submission := range submissions {
		if submission.external != nil {
			parties = append(parties, submission.ActAs...)
			uuids = append(uuids, submission.external.Metadata.TransactionUUID)
		}
	}
	if len(uuids) == 0 {
		return externals{}, nil
	}
	keys, err := tx.PartyKeys(ctx, ledger.SortedParties(parties))
	if err != nil {
		return externals{}, err
	}
	executed, err := tx.ExecutedTransactions(ctx, uuids)
	return externals{keys: keys, executed: executed}, err
}

// external completes the input of the decision about a signed transaction.
func (b *block) external(submission openSubmission) *ledger.External {
	transaction := submission.external
	if transaction == nil {
		return nil
	}
	external := transaction.External()
	if at, done := b.externals.executed[external.TransactionUUID]; done {
		external.Executed = &at
	}
	external.Authorize = func() error {
		if refusal := transaction.CheckSignatures(b.externals.keys); refusal != nil {
			return refusal
		}
		return nil
	}
	verify := external.Verify
	external.Verify = func(again ledger.Transaction) error {
		if err := verify(again); err != nil {
			return err
		}
		return b.view.checkNew(again)
	}
	return &external
}

// remember records that the transaction of an accepted submission was executed.
func (b *block) remember(submission openSubmission, at ledger.Offset) {
	if submission.external == nil {
		return
	}
	uuid := submission.external.Metadata.TransactionUUID
	b.externals.executed[uuid] = at
	b.entries.Executed = append(b.entries.Executed, db.Executed{TransactionUUID: uuid, Offset: at})
}

// checkNew refuses a transaction that would create existing contracts: a client that prepares a transaction without
// this node chooses the seeds of its contract ids.
func (v *view) checkNew(transaction ledger.Transaction) error {
	var ids, existing []ledger.ContractID
	for _, created := range transaction.Created() {
		ids = append(ids, created.Contract.ID)
	}
	stored, err := v.tx.Contracts(v.ctx, ids)
	if err != nil {
		v.failed = err
		return err
	}
	for _, id := range ids {
		_, before := stored[id]
		_, active := v.active[id]
		if before || active || v.absent[id] {
			existing = append(existing, id)
		}
	}
	if len(existing) == 0 {
		return nil
	}
	return fault.FailedToExecuteTransaction.New("The participant failed to execute the transaction: "+
		"it would create contracts that already exist: %s", strings.Join(ledger.Strings(existing), ", ")).
		WithHint("Prepare the transaction again, so that it gets new seeds, and sign the new one.")
}
