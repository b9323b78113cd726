package sentence

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

// settlement says what a choice of a user's package settled: "acme settled trade 4711: 20 TestToken for 5 CC".
func (w *writer) settlement() Sentence {
	parts := append(people(w.event.By), Part{Text: " "}, Part{Text: w.verb("settled"), Role: Verb}, Part{Text: " "})
	name := ""
	var legs []Part
	for i, one := range w.events {
		if one.Choice != paysOut {
			continue
		}
		leg := writer{Reader: w.Reader, event: one, events: w.events[i:end(w.events, i)]}
		if name == "" {
			name = Clean(leg.text("on.allocation.settlement.settlementRef.id"))
		}
		text, ok := leg.words("token", leg.find("on.allocation.transferLeg"))
		if !ok {
			text = "a transfer"
		}
		if len(legs) > 0 {
			legs = append(legs, Part{Text: " for "})
		}
		legs = append(legs, Part{Text: text, Role: Amount})
	}
	const both = 3 // two legs, and the word between
	if len(legs) > both {
		legs = []Part{{Text: plural(len(legs)/2+1, "transfers")}}
	}
	if name == "" {
		name = "a trade"
	}
	parts = append(parts, Part{Text: name + ": "})
	return w.finish(append(parts, legs...), Done)
}
