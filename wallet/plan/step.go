package plan

import (
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// Situation is what every decision depends on, be it about the contracts of a lifecycle or a subject of automation.
type Situation struct {
	View

	// Refused is why the last action was refused; nil when it was accepted, or there was none.
	Refused *Refused
}

// Step is the decision: an action that is due now, or when to look again. A change of the contracts that it is about
// ends the wait as well.
type Step struct {
	// Action is nil when nothing is due.
	Action *Action
	// Until is the ledger time at which to look again, without an action or after its refusal; zero for not at all.
	Until time.Time
	// WaitsFor says in words what happens at Until.
	WaitsFor string

	// The rest is for automation alone: lifecycles take no turns, and stop a simulated clock at every Until.

	// Spends is whose coin the action spends, where several subjects spend that of one party: they take turns then.
	// Empty where nobody else does.
	Spends ledger.Party
	// WakeAbove is the price, in US dollars per coin, above which to look again, without an action; nil for none. A step
	// of the same kind says with Price what the coin is worth.
	WakeAbove, Price *decimal.Decimal
	// Deadline: a simulated clock stops at Until when it is advanced. Leave it out where nothing is lost by being late,
	// as with what happens in every round.
	Deadline bool
	// Trouble says in words why there is no action though there should be one, for the list of troubles; "" for none.
	Trouble string
}
