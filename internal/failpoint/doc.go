// Package failpoint lets tests of crashes kill processes at chosen points of the write path. Only programs that are
// built with the tag failpoints have any: in all others [Hit] is empty, and the compiler removes the calls.
//
// A test names a directory in the environment variable FLORIN_FAILPOINTS. To arm a point it makes a file there, named
// like the point, with the ids of the processes to kill. The first process to reach the point afterwards takes the file
// away and kills them, itself last.
package failpoint

// The points, in the order in which a submission passes them, and behind them those of other changes.
const (
	// BeforeStart is before Temporal is asked to start the workflow of submissions.
	BeforeStart = "before-start"
	// AfterStart is when Temporal has the workflow and no client knows yet.
	AfterStart = "after-start"
	// BeforeCommit is at the beginning of the activity that commits, before its transaction.
	BeforeCommit = "before-commit"
	// Decided is within the transaction, when everything is decided and nothing written.
	Decided = "decided"
	// Appended is within the transaction, when everything is written and not committed.
	Appended = "appended"
	// Committed is after the transaction, when neither clients nor Temporal know.
	Committed = "committed"
	// Published is when waiting clients of the same process were told, and Temporal was not.
	Published = "published"
	// Unanswered is when a change that was asked for with an Idempotency-Key is made, and its answer not yet stored.
	Unanswered = "unanswered"
	// Uploaded is when packages are written and not committed.
	Uploaded = "uploaded"
	// PackagesCommitted is when packages are committed, and who uploaded them does not know.
	PackagesCommitted = "packages-committed"
)

// Names lists the points in order.
func Names() []string {
	return []string{
		BeforeStart, AfterStart, BeforeCommit, Decided, Appended, Committed, Published, Unanswered, Uploaded,
		PackagesCommitted,
	}
}
