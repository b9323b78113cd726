package turns

// untilAlone is after how many turns in a row an account counts as alone. Where turns are long this is a long time, and
// where they are short a short one.
const untilAlone = 32

// Neighbours tells whether accounts have their turns beside others, or one of them is alone. The zero value has seen
// none. It is not safe for concurrent use.
type Neighbours[K comparable] struct {
	// last had the last turn, and must have so many more until it is alone.
	last K
	left int
	some bool
}

// Note counts turns that accounts have together.
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

// Of reports whether others than this account have had turns lately.
func (n *Neighbours[K]) Of(account K) bool { return n.Any() || n.some && account != n.last }
