package fault

import (
	"errors"
	"fmt"
	"slices"
)

// Code is one kind of refusal. Every code of the API is a variable of this package.
type Code struct {
	// ID is the identifier clients see and test for, such as "CONTRACT_NOT_FOUND".
	ID string
	// Category decides gRPC code, HTTP status, retry and redaction.
	Category Category
	// Tells is what refusals of the code can hold.
	Tells Tells
	// Hint is what to do next, unless a Fault knows better. One sentence.
	Hint string
}

// New makes a Fault of this code. The format and its arguments give the cause: the rule that was broken and the
// offending value. It is cut where it is longer than anybody reads: what is refused may name thousands of parties.
func (c Code) New(format string, args ...any) *Fault {
	return &Fault{
		Code: c.ID, Category: c.Category, Hint: c.Hint, Cause: shortCause(fmt.Sprintf(format, args...), maxCause),
	}
}

// HTTP returns the HTTP status of the code: its category's, except for the list limit, which is 413.
func (c Code) HTTP() int {
	if c.ID == JSONAPIMaximumListElementsNumberReached.ID || c.ID == AnswerTooLarge.ID {
		return 413
	}
	return c.Category.HTTP()
}

// Redacted reports whether clients are told nothing but that an error happened: when the category says so, and for
// disclosed contracts that contradict each other.
func (c Code) Redacted() bool {
	return c.Category.Redacted() || c.ID == DisclosedContractsConflictingPayloads.ID
}

// Matches reports whether err is, or wraps, a Fault of this code.
func (c Code) Matches(err error) bool {
	f, ok := As(err)
	return ok && f.Code == c.ID
}

// Codes returns every code, grouped as the API documents them. The caller may change the slice.
func Codes() []Code {
	return slices.Concat(requestCodes, submissionCodes, routingCodes, verdictCodes, adminCodes)
}

// Lookup finds a code by its identifier.
func Lookup(id string) (Code, bool) {
	for _, group := range [][]Code{requestCodes, submissionCodes, routingCodes, verdictCodes, adminCodes} {
		for _, code := range group {
			if code.ID == id {
				return code, true
			}
		}
	}
	return Code{}, false
}

// As finds the Fault in err's chain.
func As(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok && f != nil
}
