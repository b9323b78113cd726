package ledger

import (
	"errors"
	"time"

	"github.com/florinledger/florin/ledger/fault"
)

// ErrTooEarly says that a submission cannot be decided before its minimum ledger time.
var ErrTooEarly = errors.New("the record time is before the minimum ledger time of the submission")

// TooEarly reports whether the minimum ledger time of a submission is after the record time. Then it waits and gets no
// completion. A signed one does not wait: its verdict compares its time with the record time.
func (s Submission) TooEarly(record time.Time) bool {
	return s.MinLedgerTime != nil && s.Signed == nil && s.MinLedgerTime.UTC().Truncate(time.Microsecond).After(record)
}

// minLife is the least time in which a submission can be decided after its earliest possible time.
const minLife = 24 * time.Hour

// checkAge refuses a submission that comes too late, so that nobody can hold one back and choose its time. It has until
// the end of the deduplication period of the ledger, after which the node cannot know whether its client has made the
// change again, and at least a day. The clock is that of deduplication, not the record time, which may be ahead of it.
func (s Submission) checkAge(rules DeduplicationRules) *fault.Fault {
	if s.ReceivedAt.IsZero() {
		return nil
	}
	first := s.ReceivedAt
	if s.MinLedgerTime != nil && s.Signed == nil && s.MinLedgerTime.After(first) {
		first = *s.MinLedgerTime
	}
	latest := s.ReceivedAt.Add(rules.Maximum)
	if least := first.Add(minLife); latest.Before(least) {
		latest = least
	}
	if !rules.Now.After(latest) {
		return nil
	}
	return fault.NotSequencedTimeout.New("The node received the submission at %s and had until %s to decide it, but it arrived at %s",
		instant(s.ReceivedAt), instant(latest), instant(rules.Now))
}

// signedTime is the ledger effective time of a signed submission: the record time, or its lower bound if that is later.
func signedTime(s Submission, at Position) time.Time {
	if s.MinLedgerTime != nil && s.MinLedgerTime.After(at.RecordTime) {
		return s.MinLedgerTime.UTC().Truncate(time.Microsecond)
	}
	return at.RecordTime
}

// checkAhead refuses a transaction whose ledger effective time is further ahead of the record time than the tolerance.
func checkAhead(transaction Transaction, at Position) *fault.Fault {
	ahead := transaction.EffectiveAt.Sub(at.RecordTime)
	if ahead <= LedgerTimeTolerance {
		return nil
	}
	return fault.LocalVerdictLedgerTimeOutOfBound.New(
		"The ledger time %s of the transaction is %s ahead of the record time %s; at most %s is allowed",
		instant(transaction.EffectiveAt), ahead.Round(time.Second), instant(at.RecordTime), LedgerTimeTolerance).
		WithHint("The transaction uses a contract of that time. Submit the commands again at that time.")
}
