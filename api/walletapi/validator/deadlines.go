package validator

import (
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger/fault"
)

// Deadline is a time before which a change must be made.
type Deadline struct {
	// Field is the name of the request's field with the time.
	Field string
	At    time.Time
	// Late is the error if the deadline is not a field of the request; nil for a field.
	Late error
}

// DeadlineOf is a deadline in a field of the request.
func DeadlineOf(field string, at time.Time) Deadline { return Deadline{Field: field, At: at} }

// checkDeadlines returns an error if a deadline has passed.
func (b *Base) checkDeadlines(deadlines []Deadline) error {
	for _, deadline := range deadlines {
		if deadline.Late != nil && !b.Now().Before(deadline.At) {
			return deadline.Late
		}
		if err := b.CheckDeadline(deadline.Field, deadline.At); err != nil {
			return err
		}
	}
	return nil
}

// ExplainLate names the field with the passed deadline after the ledger refused a change. It is for changes that the
// ledger checks itself: a repeat after the deadline still gets the first answer.
func (b *Base) ExplainLate(err error, deadlines ...Deadline) error {
	if _, refused := fault.As(err); !refused {
		return err
	}
	if late := b.checkDeadlines(deadlines); late != nil {
		return late
	}
	return err
}

// CheckDeadline returns an error if the deadline has passed.
func (b *Base) CheckDeadline(field string, at time.Time) error {
	if now := b.Now(); !now.Before(at) {
		return v0.BadRequest("%s: %s is not after the ledger's time, which is %s. Send a time in the future.", field,
			endpoint.Timestamp(at), endpoint.Timestamp(now))
	}
	return nil
}
