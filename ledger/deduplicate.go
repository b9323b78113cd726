package ledger

import (
	"time"

	"github.com/florinledger/florin/ledger/fault"
)

// AcceptedChange is the last accepted submission of a change id.
type AcceptedChange struct {
	Offset       Offset
	At           time.Time // when its completion was recorded
	SubmissionID string
}

// DeduplicationRules are the settings and the state that deduplication depends on.
type DeduplicationRules struct {
	// Now is the time that a duration looks back from.
	Now time.Time
	// Maximum is the window of submissions that name none.
	Maximum time.Duration
	// Pruned is the offset up to which the record was pruned.
	Pruned Offset
}

// Deduplicate decides whether a submission repeats an accepted one of the same change id within its window. previous is
// the last accepted submission, nil when there is none. It returns the window that the completion reports: the offset
// since which no other submission of the change was accepted; for a duplicate, the offset before the earlier success;
// for a window that begins before the record, a duration of zero, as upstream does. Only accepted submissions count:
// after a refusal the same command id runs normally (contract, "deduplicationPeriod"; upstream's rules for command
// deduplication).
func Deduplicate(s Submission, previous *AcceptedChange, rules DeduplicationRules) (DeduplicationPeriod, *fault.Fault) {
	if requested := s.Deduplication; requested != nil && requested.Offset != nil && *requested.Offset < rules.Pruned {
		none := time.Duration(0)
		return DeduplicationPeriod{Duration: &none}, fault.InvalidDeduplicationPeriod.New(
			"The submitted command had an invalid deduplication period: offset %d is before the earliest offset %d "+
				"that the node still knows", *requested.Offset, rules.Pruned).
			With("changeId", string(s.ChangeID())).
			With("requestedPeriod", formatOffset(*requested.Offset)).
			With("earliest_offset", formatOffset(rules.Pruned))
	}
	start := rules.Pruned
	if previous == nil {
		return DeduplicationPeriod{Offset: &start}, nil
	}
	if withinWindow(s.Deduplication, *previous, rules) {
		before := previous.Offset - 1
		return DeduplicationPeriod{Offset: &before},
			fault.DuplicateOf(string(s.ChangeID()), previous.SubmissionID, int64(previous.Offset))
	}
	start = previous.Offset
	return DeduplicationPeriod{Offset: &start}, nil
}

func withinWindow(period *DeduplicationPeriod, previous AcceptedChange, rules DeduplicationRules) bool {
	duration := rules.Maximum
	if period != nil {
		if period.Offset != nil {
			return previous.Offset > *period.Offset
		}
		if period.Duration != nil {
			duration = *period.Duration
		}
	}
	return !previous.At.Before(rules.Now.Add(-duration))
}
