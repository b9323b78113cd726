package activities

import (
	"context"
	"slices"
	"sync"

	"github.com/florinledger/florin/ledger"
)

// groupCommit lets activities that run at the same time share a transaction: while one commits, the others wait, and
// the next one commits for all of them. The zero value is ready to use.
type groupCommit struct {
	mu      sync.Mutex
	waiting []*member
	// leads has room for one: the activity that commits.
	leads chan struct{}
}

// member is an activity that waits for its submissions.
type member struct {
	submissions []ledger.Submission
	// ended is closed after a leader's try to commit them: with these completions, or with none if it failed.
	ended       chan struct{}
	completions []ledger.Completion
}

// maxGroup limits the submissions of a group; one activity may have more.
const maxGroup = 256

// join adds a member, and returns the channel to which the leader sends.
func (g *groupCommit) join(m *member) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leads == nil {
		g.leads = make(chan struct{}, 1)
	}
	g.waiting = append(g.waiting, m)
	return g.leads
}

// leave removes a member that no longer waits.
func (g *groupCommit) leave(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(other *member) bool { return other == m })
}

// take returns the leader and the first ones behind it, up to the limit. It returns nothing if another leader has taken
// this one.
func (g *groupCommit) take(leader *member) []*member {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.Index(g.waiting, leader)
	if at < 0 {
		return nil
	}
	group, count := []*member{leader}, len(leader.submissions)
	g.waiting = slices.Delete(g.waiting, at, at+1)
	for len(g.waiting) > 0 && count+len(g.waiting[0].submissions) <= maxGroup {
		count += len(g.waiting[0].submissions)
		group, g.waiting = append(group, g.waiting[0]), g.waiting[1:]
	}
	return group
}

// lead commits a group. A panic, from which the worker recovers, also ends the turn.
func (a *Activities) lead(ctx context.Context, leads chan struct{}, own *member) {
	defer func() { <-leads }()
	a.commitFor(ctx, a.group.take(own))
}

// commitInGroup is [Activities.commitApart], together with other activities. If the common transaction fails, or is full
// before a member's turn, that member commits its own, so that none depends on the submissions of another.
func (a *Activities) commitInGroup(ctx context.Context, submissions []ledger.Submission) ([]ledger.Completion, error) {
	own := &member{submissions: submissions, ended: make(chan struct{})}
	leads := a.group.join(own)
	select {
	case leads <- struct{}{}:
		a.lead(ctx, leads, own)
	case <-own.ended:
	case <-ctx.Done():
		a.group.leave(own)
		return nil, ctx.Err()
	}
	if own.completions != nil {
		return own.completions, nil
	}
	return a.commitApart(ctx, submissions)
}

// commitFor tries to commit the submissions of all members in one transaction.
func (a *Activities) commitFor(ctx context.Context, group []*member) {
	defer func() {
		for _, m := range group {
			close(m.ended)
		}
	}()
	var all []ledger.Submission
	for _, m := range group {
		all = append(all, m.submissions...)
	}
	if len(all) == 0 {
		return
	}
	ctx, cancel := forTogether(ctx, len(all))
	defer cancel()
	completions, done, err := a.commitTogether(ctx, all)
	if err != nil {
		return
	}
	decided := completionsByKey(completions)
	for _, m := range group {
		if done -= len(m.submissions); done < 0 {
			return
		}
		m.completions = make([]ledger.Completion, 0, len(m.submissions))
		for _, submission := range m.submissions {
			if completion, ok := decided[submission.Key]; ok {
				m.completions = append(m.completions, completion)
			}
		}
	}
}
