package ledgerapi

const (
	// StreamReads is how many streams may read at once. However many are woken by one commit, connections to the database
	// are left for everybody else.
	StreamReads = 8
	// UserStreamReads is how many of them may be one user's, so that others' streams need not wait for all of its own.
	UserStreamReads = 4
)
