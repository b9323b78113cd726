package validator

import (
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger/fault"
)

// Deadline is a time that must not be over.
type Deadline struct {
	// Field is the field of the request that has the time.
	Field string
	At    time.Time
	// Late says what is wrong with what no field of the request has; nil for a field.
	Late error
}

// DeadlineOf is the time of a field of the request.
func DeadlineOf(field string, at time.Time) Deadline { return Deadline{Field: field, At: at} }

// checkDeadlines refuses a change of which a deadline is over.
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

// ExplainLate is for changes that the ledger refuses when a deadline is over, and whose repetition answers as the first
// time, whenever it comes: it says which field of the request is why the ledger has refused one.
func (b *Base) ExplainLate(err error, deadlines ...Deadline) error {
	if _, refused := fault.As(err); !refused {
		return err
	}
	if late := b.checkDeadlines(deadlines); late != nil {
		return late
	}
	return err
}

// CheckDeadline refuses deadlines that are over: nothing would come of what has one.
func (b *Base) CheckDeadline(field string, at time.Time) error {
	if now := b.Now(); !now.Before(at) {
		return v0.BadRequest("%s: %s is not after the ledger's time, which is %s. Send a time in the future.", field,
			endpoint.Timestamp(at), endpoint.Timestamp(now))
	}
	return nil
}
