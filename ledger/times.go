package ledger

import (
	"errors"
	"time"

	"github.com/florinledger/florin/ledger/fault"
)

// ErrTooEarly says that a submission cannot be decided before its minimum ledger time.
var ErrTooEarly = errors.New("the record time is before the minimum ledger time of the submission")

// TooEarly reports whether the minimum ledger time of a submission is after a record time. It has no completion there,
// and waits, whoever brings it and whatever they say it has waited for. A signed one does not wait: its verdict says
// how far its time may be from the record's.
func (s Submission) TooEarly(record time.Time) bool {
	return s.MinLedgerTime != nil && s.Signed == nil && s.MinLedgerTime.UTC().Truncate(time.Microsecond).After(record)
}

// minLife is for how long after it could be made first a submission is decided at least.
const minLife = 24 * time.Hour

// checkAge refuses a submission that comes too late: what was kept on its way, by whomever, is not made when its finder
// likes. It has until the end of the deduplication period of the ledger, beyond which nothing tells whether its client
// has made the change again, and a day at least. The clock is that by which deduplication looks back: where the record
// is ahead of it, nothing is too old for that.
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

// signedTime is the ledger effective time that a signed submission asks for: the record time, but not before the bound
// that it sets.
func signedTime(s Submission, at Position) time.Time {
	if s.MinLedgerTime != nil && s.MinLedgerTime.After(at.RecordTime) {
		return s.MinLedgerTime.UTC().Truncate(time.Microsecond)
	}
	return at.RecordTime
}

// checkAhead refuses a transaction whose ledger effective time is further ahead of the record time than the tolerance:
// nothing is done before its time, whatever it is that moved the time up.
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
