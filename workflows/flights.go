package workflows

import (
	"fmt"
	"maps"
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
	byUser    map[ledger.Identity]int
	// bytes are those of the flights that do not wait for a time.
	bytes       int
	bytesByUser map[ledger.Identity]int
	// byProvider counts the flights of the users of each identity provider other than the default one.
	byProvider map[string]int
	// waiting counts the flights that wait for a time that they name, and waitingByUser those of each user. They have
	// places of their own: however many wait, those that are under way find room.
	waiting           int
	waitingByUser     map[ledger.Identity]int
	waitingByProvider map[string]int
	// waitingBytes are those of the submissions that wait: they may all become due at once, and then stand before the
	// others.
	waitingBytes           int
	waitingBytesByUser     map[ledger.Identity]int
	waitingBytesByProvider map[string]int
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

// How many bytes of submissions may be in flight, and how many of one user: they are held until their turn comes.
const (
	maxFlightBytes     = 128 << 20
	maxUserFlightBytes = 32 << 20
)

// How many bytes of submissions may wait for their time, and how many of one user.
const (
	maxWaitingBytes     = 16 << 20
	maxUserWaitingBytes = 2 << 20
)

// WaitingShare is which part of the places for those that wait for their time one user may have.
const WaitingShare = 8

func newFlights(max, maxOfUser int, clock func() time.Time) *flights {
	return &flights{
		max: max, maxOfUser: maxOfUser, processes: 1, clock: clock,
		byChange: map[ledger.ChangeID]flight{}, byUser: map[ledger.Identity]int{},
		bytesByUser:   map[ledger.Identity]int{},
		waitingByUser: map[ledger.Identity]int{}, waitingBytesByUser: map[ledger.Identity]int{},
		byProvider: map[string]int{}, waitingByProvider: map[string]int{}, waitingBytesByProvider: map[string]int{},
	}
}

// set changes how many there may be, in all and of one user.
func (f *flights) set(max, maxOfUser int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.max, f.maxOfUser = max, maxOfUser
}

// divide has this process take its part of what each user may have.
func (f *flights) divide(processes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processes = max(1, processes)
}

// part is what this process has of a share that all have together: at least one.
func (f *flights) part(whole int) int { return max(1, whole/f.processes) }

// ofWhole says what a part is part of.
func (f *flights) ofWhole(whole int) string {
	if f.processes == 1 {
		return ""
	}
	return fmt.Sprintf(", this process's part of %d for %d processes", whole, f.processes)
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
	if refusal := f.full(entered); refusal != nil {
		return refusal
	}
	f.byChange[change] = entered
	f.count(entered, 1)
	return nil
}

// full refuses a flight for which there is no place. The caller holds the lock.
func (f *flights) full(entered flight) *fault.Fault {
	if entered.timed {
		return f.waitingFull(entered.who, entered.bytes)
	}
	if len(f.byChange)-f.waiting >= f.max {
		return fault.ParticipantBackpressure.New(
			"The participant is currently overloaded: %d commands are in flight, the most it takes", f.max).
			With("reason", "too many commands in flight")
	}
	if f.bytes+entered.bytes > maxFlightBytes || f.bytesByUser[entered.who]+entered.bytes > maxUserFlightBytes {
		return fault.ParticipantBackpressure.New("commands of %d bytes are in flight, %d of them of user %q; %d more are "+
			"too many, since %d may be in all, and %d of one user", f.bytes, f.bytesByUser[entered.who], entered.who.UserID,
			entered.bytes, maxFlightBytes, maxUserFlightBytes).With("reason", "too many bytes of commands in flight")
	}
	if part := f.part(f.maxOfUser); f.maxOfUser > 0 && f.byUser[entered.who] >= part {
		return fault.ParticipantBackpressure.New("%d commands of user %q are in flight, the most for one user%s", part,
			entered.who.UserID, f.ofWhole(f.maxOfUser)).
			With("reason", "too many commands of the user in flight")
	}
	return f.providerFull(entered.who, f.byProvider, "are in flight")
}

// waitingFull refuses one more flight of a user that waits for its time. The caller holds the lock.
func (f *flights) waitingFull(who ledger.Identity, bytes int) *fault.Fault {
	if f.waitingBytes+bytes > maxWaitingBytes || f.waitingBytesByUser[who]+bytes > maxUserWaitingBytes {
		return fault.ParticipantBackpressure.New("commands of %d bytes wait for their minimum ledger time, %d of them of "+
			"user %q; %d more are too many, since %d may wait in all, and %d of one user: submit it when its time has come",
			f.waitingBytes, f.waitingBytesByUser[who], who.UserID, bytes, maxWaitingBytes, maxUserWaitingBytes).
			With("reason", "too many bytes of commands wait for their time")
	}
	if f.waiting >= f.max {
		return fault.ParticipantBackpressure.New(
			"%d commands wait for their minimum ledger time, the most that may: submit it when its time has come", f.max).
			With("reason", "too many commands wait for their time")
	}
	whole := max(f.max/WaitingShare, 1)
	if part := f.part(whole); f.maxOfUser > 0 && f.waitingByUser[who] >= part {
		return fault.ParticipantBackpressure.New("%d commands of user %q wait for their minimum ledger time, the most for "+
			"one user%s: submit it when its time has come", part, who.UserID, f.ofWhole(whole)).
			With("reason", "too many commands of the user wait for their time")
	}
	share, provider := int(ledger.ProviderShare(maxWaitingBytes)), who.SharedProvider()
	if provider != "" && f.waitingBytesByProvider[provider]+bytes > share {
		return fault.ParticipantBackpressure.New("commands of %d bytes of users of identity provider %q wait for their "+
			"minimum ledger time; %d more are too many, since %d of all of them together may wait: submit it when its time "+
			"has come", f.waitingBytesByProvider[provider], provider, bytes, share).
			With("reason", "too many bytes of commands of the identity provider wait for their time")
	}
	return f.providerFull(who, f.waitingByProvider, "wait for their minimum ledger time")
}

// providerFull refuses one more flight of an identity provider whose users have as many as they may have together. The
// caller holds the lock.
func (f *flights) providerFull(who ledger.Identity, byProvider map[string]int, what string) *fault.Fault {
	share := ledger.ProviderShare(int64(f.max))
	if provider := who.SharedProvider(); provider != "" && int64(byProvider[provider]) >= share {
		return fault.ParticipantBackpressure.New("%d commands of users of identity provider %q %s, the most for all of "+
			"them together", share, provider, what).
			With("reason", "too many commands of the identity provider")
	}
	return nil
}

// count adds a flight to the numbers, or takes it out of them. The caller holds the lock.
func (f *flights) count(one flight, change int) {
	byUser, byProvider := f.byUser, f.byProvider
	if one.timed {
		byUser, byProvider = f.waitingByUser, f.waitingByProvider
		f.waiting += change
		f.waitingBytes += change * one.bytes
		addTo(f.waitingBytesByUser, one.who, change*one.bytes)
	}
	if !one.timed {
		f.bytes += change * one.bytes
		addTo(f.bytesByUser, one.who, change*one.bytes)
	}
	addTo(byUser, one.who, change)
	if provider := one.who.SharedProvider(); provider != "" {
		addTo(byProvider, provider, change)
		if one.timed {
			addTo(f.waitingBytesByProvider, provider, change*one.bytes)
		}
	}
}

// addTo forgets those who have nothing.
func addTo[K comparable](counts map[K]int, who K, change int) {
	if counts[who] += change; counts[who] == 0 {
		delete(counts, who)
	}
}

// leave ends the flight of the submission with the key, which has its completion; a later flight of the same change is
// not touched.
func (f *flights) leave(change ledger.ChangeID, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ended, ok := f.byChange[change]; ok && ended.key == key {
		delete(f.byChange, change)
		f.count(ended, -1)
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
		delete(f.byChange, change)
		f.count(one, -1)
	}
}

// use is how many flights there are, without those that wait for a time, and how many there may be.
func (f *flights) use() (count, max int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.byChange) - f.waiting, f.max
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
	maps.DeleteFunc(f.byChange, func(_ ledger.ChangeID, flight flight) bool {
		if !flight.started && !flight.doubtful || flight.since.Add(flight.wait).After(oldest) {
			return false
		}
		lost = append(lost, flight.key)
		f.count(flight, -1)
		return true
	})
	return lost
}
