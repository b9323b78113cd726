package activities

import (
	"maps"
	"sync"
	"time"

	"github.com/florinledger/florin/ledger"
)

// What comes due after it has waited for its time takes turns here: thousands may wait for the same moment, and would
// all stand before what is submitted then.
const (
	// duePerSecond is how much of what comes due goes on in a second, in the unit of [ledger.Submission.CommitCost]: about
	// half of what a node commits.
	duePerSecond = 1 << 20
	// minDue is what the smallest counts for, since each is a commit of its own.
	minDue = 32 << 10
	// maxTickets is how many tickets are kept before those are forgotten that nobody has come back for.
	maxTickets = 4096
	// lostTicket is how long after its turn nobody comes back for a ticket.
	lostTicket = time.Minute
)

// dueTurns tells submissions whose time has come when it is their turn: an account's one after the other, and those of
// several accounts among one another. The zero value is ready to use.
type dueTurns struct {
	// habits are what submissions of accounts really cost that this process committed.
	habits ledger.Habits

	mu sync.Mutex
	// next is when the next turn of an account may begin, for those that have had one.
	next map[ledger.Identity]time.Time
	// tickets are the turns of workflows that wait for them.
	tickets map[string]time.Time
}

// learn notes what became of submissions, whether or not they had to wait: the next of their accounts may have to.
func (d *dueTurns) learn(submissions []ledger.Submission, completions []ledger.Completion) {
	decided := completionsByKey(completions)
	for _, submission := range submissions {
		if completion, ok := decided[submission.Key]; ok {
			d.habits.Learn(submission.Identity, submission.CommitCost(0), completion)
		}
	}
}

// wait is how long the workflow has to wait for its turn; 0 when it goes on now. The cost is the estimate of what its
// submission costs.
func (d *dueTurns) wait(now time.Time, workflowID string, who ledger.Identity, cost int) time.Duration {
	cost = d.habits.Cost(who, cost)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.next == nil {
		d.next, d.tickets = map[ledger.Identity]time.Time{}, map[string]time.Time{}
	}
	turn, known := d.tickets[workflowID]
	if !known {
		turn = d.take(now, who.Account(), cost)
	}
	if wait := turn.Sub(now); wait > 0 {
		d.tickets[workflowID] = turn
		if len(d.tickets) > maxTickets {
			maps.DeleteFunc(d.tickets, func(_ string, at time.Time) bool { return now.Sub(at) > lostTicket })
		}
		return wait
	}
	delete(d.tickets, workflowID)
	return 0
}

// take gives an account its next turn. The more accounts have turns to come, the longer each one's last.
func (d *dueTurns) take(now time.Time, who ledger.Identity, cost int) time.Time {
	maps.DeleteFunc(d.next, func(_ ledger.Identity, next time.Time) bool { return !next.After(now) })
	turn, waits := d.next[who]
	if !waits {
		turn = now
	}
	d.next[who] = turn // it counts among those that have turns
	share := time.Duration(max(cost, minDue)) * time.Second / duePerSecond
	d.next[who] = turn.Add(share * time.Duration(len(d.next)))
	return turn
}
