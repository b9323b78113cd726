package workflows

import (
	"maps"
	"sync"
	"time"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// flights knows which changes are on their way from this process, so that a second submission of one of them is refused
// at once instead of becoming a duplicate later.
type flights struct {
	most, mostOfUser int
	clock            func() time.Time

	mu       sync.Mutex
	byChange map[ledger.ChangeID]flight
	byUser   map[ledger.Identity]int
}

type flight struct {
	key, submissionID string
	who               ledger.Identity
	since             time.Time
	// timed: it waits for a time that it names, for as long as that takes.
	timed bool
}

// maxFlight is when a flight counts as lost: its workflow was ended by hand, or waits for a time far ahead. The record
// still keeps the change from succeeding twice.
const maxFlight = 10 * time.Minute

func newFlights(most, mostOfUser int, clock func() time.Time) *flights {
	return &flights{
		most: most, mostOfUser: mostOfUser, clock: clock,
		byChange: map[ledger.ChangeID]flight{}, byUser: map[ledger.Identity]int{},
	}
}

// enter admits a submission, or says why not.
func (f *flights) enter(change ledger.ChangeID, s ledger.Submission, synchronizerID string) *fault.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if existing, ok := f.byChange[change]; ok {
		return fault.AlreadyInFlight(string(change), existing.submissionID, synchronizerID)
	}
	if len(f.byChange) >= f.most {
		return fault.ParticipantBackpressure.New(
			"The participant is currently overloaded: %d commands are in flight, the most it takes", f.most).
			With("reason", "too many commands in flight")
	}
	if f.mostOfUser > 0 && f.byUser[s.Identity] >= f.mostOfUser {
		return fault.ParticipantBackpressure.New(
			"%d commands of user %q are in flight, the most for one user", f.mostOfUser, s.UserID).
			With("reason", "too many commands of the user in flight")
	}
	f.byChange[change] = flight{
		key: s.Key, submissionID: s.SubmissionID, who: s.Identity, since: f.clock(), timed: s.MinLedgerTime != nil,
	}
	f.byUser[s.Identity]++
	return nil
}

// leave ends the flight of the submission with the key; a later flight of the same change is not touched.
func (f *flights) leave(change ledger.ChangeID, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ended, ok := f.byChange[change]; ok && ended.key == key {
		delete(f.byChange, change)
		f.forget(ended)
	}
}

// oldest is how long the oldest flight has lasted, of those that do not wait for a time; 0 when there is none.
func (f *flights) oldest() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var longest time.Duration
	for _, flight := range f.byChange {
		if !flight.timed {
			longest = max(longest, f.clock().Sub(flight.since))
		}
	}
	return longest
}

// forget ends a flight's part in its user's number. The caller holds the lock.
func (f *flights) forget(ended flight) {
	if f.byUser[ended.who]--; f.byUser[ended.who] == 0 {
		delete(f.byUser, ended.who)
	}
}

// dropLost ends the flights that have lasted too long and returns the keys of their submissions.
func (f *flights) dropLost() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lost []string
	oldest := f.clock().Add(-maxFlight)
	maps.DeleteFunc(f.byChange, func(_ ledger.ChangeID, flight flight) bool {
		if flight.since.After(oldest) {
			return false
		}
		lost = append(lost, flight.key)
		f.forget(flight)
		return true
	})
	return lost
}
