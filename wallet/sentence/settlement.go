package sentence

import "cmp"

// paysOut is the choice of the token standard that pays a leg of a settlement.
const paysOut = "Allocation_ExecuteTransfer"

// isSettlement reports whether the event paid out allocations.
func (w *writer) isSettlement() bool {
	for _, one := range w.events[1:] {
		if one.Choice == paysOut {
			return true
		}
	}
	return false
}

// settlement describes the settlement of a choice of a user's package: "acme settled trade 4711: 20 TestToken for 5
// CC".
func (w *writer) settlement() Sentence {
	parts := append(people(w.event.By), Part{Text: " "}, Part{Text: w.verb("settled"), Role: Verb}, Part{Text: " "})
	var legs []*writer
	for i, one := range w.events {
		if one.Choice == paysOut {
			legs = append(legs, &writer{Reader: w.Reader, event: one, events: w.events[i:end(w.events, i)]})
		}
	}
	name := clean(legs[0].text("on.allocation.settlement.settlementRef.id"))
	parts = append(parts, Part{Text: cmp.Or(name, "a trade") + ": "})
	const both = 2
	if len(legs) > both { // a settlement may have many legs, and each has a contract to look up
		return w.finish(append(parts, Part{Text: plural(len(legs), "transfers")}), Done)
	}
	for i, leg := range legs {
		if i > 0 {
			parts = append(parts, Part{Text: " for "})
		}
		text, ok := leg.words("token", leg.find("on.allocation.transferLeg"))
		if !ok {
			text = "a transfer"
		}
		parts = append(parts, Part{Text: text, Role: Amount})
	}
	return w.finish(parts, Done)
}
