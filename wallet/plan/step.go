package plan

import (
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// Situation is the common input of decisions about lifecycles and automation.
type Situation struct {
	View

	// Refused is the refusal of the last action; nil if there was none.
	Refused *Refusal
}

// Step is the decision: an action that is due now, or the time of the next look. A change of its contracts also ends
// the wait.
type Step struct {
	// Action is nil when nothing is due.
	Action *Action
	// Until is the ledger time of the next look, without an action or after its refusal; zero for none.
	Until time.Time
	// WaitsFor describes the event at Until.
	WaitsFor string

	// Only automation uses the other fields: lifecycles do not take turns, and stop a simulated clock at every Until.

	// Spends is the payer of the action, if several subjects spend its coin: they take turns. Empty if no other subject
	// does.
	Spends ledger.Party
	// WakeAbove is the price, in US dollars per coin, above which to look again, without an action; nil for none. A step
	// of the same kind reports the price in Price.
	WakeAbove, Price *decimal.Decimal
	// Deadline makes a simulated clock stop at Until. Leave it unset if a delay costs nothing, as for events of every
	// round.
	Deadline bool
	// Trouble says why a needed action is impossible, for the list of troubles; "" for none.
	Trouble string
}
