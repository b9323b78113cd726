package turns

// After untilAlone turns in a row, an account counts as alone. The time for that depends on how long turns are.
const untilAlone = 32

// Neighbours reports whether several accounts take turns, or only one. The zero value has seen none. It is not safe for
// concurrent use.
type Neighbours[K comparable] struct {
	// last had the last turn, and counts as alone after left more.
	last K
	left int
	some bool
}

// Note records turns that accounts take at the same time.
func (n *Neighbours[K]) Note(accounts ...K) {
	for _, account := range accounts {
		if n.some && account != n.last {
			n.left = untilAlone
		}
		n.last, n.some = account, true
	}
	n.left = max(0, n.left-1)
}

// Any reports whether more than one account has had turns lately.
func (n *Neighbours[K]) Any() bool { return n.left > 0 }

// Of reports whether accounts other than this one had turns lately.
func (n *Neighbours[K]) Of(account K) bool { return n.Any() || n.some && account != n.last }
