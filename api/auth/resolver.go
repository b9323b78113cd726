package auth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// DefaultCacheTime is how long a user's rights are remembered (upstream's user cache).
const DefaultCacheTime = 5 * time.Second

// cacheSize bounds the remembered users. Reaching it forgets all of them, which costs a lookup each.
const cacheSize = 10_000

// Users is where users and their rights come from. A user that the identity provider does not have, whoever else has,
// has ok false and no rights.
type Users interface {
	User(ctx context.Context, who ledger.Identity) (user ledger.User, ok bool, err error)
	UserRights(ctx context.Context, id string) ([]ledger.Right, error)
}

// Authenticator turns a token, or "" for none, into the caller's claims. A token that does not verify yields claims
// that refuse everything with 401; an error is for tokens that are fine but name nobody who may call.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (Claims, error)
}

// Disabled is the [Authenticator] of a node without authorization: it does not look at tokens.
type Disabled struct{}

// Authenticate implements [Authenticator].
func (Disabled) Authenticate(context.Context, string) (Claims, error) { return Wildcard(), nil }

// ResolverOptions are the parts of a [Resolver].
type ResolverOptions struct {
	Verifier Verifier
	Users    Users
	// Now is the clock of the cache.
	Now func() time.Time
	// Operator is the user to whom the node gives the party of whoever registers; its claims are [Claims.Growing].
	Operator ledger.Identity
	// CacheTime is how long claims are remembered at most; zero means DefaultCacheTime.
	CacheTime time.Duration
}

// Resolver is the [Authenticator] for users of this node. It remembers claims for a few seconds, and less when told of
// changes. It is safe for concurrent use.
type Resolver struct {
	options ResolverOptions

	mu         sync.Mutex
	remembered map[ledger.Identity]rememberedClaims
	// changes counts what was forgotten, so that a lookup that began before a change is not remembered after it.
	changes uint64
}

type rememberedClaims struct {
	claims Claims
	until  time.Time
}

// NewResolver makes a Resolver.
func NewResolver(options ResolverOptions) (*Resolver, error) {
	if options.Verifier == nil || options.Users == nil || options.Now == nil {
		return nil, errors.New("a resolver needs a verifier, users and a clock")
	}
	if options.CacheTime == 0 {
		options.CacheTime = DefaultCacheTime
	}
	return &Resolver{options: options, remembered: make(map[ledger.Identity]rememberedClaims)}, nil
}

// freshLookup is the key of a context under which nothing that was remembered of users counts.
type freshLookup struct{}

// Anew is a context under which a [Resolver] looks up the user of a token, whatever it remembers: before a caller is
// refused for want of a right that another process may have given a moment ago.
func Anew(ctx context.Context) context.Context { return context.WithValue(ctx, freshLookup{}, true) }

// Authenticate implements [Authenticator]. Its errors: INVALID_TOKEN for a malformed user id, a 403 for users that are
// unknown, deactivated or of another identity provider than the token, and whatever the lookup fails with.
func (r *Resolver) Authenticate(ctx context.Context, token string) (Claims, error) {
	if token == "" {
		return Claims{}, nil
	}
	verified, err := r.options.Verifier.Verify(ctx, token)
	if err != nil {
		if fault.Unauthenticated.Matches(err) {
			return Unauthenticated(err), nil
		}
		return Claims{}, err
	}
	if err := ledger.CheckUserID(verified.UserID); err != nil {
		return Claims{}, fault.MissingUserID(err.Error()).With(invalidTokenKey, invalidTokenText)
	}
	claims, err := r.claimsOf(ctx, verified.Identity)
	claims.expires = verified.ExpiresAt // of this token: what is remembered is of the user
	return claims, refuseUser(verified.UserID, err)
}

// RefusedUserError says of which user a token was, whose signature is good, that lets nobody call.
type RefusedUserError struct {
	UserID string
	reason error
}

// Error implements error.
func (e *RefusedUserError) Error() string { return e.reason.Error() }

// Unwrap returns why.
func (e *RefusedUserError) Unwrap() error { return e.reason }

func refuseUser(userID string, reason error) error {
	if reason == nil {
		return nil
	}
	return &RefusedUserError{UserID: userID, reason: reason}
}

// UserChanged forgets a user whose record or rights changed, or with "" all users. It never blocks for long: a listener
// of changes may call it.
func (r *Resolver) UserChanged(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
	if id == "" {
		clear(r.remembered)
		return
	}
	maps.DeleteFunc(r.remembered, func(who ledger.Identity, _ rememberedClaims) bool { return who.UserID == id })
}

func (r *Resolver) claimsOf(ctx context.Context, who ledger.Identity) (Claims, error) {
	claims, changes, ok := r.recall(who)
	if ok && ctx.Value(freshLookup{}) == nil {
		return claims, nil
	}
	claims, err := r.lookUp(ctx, who)
	if err != nil {
		return Claims{}, err
	}
	r.remember(who, claims, changes)
	return claims, nil
}

func (r *Resolver) lookUp(ctx context.Context, who ledger.Identity) (Claims, error) {
	user, ok, err := r.options.Users.User(ctx, who)
	switch {
	case err != nil:
		return Claims{}, fmt.Errorf("looking up the token's user: %w", err)
	case !ok:
		return Claims{}, invalidToken("the identity provider %q of the token has no user %q", who.IdentityProviderID,
			who.UserID)
	case user.IsDeactivated:
		return Claims{}, invalidToken("the token's user %q is deactivated", who.UserID)
	}
	rights, err := r.options.Users.UserRights(ctx, who.UserID)
	if err != nil {
		return Claims{}, fmt.Errorf("looking up the rights of the token's user: %w", err)
	}
	claims := NewClaims(user, rights)
	if who == r.options.Operator {
		claims = claims.Growing()
	}
	return claims, nil
}

func (r *Resolver) recall(who ledger.Identity) (claims Claims, changes uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry, found := r.remembered[who]
	if found && r.options.Now().Before(entry.until) {
		return entry.claims, r.changes, true
	}
	return Claims{}, r.changes, false
}

func (r *Resolver) remember(who ledger.Identity, claims Claims, changes uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if changes != r.changes {
		return
	}
	if len(r.remembered) >= cacheSize {
		clear(r.remembered)
	}
	r.remembered[who] = rememberedClaims{claims: claims, until: r.options.Now().Add(r.options.CacheTime)}
}

// What clients find in the context of a refusal that concerns the token's user.
const (
	invalidTokenKey  = "ledger_api_error"
	invalidTokenText = "invalid token"
)

// invalidToken is the 403 for a token that verifies but whose user may not call.
func invalidToken(format string, args ...any) *fault.Fault {
	return denied(format, args...).With(invalidTokenKey, invalidTokenText)
}
