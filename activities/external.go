package activities

import (
	"context"
	"strings"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
)

// opened is a submission with what its signed transaction says, for submissions that have one.
type opened struct {
	ledger.Submission

	external *prepared.Opened
	// refusal says why the signed transaction is not acceptable whatever the state of the ledger.
	refusal *fault.Fault
}

// open reads the signed transactions among the submissions. They were read before they were acknowledged; that they
// are read again means that nothing between there and here needs to be trusted.
func (a *Activities) open(submissions []ledger.Submission, packages *ledger.Packages) []opened {
	out := make([]opened, len(submissions))
	for i, submission := range submissions {
		out[i].Submission = submission
		if submission.Signed == nil {
			continue
		}
		external, err := guarded(func() (*prepared.Opened, error) {
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
			out[i].refusal = a.defect(submission, err)
		}
	}
	return out
}

// externals is what the signed transactions of a commit depend on, under the lock of the head.
type externals struct {
	keys     map[ledger.Party]prepared.PartyKeys
	executed map[string]ledger.Offset
}

func loadExternals(ctx context.Context, tx *db.Tx, submissions []opened) (externals, error) {
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

// external completes what the decision over a signed transaction depends on.
func (b *block) external(submission opened) *ledger.External {
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

// remember keeps that the transaction of an accepted submission was executed.
func (b *block) remember(submission opened, at ledger.Offset) {
	if submission.external == nil {
		return
	}
	uuid := submission.external.Metadata.TransactionUUID
	b.externals.executed[uuid] = at
	b.entries.Executed = append(b.entries.Executed, db.Executed{TransactionUUID: uuid, Offset: at})
}

// checkNew refuses a transaction that would create contracts which exist: who prepares a transaction without this node
// chooses the seeds that the ids of its contracts derive from.
func (v *view) checkNew(transaction ledger.Transaction) error {
	var ids, taken []ledger.ContractID
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
			taken = append(taken, id)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return fault.FailedToExecuteTransaction.New("The participant failed to execute the transaction: "+
		"it would create contracts that exist: %s", strings.Join(ledger.Strings(taken), ", ")).
		WithHint("Prepare the transaction anew, so that it gets new seeds, and sign that.")
}
