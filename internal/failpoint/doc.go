// Package failpoint lets tests of crashes kill processes at chosen points of the write path. Only programs that are
// built with the tag failpoints have any: in all others [Hit] is empty, and the compiler removes the calls.
//
// A test names a directory in the environment variable FLORIN_FAILPOINTS. To arm a point it makes a file there, named
// like the point, with the ids of the processes to kill. The first process that reaches the point renames the file and
// kills them, itself last.
package failpoint

// The points, in the order in which a submission passes them, then those of other changes.
const (
	// BeforeStart is before the API calls Temporal to start the workflow of submissions.
	BeforeStart = "before-start"
	// AfterStart is when Temporal has the workflow and no client knows yet.
	AfterStart = "after-start"
	// BeforeCommit is at the beginning of the activity that commits, before its transaction.
	BeforeCommit = "before-commit"
	// AfterDecision is within the transaction, after the decision and before anything is written.
	AfterDecision = "decided"
	// AfterAppend is within the transaction, when everything is written but not committed.
	AfterAppend = "appended"
	// AfterCommit is after the transaction, when neither clients nor Temporal know.
	AfterCommit = "committed"
	// AfterPublish is when waiting clients of the same process know the result, and Temporal does not.
	AfterPublish = "published"
	// BeforeAnswer is when a change with an Idempotency-Key is made, and its answer is not yet stored.
	BeforeAnswer = "unanswered"
	// AfterUpload is when packages are written but not committed.
	AfterUpload = "uploaded"
	// AfterPackagesCommit is when packages are committed, and the client does not know yet.
	AfterPackagesCommit = "packages-committed"
	// BeforeWebhook is when an attempt of a webhook is noted and not sent.
	BeforeWebhook = "webhook-noted"
	// AfterWebhook is when a receiver has answered and the result is not noted.
	AfterWebhook = "webhook-sent"
)

// Names lists the points in order.
func Names() []string {
	return []string{
		BeforeStart, AfterStart, BeforeCommit, AfterDecision, AfterAppend, AfterCommit, AfterPublish, BeforeAnswer,
		AfterUpload, AfterPackagesCommit, BeforeWebhook, AfterWebhook,
	}
}
