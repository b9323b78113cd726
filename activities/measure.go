package activities

import "github.com/florinledger/florin/ledger"

// Measurement measures one commit.
type Measurement interface {
	// Did is called at the end of each of the steps below.
	Did(step string)
	// Committed is called with the new completions, if there are any.
	Committed(completions []ledger.Completion)
}

// The steps of a commit, in their order.
const (
	StepLock   = "lock"   // until it has the head
	StepLoad   = "load"   // until it has read what it needs
	StepDecide = "decide" // until all submissions are decided
	StepWrite  = "write"  // until the transaction has ended
)

type noMeasurement struct{}

func (noMeasurement) Did(string)                    {}
func (noMeasurement) Committed([]ledger.Completion) {}

func (a *Activities) measure() Measurement {
	if a.Measure == nil {
		return noMeasurement{}
	}
	return a.Measure()
}
