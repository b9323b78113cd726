package ledger

// Condition is what the payloads of a template meet.
type Condition[T any] struct {
	// Text says it in plain words, for whoever sends a payload that does not.
	Text string
	// Holds reports whether a payload meets it.
	Holds func(payload T) bool
}

// Conditions are met together.
type Conditions[T any] []Condition[T]

// That is a condition by itself; [Conditions.And] adds another.
func That[T any](text string, holds func(payload T) bool) Conditions[T] {
	return Conditions[T]{{text, holds}}
}

// And is the conditions and one more.
func (c Conditions[T]) And(text string, holds func(payload T) bool) Conditions[T] {
	return append(c, Condition[T]{text, holds})
}

// unmet is the first condition that a payload does not meet, "" when it meets all.
func (c Conditions[T]) unmet(payload T) string {
	for _, condition := range c {
		if !condition.Holds(payload) {
			return condition.Text
		}
	}
	return ""
}
