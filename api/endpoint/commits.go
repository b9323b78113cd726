package endpoint

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/turns"
)

// What is committed without a submission: parties, users, rights, identity providers. It has turns of its own, so few
// that commits of submissions find the head of the record free, and connections to the database.
const (
	// DirectCommits is how many such commits are under way at once.
	DirectCommits = 8
	// UserDirectCommits is how many of them may be one user's.
	UserDirectCommits = 4
	// commitWait is how long a request waits for its turn to commit.
	commitWait = 15 * time.Second
)

// commitTurn waits for the turn to commit of the user who sent the request. In requests without a user there are no
// turns.
func commitTurn(ctx context.Context) (release func(), err error) {
	return turnOf(ctx, func(l *Limits) *turns.Turns { return l.commits }, "changes of users and parties")
}

// OnboardInTurn onboards in the turn of the user who sent the request. Onboardings wait for a workflow, and changes that
// need the database alone do not wait for them.
func OnboardInTurn[T any](ctx context.Context, onboard func() (T, error)) (out T, err error) {
	release, err := turnOf(ctx, func(l *Limits) *turns.Turns { return l.onboardings }, "onboardings")
	if err != nil {
		return out, err
	}
	defer release()
	return onboard()
}

// turnOf waits for a turn, and looks at the rights of the caller when it has come.
func turnOf(
	ctx context.Context, of func(*Limits) *turns.Turns, what string,
) (release func(), err error) {
	place := callOf(ctx).place
	if place == nil {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, commitWait)
	defer cancel()
	release, err = of(place.limits).Take(waiting, place.who)
	if err != nil {
		if ctx.Err() == nil {
			err = Overloaded(retryAfter, "%d %s are made at once, %d of one user, and this one's turn did not come in %s.",
				DirectCommits, what, UserDirectCommits, commitWait)
		}
		return nil, err
	}
	if err := coveredInRecord(ctx); err != nil {
		release()
		return nil, err
	}
	return release, nil
}
