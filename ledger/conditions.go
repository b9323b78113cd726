package ledger

// Condition is a condition on the payloads of a template.
type Condition[T any] struct {
	// Text is the condition in plain words, for refusals.
	Text string
	// Holds reports whether a payload meets it.
	Holds func(payload T) bool
}

// Conditions must all hold.
type Conditions[T any] []Condition[T]

// That is a list of one condition; [Conditions.And] adds others.
func That[T any](text string, holds func(payload T) bool) Conditions[T] {
	return Conditions[T]{{text, holds}}
}

// And adds a condition.
func (c Conditions[T]) And(text string, holds func(payload T) bool) Conditions[T] {
	return append(c, Condition[T]{text, holds})
}

// unmet is the first condition that does not hold for a payload; "" if all hold.
func (c Conditions[T]) unmet(payload T) string {
	for _, condition := range c {
		if !condition.Holds(payload) {
			return condition.Text
		}
	}
	return ""
}
