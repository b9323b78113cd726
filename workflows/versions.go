package workflows

import "strconv"

// The changes of workflow code that histories of earlier releases have not seen. Each is asked for by name where the
// code branches; the old branch stays as long as workflows of that time may run.
const (
	// versionLedgerClock: submissions that wait for a ledger time follow the ledger's clock, not Temporal's.
	versionLedgerClock = "ledger-clock"
	// versionSignedAtOnce: signed transactions do not wait for their minimum ledger time.
	versionSignedAtOnce = "signed-at-once"
)

// versionOwnQueue names, for a look of a run, the change that workflows which look after contracts have a task queue of
// their own.
func versionOwnQueue(look int) string { return "own-queue-" + strconv.Itoa(look) }
