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

// DefaultCacheTime is how long a user's rights are cached (upstream's user cache).
const DefaultCacheTime = 5 * time.Second

// cacheSize limits the cached users. At the limit the whole cache is cleared.
const cacheSize = 10_000

// Users reads users and their rights. ok is false if the identity provider does not have the user, even if another one
// has.
type Users interface {
	User(ctx context.Context, identity ledger.Identity) (user ledger.User, ok bool, err error)
	UserRights(ctx context.Context, id string) ([]ledger.Right, error)
}

// Authenticator converts a token, or "" for none, to the caller's claims. For an invalid token the claims refuse
// everything with 401; an error means a valid token whose user may not call.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (Claims, error)
}

// Disabled is the [Authenticator] of a node without authorization: it ignores tokens.
type Disabled struct{}

// Authenticate implements [Authenticator].
func (Disabled) Authenticate(context.Context, string) (Claims, error) { return Wildcard(), nil }

// ResolverOptions configure a [Resolver].
type ResolverOptions struct {
	Verifier Verifier
	Users    Users
	// Now is the clock of the cache.
	Now func() time.Time
	// Operator is the user who gets the parties of users who register; its claims are [Claims.Growing].
	Operator ledger.Identity
	// CacheTime is how long claims are cached; zero means DefaultCacheTime.
	CacheTime time.Duration
}

// Resolver is the [Authenticator] for users of this node. It caches claims for a few seconds, or until it hears of a
// change. It is safe for concurrent use.
type Resolver struct {
	options ResolverOptions

	mu         sync.Mutex
	remembered map[ledger.Identity]rememberedClaims
	// changes counts invalidations, so that a lookup from before a change is not cached after it.
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

// freshLookup is a context key: ignore the cache.
type freshLookup struct{}

// Anew returns a context in which a [Resolver] ignores its cache: for a second check before a refusal, because another
// process may have just granted the right.
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

// RefusedUserError names the user of a validly signed token that is refused.
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

// UserChanged removes a user from the cache, or with "" all users. It does not block for long, so a listener of changes
// may call it.
func (r *Resolver) UserChanged(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
	if id == "" {
		clear(r.remembered)
		return
	}
	maps.DeleteFunc(r.remembered, func(identity ledger.Identity, _ rememberedClaims) bool { return identity.UserID == id })
}

func (r *Resolver) claimsOf(ctx context.Context, identity ledger.Identity) (Claims, error) {
	claims, changes, ok := r.recall(identity)
	if ok && ctx.Value(freshLookup{}) == nil {
		return claims, nil
	}
	claims, err := r.lookUp(ctx, identity)
	if err != nil {
		return Claims{}, err
	}
	r.remember(identity, claims, changes)
	return claims, nil
}

func (r *Resolver) lookUp(ctx context.Context, identity ledger.Identity) (Claims, error) {
	user, ok, err := r.options.Users.User(ctx, identity)
	switch {
	case err != nil:
		return Claims{}, fmt.Errorf("looking up the token's user: %w", err)
	case !ok:
		return Claims{}, invalidToken("the identity provider %q of the token has no user %q", identity.IdentityProviderID,
			identity.UserID)
	case user.IsDeactivated:
		return Claims{}, invalidToken("the token's user %q is deactivated", identity.UserID)
	}
	rights, err := r.options.Users.UserRights(ctx, identity.UserID)
	if err != nil {
		return Claims{}, fmt.Errorf("looking up the rights of the token's user: %w", err)
	}
	claims := NewClaims(user, rights)
	if identity == r.options.Operator {
		claims = claims.Growing()
	}
	return claims, nil
}

func (r *Resolver) recall(identity ledger.Identity) (claims Claims, changes uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry, found := r.remembered[identity]
	if found && r.options.Now().Before(entry.until) {
		return entry.claims, r.changes, true
	}
	return Claims{}, r.changes, false
}

func (r *Resolver) remember(identity ledger.Identity, claims Claims, changes uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if changes != r.changes {
		return
	}
	if len(r.remembered) >= cacheSize {
		clear(r.remembered)
	}
	r.remembered[identity] = rememberedClaims{claims: claims, until: r.options.Now().Add(r.options.CacheTime)}
}

// The context of a refusal of the token's user.
const (
	invalidTokenKey  = "ledger_api_error"
	invalidTokenText = "invalid token"
)

// invalidToken is the 403 for a valid token whose user may not call.
func invalidToken(format string, args ...any) *fault.Fault {
	return denied(format, args...).With(invalidTokenKey, invalidTokenText)
}
