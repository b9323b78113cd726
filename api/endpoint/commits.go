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

// InTurn commits in the turn of the user who sent the request. Outside of requests, and in those without a user, there
// are no turns.
func InTurn[T any](ctx context.Context, commit func() (T, error)) (T, error) {
	return inTurn(ctx, func(l *Limits) *turns.Turns { return l.commits }, "changes of users and parties", commit)
}

// OnlyInTurn is [InTurn] for what returns nothing.
func OnlyInTurn(ctx context.Context, commit func() error) error {
	_, err := InTurn(ctx, func() (struct{}, error) { return struct{}{}, commit() })
	return err
}

// OnboardInTurn is [InTurn] for onboardings: they wait for a workflow, and changes that need the database alone do not
// wait for them.
func OnboardInTurn[T any](ctx context.Context, onboard func() (T, error)) (T, error) {
	return inTurn(ctx, func(l *Limits) *turns.Turns { return l.onboardings }, "onboardings", onboard)
}

func inTurn[T any](
	ctx context.Context, of func(*Limits) *turns.Turns, what string, commit func() (T, error),
) (out T, err error) {
	place := callOf(ctx).place
	if place == nil {
		return commit()
	}
	waiting, cancel := context.WithTimeout(ctx, commitWait)
	defer cancel()
	give, err := of(place.limits).Take(waiting, place.who)
	if err != nil {
		if ctx.Err() == nil {
			err = Overloaded(retryAfter, "%d %s are made at once, %d of one user, and this one's turn did not come in %s.",
				DirectCommits, what, UserDirectCommits, commitWait)
		}
		return out, err
	}
	defer give()
	if err := coveredInRecord(ctx); err != nil {
		return out, err
	}
	return commit()
}
