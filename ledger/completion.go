package ledger

import (
	"time"

	"github.com/florinledger/florin/ledger/fault"
)

// Completion is the outcome of one submission, successful or refused. There is exactly one for each submission that
// the node acknowledged (contract, "Completion").
type Completion struct {
	Offset   Offset   `json:"offset"`
	Key      string   `json:"key"` // of the submission
	ChangeID ChangeID `json:"changeId"`
	// Identity is who submitted.
	Identity

	CommandID    string  `json:"commandId"`
	SubmissionID string  `json:"submissionId"`
	ActAs        []Party `json:"actAs"`
	// ReadAs are the other parties that a refused submission read as: the refusal may contain their data. It is empty for
	// accepted submissions.
	ReadAs []Party `json:"readAs,omitempty"`
	// Refusal says why the submission was refused; nil for an accepted one.
	Refusal *fault.Fault `json:"refusal,omitempty"`
	// UpdateID names the transaction of an accepted submission; "" for a refused one.
	UpdateID UpdateID `json:"updateId,omitempty"`
	// Deduplication is the window that the node used.
	Deduplication   DeduplicationPeriod `json:"deduplication"`
	Trace           TraceContext        `json:"trace"`
	RecordTime      time.Time           `json:"recordTime"`
	PaidTrafficCost int64               `json:"paidTrafficCost"`
	// CodeCost is the cost of code of uploaded packages, also for refused submissions, in the unit of
	// [Submission.CommitCost]. It is not in the record, so only the process that decided knows it.
	CodeCost int64 `json:"-"`
	// Update is what an accepted submission did. Only the process that decided knows it; elsewhere it is nil, and
	// UpdateID finds it in the record.
	Update *Update `json:"-"`
	// ExternalHash is the signed hash, in hexadecimal, of a transaction that was signed outside the node; "" for others.
	ExternalHash string `json:"externalHash,omitempty"`
}

// Readers are the parties, sorted, that a caller must read as to see the whole refusal.
func (c Completion) Readers() []Party { return SortedParties(c.ActAs, c.ReadAs) }

// CompletionAt is the completion of the submission at a position of the record, without the outcome.
func (s Submission) CompletionAt(at Position) Completion {
	return Completion{
		Offset: at.Offset, Key: s.Key, ChangeID: s.ChangeID(), Identity: s.Identity, CommandID: s.CommandID,
		SubmissionID: s.SubmissionID, ActAs: s.ActAs, Trace: s.Trace, RecordTime: at.RecordTime,
	}
}

// Refused is the completion when the submission is refused.
func (c Completion) Refused(s Submission, refusal *fault.Fault) Completion {
	c.Refusal, c.ReadAs = refusal, s.ReadAs
	return c
}

// Accepted reports whether the submission's transaction was committed.
func (c Completion) Accepted() bool { return c.Refusal == nil }

// Checkpoint is a position together with the record time that the synchronizer had reached there (contract,
// "OffsetCheckpoint").
type Checkpoint struct {
	Offset     Offset
	RecordTime time.Time
}
