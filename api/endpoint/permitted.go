package endpoint

import (
	"context"

	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/fault"
)

// secondLooks is how many callers' rights are read again at once, each by two queries: refusals are for free, and must
// not take the connections of the database.
const secondLooks = 4

// lookAgain authenticates a token by what the record has now, in one of the few places for that.
func (f *Frame) lookAgain(ctx context.Context, token string) (auth.Claims, error) {
	select {
	case f.looking <- struct{}{}:
	case <-ctx.Done():
		return auth.Claims{}, ctx.Err()
	}
	defer func() { <-f.looking }()
	return f.authenticator(auth.Anew(ctx), token)()
}

// permitted does something for the caller. When that is refused for want of a right, the caller's rights are read once
// more from the record, and where they have changed it is done again: a process hears of what another one has changed
// within milliseconds, but a client that was told of a new right may ask sooner. What is refused has changed nothing.
func permitted[T any](ctx context.Context, do func() (T, error)) (T, error) {
	result, err := do()
	current := callOf(ctx)
	if !fault.PermissionDenied.Matches(err) || current.lookAgain == nil {
		return result, err
	}
	claims, failed := current.lookAgain()
	if failed != nil || !claims.Authenticated() || claims.Keeps(current.claims) && current.claims.Keeps(claims) {
		return result, err
	}
	current.claims = claims
	if current.regranted != nil {
		current.regranted(claims)
	}
	current.begin()
	return do()
}

// permittedNow is [permitted] for what has no result.
func permittedNow(ctx context.Context, do func() error) error {
	_, err := permitted(ctx, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
