package workflows

import (
	"sync"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// flights knows which changes are on their way from this process, so that a second submission of one of them is refused
// at once instead of becoming a duplicate later.
type flights struct {
	clock func() time.Time

	mu sync.Mutex
	// landed is when a flight had its completion last.
	landed         time.Time
	max, maxOfUser int
	// processes is how many have what one user may have together.
	processes int
	byChange  map[ledger.ChangeID]flight
	// underWay is the room of flights that do not wait for a time, and waiting that of those that do: however many wait,
	// those that are under way find room.
	underWay, waiting *room
}

type flight struct {
	key, submissionID string
	who               ledger.Identity
	since             time.Time
	bytes             int
	// started: Temporal has it. Before that it waits for its turn, and nothing was acknowledged.
	started bool
	// doubtful: its start has failed, and nobody knows yet whether Temporal has it all the same.
	doubtful bool
	// timed: it waits for a time that it names, for as long as that takes, and has a place among those that wait.
	timed bool
	// wait is how long that takes.
	wait time.Duration
	// submission is what Temporal has or may have, in the workflow with the id. asked is when it was asked last whether it
	// has it still.
	submission ledger.Submission
	workflowID string
	asked      time.Time
	// starts counts how often Temporal took it.
	starts int
}

// maxFlight is when a flight counts as lost, after the time for which it waits: its workflow was ended by hand. The
// record still keeps the change from succeeding twice.
const maxFlight = 10 * time.Minute

func newFlights(max, maxOfUser int, clock func() time.Time) *flights {
	f := &flights{
		max: max, maxOfUser: maxOfUser, processes: 1, clock: clock, byChange: map[ledger.ChangeID]flight{},
		underWay: newFlightRoom(), waiting: newWaitingRoom(),
	}
	f.apply()
	return f
}

// set changes how many there may be, in all and of one user.
func (f *flights) set(max, maxOfUser int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.max, f.maxOfUser = max, maxOfUser
	f.apply()
}

// divide has this process take its part of what each user may have.
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

// roomOf is the room that a flight takes a place of.
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
		if existing.doubtful { // it may be on its way, or may never come
			return notAccepted("Temporal has not said yet whether it has an earlier submission of this change.")
		}
		return fault.AlreadyInFlight(string(change), existing.submissionID, synchronizerID)
	}
	entered := flight{key: s.Key, submissionID: s.SubmissionID, who: s.Identity, since: f.clock(), bytes: bytes}
	if s.WaitsForItsTime() {
		entered.timed, entered.wait = true, s.MinLedgerTime.Sub(s.ReceivedAt)
	}
	if refusal := f.roomOf(entered).enter(entered.who, entered.bytes); refusal != nil {
		return refusal
	}
	f.byChange[change] = entered
	return nil
}

// leave ends the flight of the submission with the key, which has its completion; a later flight of the same change is
// not touched.
func (f *flights) leave(change ledger.ChangeID, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ended, ok := f.byChange[change]; ok && ended.key == key {
		f.end(change, ended)
		f.landed = f.clock()
	}
}

// start notes that Temporal has a submission: from now on it is to have its completion soon.
func (f *flights) start(submission ledger.Submission, workflowID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change := submission.ChangeID()
	if one, ok := f.byChange[change]; ok && one.key == submission.Key {
		one.starts++
		one.started, one.doubtful, one.since = true, false, f.clock()
		one.submission, one.workflowID, one.asked = submission, workflowID, one.since
		f.byChange[change] = one
	}
}

// doubt notes that the start of a submission has failed. One that Temporal took earlier stays as it is.
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

// doubts are the flights whose start has failed, by the workflow that may have them.
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
func (f *flights) fail(failed flight, forget func(key string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change := failed.submission.ChangeID()
	if one, ok := f.byChange[change]; ok && one.key == failed.key && one.doubtful {
		forget(one.key)
		f.end(change, one)
	}
}

// use is how many flights there are, without those that wait for a time, and how many there may be.
func (f *flights) use() (count, max int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.underWay.places.Taken(), f.max
}

// oldest is how long ago Temporal took the oldest flight, of those that do not wait for a time; 0 when there is none.
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

// stalled is for how long flights have waited and none has had its completion; 0 when none waits. A flight that waits
// while others land says something of its user's queue, and nothing of the node.
func (f *flights) stalled() time.Duration {
	longest := f.oldest()
	f.mu.Lock()
	defer f.mu.Unlock()
	return min(longest, f.clock().Sub(f.landed))
}

// unanswered are so many flights, at most, that Temporal took so long ago, and was not asked for since.
func (f *flights) unanswered(lasting time.Duration, limit int) (unanswered []flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	for change, one := range f.byChange {
		if one.started && now.Sub(one.asked) >= lasting && len(unanswered) < limit {
			one.asked = now
			f.byChange[change] = one
			unanswered = append(unanswered, one)
		}
	}
	return unanswered
}

// dropLost ends the flights that have lasted too long and returns the keys of their submissions.
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
