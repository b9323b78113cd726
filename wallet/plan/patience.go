package plan

import "time"

// These times leave work to clients first.
const (
	// ExpiryPatience is the time that a contract outlives its deadline: a late client learns that it has expired, and not
	// that it does not exist (upstream waits for five seconds, and looks every half a minute).
	ExpiryPatience = 30 * time.Second
	// MergePatience is the age at which the node acts on a merge delegation or its proposal: wallet providers with their
	// own process accept and merge at once.
	MergePatience = 30 * time.Second
)
