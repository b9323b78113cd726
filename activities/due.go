package activities

import (
	"maps"
	"sync"
	"time"

	"github.com/florinledger/florin/ledger"
)

// Submissions that have waited for their time take turns here: thousands may wait for the same moment, and would all be
// ahead of new submissions.
const (
	// duePerSecond is the cost of due submissions that go on in a second, in the unit of [ledger.Submission.CommitCost]:
	// about half of the capacity of a node.
	duePerSecond = 1 << 20
	// minDue is the least cost of a submission, because each is a commit of its own.
	minDue = 32 << 10
	// maxTickets is the number of tickets after which lost ones are deleted.
	maxTickets = 4096
	// lostTicket is the age at which a ticket counts as lost.
	lostTicket = time.Minute
)

// dueTurns gives turns to submissions whose time has come: one after the other for each account, and side by side for
// several accounts. The zero value is ready to use.
type dueTurns struct {
	// habits are the real costs of accounts' submissions in this process.
	habits ledger.Habits

	mu sync.Mutex
	// next is the earliest start of the next turn of an account.
	next map[ledger.Identity]time.Time
	// tickets are the turns of waiting workflows.
	tickets map[string]time.Time
}

// learn records the costs of submissions, also of those that did not wait: later ones of their accounts may wait.
func (d *dueTurns) learn(submissions []ledger.Submission, completions []ledger.Completion) {
	decided := completionsByKey(completions)
	for _, submission := range submissions {
		if completion, ok := decided[submission.Key]; ok {
			d.habits.Learn(submission.Identity, submission.CommitCost(0), completion)
		}
	}
}

// wait returns how long the workflow has to wait for its turn; 0 if it goes on now. cost is the estimate for its
// submission.
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

// take gives an account its next turn. The more accounts wait, the longer each turn lasts.
func (d *dueTurns) take(now time.Time, who ledger.Identity, cost int) time.Time {
	maps.DeleteFunc(d.next, func(_ ledger.Identity, next time.Time) bool { return !next.After(now) })
	turn, waits := d.next[who]
	if !waits {
		turn = now
	}
	d.next[who] = turn // so that it counts among the accounts with turns
	share := time.Duration(max(cost, minDue)) * time.Second / duePerSecond
	d.next[who] = turn.Add(share * time.Duration(len(d.next)))
	return turn
}
