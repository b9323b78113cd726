package endpoint

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// secondLooks is how many callers' rights are read again at once, each by two queries: refusals are for free, and must
// not take the connections of the database.
const secondLooks = 4

// lookAgain authenticates a token by what the record has now, in one of the few places for that.
func (f *Server) lookAgain(ctx context.Context, token string) (auth.Claims, error) {
	select {
	case f.looking <- struct{}{}:
	case <-ctx.Done():
		return auth.Claims{}, ctx.Err()
	}
	defer func() { <-f.looking }()
	return f.again(auth.Anew(ctx), token)
}

// Renew has the caller's claims be those of now, for requests that take a right from their own caller and go on: an
// operator's user that offboards others loses the parties that it got with them.
func Renew(ctx context.Context) error { return renew(ctx) }

// renew has the caller's claims be those of now: a client may take long to send what follows the head of its request.
// The error refuses a caller who may no longer call at all.
func renew(ctx context.Context) error {
	current := callOf(ctx)
	claims, err := current.claimsNow(false)
	if err != nil {
		return err
	}
	current.claims = claims.InPlaceOf(current.claims)
	return nil
}

// checkRights refuses callers who have lost a right by which something was permitted since it was looked at. It is asked
// just before an endpoint is called, and after each wait for a turn. Other rights that are gone count as gone from then
// on. The operator's user loses parties whenever others are offboarded: it goes on if the endpoint still permits it.
func checkRights(ctx context.Context) error { return checkRightsBy(ctx, false) }

// checkRightsInRecord is [checkRights] by what the record has now, for what is committed right behind it without being asked
// again: another process may have taken a right a moment ago.
func checkRightsInRecord(ctx context.Context) error { return checkRightsBy(ctx, true) }

func checkRightsBy(ctx context.Context, anew bool) error {
	current := callOf(ctx)
	claims, err := current.claimsNow(anew)
	if err != nil {
		return err
	}
	before := current.claims
	switch {
	case claims.Covers(before):
		return nil
	case claims.Permits(before):
		current.claims = claims.InPlaceOf(before)
		return nil
	case claims.CoversButParties(before) && current.permits != nil:
		if current.claims = claims.InPlaceOf(before); current.permits(ctx) == nil {
			return nil
		}
		current.claims = before
	}
	return rightLost(before)
}

// rightLost refuses a caller who has lost a right on the way.
func rightLost(before auth.Claims) error {
	return fault.PermissionDenied.New("The caller lost a right while the node processed the request. Send it again: " +
		"the node then checks the remaining rights.").Wrap(fmt.Errorf("user %q lost a right", before.UserID()))
}

// claimsNow are the claims of the caller as they are now. Callers without a usable token have none to lose.
func (c *call) claimsNow(anew bool) (auth.Claims, error) {
	if c.authenticate == nil || !c.claims.Authenticated() {
		return c.claims, nil
	}
	claims, err := c.authenticate(anew)
	if fault.ServerOverloaded.Matches(err) {
		return auth.Claims{}, &admission.OverloadedError{Err: err, After: admission.RetryAfter}
	}
	if err != nil {
		return auth.Claims{}, err
	}
	return claims, claims.Require()
}

// withNewRights does something for the caller. When that is refused for want of a right, the caller's rights are read once
// more from the record, and where there are further ones it is done again: a process hears of what another one has
// changed within milliseconds, but a client that was told of a new right may ask sooner. What has submitted something
// is not done again, whatever it was refused for after that: see [Submitting]. Claims that lack one of before are not
// taken: by that one other things may have been permitted.
func withNewRights[T any](ctx context.Context, do func() (T, error)) (T, error) {
	result, err := do()
	current := callOf(ctx)
	if !fault.PermissionDenied.Matches(err) || current.lookAgain == nil || current.submitted.Load() {
		return result, err
	}
	claims, failed := current.lookAgain(ctx)
	if failed != nil || !claims.Authenticated() || !claims.Covers(current.claims) || current.claims.Covers(claims) {
		return result, err
	}
	current.claims = claims.InPlaceOf(current.claims)
	if current.regranted != nil {
		current.regranted(claims)
	}
	current.begin()
	return do()
}

// Submitting notes that the request submits something: it is not served again when it is refused for want of a right
// after that. Call it before each submission.
func Submitting(ctx context.Context) { callOf(ctx).submitted.Store(true) }

// doWithNewRights is [withNewRights] for what has no result.
func doWithNewRights(ctx context.Context, do func() error) error {
	_, err := withNewRights(ctx, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
