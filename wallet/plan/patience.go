package plan

import "time"

// What clients may do themselves is left to them for a while.
const (
	// ExpiryPatience is how long a contract outlives its deadline: a client that is late learns that it has expired, and
	// not that it never existed (upstream waits for five seconds, and looks every half a minute).
	ExpiryPatience = 30 * time.Second
	// MergePatience is how old a merge delegation or its proposal is before it is acted upon: wallet providers that run
	// the process themselves accept at once, and merge.
	MergePatience = 30 * time.Second
)
