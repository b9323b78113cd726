package endpoint

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// secondLooks limits concurrent reads of rights after a refusal, with two queries each. A refusal costs the client
// nothing, so it must not use up the database connections.
const secondLooks = 4

// lookAgain authenticates a token with the user's rights from the record, for few requests at a time.
func (f *Server) lookAgain(ctx context.Context, token string) (auth.Claims, error) {
	select {
	case f.lookups <- struct{}{}:
	case <-ctx.Done():
		return auth.Claims{}, ctx.Err()
	}
	defer func() { <-f.lookups }()
	return f.again(auth.Anew(ctx), token)
}

// Renew refreshes the caller's claims, for requests that take a right from their own caller and continue: an operator's
// user that offboards others loses its rights for their parties.
func Renew(ctx context.Context) error { return renew(ctx) }

// renew refreshes the caller's claims, because a client may take long to send its body. It returns an error for a
// caller who may no longer call at all.
func renew(ctx context.Context) error {
	current := callOf(ctx)
	claims, err := current.claimsNow(false)
	if err != nil {
		return err
	}
	current.claims = claims.InPlaceOf(current.claims)
	return nil
}

// checkRights refuses a caller who lost a right that the request has used. It runs just before an endpoint and after
// each wait for a turn. Other lost rights are lost from then on. The operator's user loses parties whenever others are
// offboarded: it continues if the endpoint still permits it.
func checkRights(ctx context.Context) error { return checkRightsBy(ctx, false) }

// checkRightsInRecord is [checkRights] with the rights of the record. It runs right before a commit that has no check
// of its own: another process may have just revoked a right.
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

func rightLost(before auth.Claims) error {
	return fault.PermissionDenied.New("The caller lost a right while the node processed the request. Send the " +
		"request again. The node then checks your current rights.").Wrap(fmt.Errorf("user %q lost a right", before.UserID()))
}

// claimsNow returns the caller's current claims. Callers without a valid token have none to lose.
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

// withNewRights runs a function. If it fails for lack of a right, withNewRights reads the caller's rights from the
// record and runs it again if they have grown: processes hear of each other's changes within milliseconds, but a client
// can be faster. It does not repeat a request that has submitted something (see [Submitting]), and does not use claims
// that lack an earlier right, because that right may have permitted other things.
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
	if current.onNewRights != nil {
		current.onNewRights(claims)
	}
	current.begin()
	return do()
}

// Submitting marks the request as submitting: it will not run again for new rights. Call it before each submission.
func Submitting(ctx context.Context) { callOf(ctx).submitted.Store(true) }

// doWithNewRights is [withNewRights] without a result.
func doWithNewRights(ctx context.Context, do func() error) error {
	_, err := withNewRights(ctx, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
