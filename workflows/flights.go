package workflows

import (
	"sync"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// flights are the changes that this process has in flight. It refuses a second submission of one of them at once;
// otherwise that would become a duplicate later.
type flights struct {
	clock func() time.Time

	mu sync.Mutex
	// lastCompletion is the time of the last completion of a flight.
	lastCompletion time.Time
	max, maxOfUser int
	// processes is the number of processes that share the limit of one user.
	processes int
	byChange  map[ledger.ChangeID]flight
	// waiting is the room of flights that wait for a time, underWay that of the others: those always find room, however
	// many wait.
	underWay, waiting *room
}

type flight struct {
	key, submissionID string
	who               ledger.Identity
	since             time.Time
	bytes             int
	// started: Temporal has it. Before that it waits for its turn, and the client has no acknowledgement.
	started bool
	// doubtful: its start has failed, but Temporal may have it.
	doubtful bool
	// timed: it waits for its minimum ledger time, and has its place in the waiting room.
	timed bool
	// wait is how long that takes.
	wait time.Duration
	// submission is what Temporal has or may have, in the workflow with the id. lastCheck is when the node last asked
	// Temporal for it.
	submission ledger.Submission
	workflowID string
	lastCheck  time.Time
	// starts counts how often Temporal took it.
	starts int
}

// maxFlight is the age at which a flight counts as lost, after the time for which it waits: somebody ended its
// workflow. The record still keeps the change from succeeding twice.
const maxFlight = 10 * time.Minute

func newFlights(max, maxOfUser int, clock func() time.Time) *flights {
	f := &flights{
		max: max, maxOfUser: maxOfUser, processes: 1, clock: clock, byChange: map[ledger.ChangeID]flight{},
		underWay: newFlightRoom(), waiting: newWaitingRoom(),
	}
	f.apply()
	return f
}

// set changes the limits, in all and for one user.
func (f *flights) set(max, maxOfUser int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.max, f.maxOfUser = max, maxOfUser
	f.apply()
}

// divide limits this process to its part of the limit of each user.
func (f *flights) divide(processes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processes = max(1, processes)
	f.apply()
}

// apply gives both rooms their limits. The caller holds the lock.
func (f *flights) apply() {
	f.underWay.set(f.max, f.maxOfUser, f.processes)
	ofWaiting := 0
	if f.maxOfUser > 0 {
		ofWaiting = max(f.max/WaitingShare, 1)
	}
	f.waiting.set(f.max, ofWaiting, f.processes)
}

// roomOf returns the room in which a flight has its place.
func (f *flights) roomOf(one flight) *room {
	if one.timed {
		return f.waiting
	}
	return f.underWay
}

// end forgets a flight. The caller holds the lock.
func (f *flights) end(change ledger.ChangeID, one flight) {
	delete(f.byChange, change)
	f.roomOf(one).leave(one.who, one.bytes)
}

// enter admits a submission, or says why not.
func (f *flights) enter(change ledger.ChangeID, s ledger.Submission, bytes int, synchronizerID string) *fault.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if existing, ok := f.byChange[change]; ok {
		if existing.doubtful { // Temporal may have it, or may never get it
			return notAccepted("Temporal has not confirmed yet whether it has an earlier submission of this change.")
		}
		return fault.AlreadyInFlight(string(change), existing.submissionID, synchronizerID)
	}
	one := flight{key: s.Key, submissionID: s.SubmissionID, who: s.Identity, since: f.clock(), bytes: bytes}
	if s.WaitsForItsTime() {
		one.timed, one.wait = true, s.MinLedgerTime.Sub(s.ReceivedAt)
	}
	if refusal := f.roomOf(one).enter(one.who, one.bytes); refusal != nil {
		return refusal
	}
	f.byChange[change] = one
	return nil
}

// leave ends the flight of the submission with the key, because it has its completion. It does not touch a later flight
// of the same change.
func (f *flights) leave(change ledger.ChangeID, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one, ok := f.byChange[change]; ok && one.key == key {
		f.end(change, one)
		f.lastCompletion = f.clock()
	}
}

// start records that Temporal has a submission. From now on its completion must come soon.
func (f *flights) start(submission ledger.Submission, workflowID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change := submission.ChangeID()
	if one, ok := f.byChange[change]; ok && one.key == submission.Key {
		one.starts++
		one.started, one.doubtful, one.since = true, false, f.clock()
		one.submission, one.workflowID, one.lastCheck = submission, workflowID, one.since
		f.byChange[change] = one
	}
}

// doubt records that the start of a submission has failed. A flight that Temporal took earlier stays as it is.
func (f *flights) doubt(submission ledger.Submission, workflowID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change := submission.ChangeID()
	if one, ok := f.byChange[change]; ok && one.key == submission.Key && !one.started {
		one.doubtful, one.since = true, f.clock()
		one.submission, one.workflowID = submission, workflowID
		f.byChange[change] = one
	}
}

// doubts returns the flights whose start has failed, by the workflow that may have them.
func (f *flights) doubts() map[string][]flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	doubts := map[string][]flight{}
	for _, one := range f.byChange {
		if one.doubtful {
			doubts[one.workflowID] = append(doubts[one.workflowID], one)
		}
	}
	return doubts
}

// fail ends a flight that is still in doubt. It calls forget before a later flight, which may have the same key, can
// begin.
func (f *flights) fail(one flight, forget func(key string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change := one.submission.ChangeID()
	if current, ok := f.byChange[change]; ok && current.key == one.key && current.doubtful {
		forget(current.key)
		f.end(change, current)
	}
}

// use returns the number of flights without those that wait for a time, and its limit.
func (f *flights) use() (count, max int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.underWay.places.Taken(), f.max
}

// oldest returns the age of the oldest flight that Temporal has and that does not wait for a time; 0 if there is none.
func (f *flights) oldest() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var longest time.Duration
	for _, flight := range f.byChange {
		if flight.started && !flight.timed {
			longest = max(longest, f.clock().Sub(flight.since))
		}
	}
	return longest
}

// stalled returns how long flights have waited without any completion; 0 if none waits. If other flights complete, a
// long wait comes from the queue of its user, not from the node.
func (f *flights) stalled() time.Duration {
	longest := f.oldest()
	f.mu.Lock()
	defer f.mu.Unlock()
	return min(longest, f.clock().Sub(f.lastCompletion))
}

// overdue returns flights that are in Temporal without a completion, if their last check is at least so long ago, and
// counts this as a check.
func (f *flights) overdue(sinceCheck time.Duration, limit int) (overdue []flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	for change, one := range f.byChange {
		if one.started && now.Sub(one.lastCheck) >= sinceCheck && len(overdue) < limit {
			one.lastCheck = now
			f.byChange[change] = one
			overdue = append(overdue, one)
		}
	}
	return overdue
}

// dropLost ends the flights that are too old, and returns the keys of their submissions.
func (f *flights) dropLost() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lost []string
	oldest := f.clock().Add(-maxFlight)
	for change, one := range f.byChange {
		if (one.started || one.doubtful) && !one.since.Add(one.wait).After(oldest) {
			lost = append(lost, one.key)
			f.end(change, one)
		}
	}
	return lost
}
