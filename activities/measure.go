package activities

import "github.com/florinledger/florin/ledger"

// Measurement is of one commit.
type Measurement interface {
	// Did is told when a step of the commit has ended, one of the steps below.
	Did(step string)
	// Committed is told of what was committed, if anything was.
	Committed(completions []ledger.Completion)
}

// The steps of a commit, in their order.
const (
	StepLock   = "lock"   // until it has the head
	StepLoad   = "load"   // until it has read what it needs
	StepDecide = "decide" // until all submissions are decided
	StepWrite  = "write"  // until the transaction has ended
)

// unmeasured is the measurement of nobody.
type unmeasured struct{}

func (unmeasured) Did(string)                    {}
func (unmeasured) Committed([]ledger.Completion) {}

// measure begins to measure a commit, if anybody wants to know.
func (a *Activities) measure() Measurement {
	if a.Measure == nil {
		return unmeasured{}
	}
	return a.Measure()
}
