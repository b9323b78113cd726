// Package admission limits callers, so that none of them takes the resources of all. Callers wait for their turn by the
// cost of their requests, or are refused. One table ([Options] and the rows in places.go) has the limits: for all, for
// the users of one identity provider together, and for one user. A [Visit] holds the places of one request.
package admission

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Limits are the limits of one process; its API families share them. They are safe for concurrent use.
type Limits struct {
	// Share lets long code take turns; nil if it never waits. It is set before the first request.
	Share     *turns.Share
	effective atomic.Pointer[settings]
	changing  sync.Mutex
	places    [places]turns.Turns
	users     *Rates
	refusals  *rate.Limiter
}

// settings are the limits with this process's part of the shares of users.
type settings struct {
	Options
	// whole are the limits as set, for all processes together.
	whole     Options
	processes int
	rows      [places]row
}

// New makes limits.
func New(options Options) *Limits {
	options = options.withDefaults()
	l := &Limits{users: NewRates(options.UserRate, options.Now), refusals: rate.NewLimiter(rate.Inf, 1)}
	l.apply(&settings{whole: options, processes: 1})
	return l
}

func (l *Limits) now() *settings { return l.effective.Load() }

// Set changes all limits except the clock. Running requests continue.
func (l *Limits) Set(options Options) {
	l.changing.Lock()
	defer l.changing.Unlock()
	options.Now = l.now().whole.Now
	l.apply(&settings{whole: options.withDefaults(), processes: l.now().processes})
}

// Divide gives this process its part of each user's concurrent requests, rate and streams, which the given number of
// processes share.
func (l *Limits) Divide(processes int) {
	l.changing.Lock()
	defer l.changing.Unlock()
	l.apply(&settings{whole: l.now().whole, processes: max(1, processes)})
}

func (l *Limits) apply(now *settings) {
	now.Options = now.whole
	now.UserRequests = part(now.whole.UserRequests, now.processes)
	now.UserStreams = part(now.whole.UserStreams, now.processes)
	now.UserRate = now.whole.UserRate / float64(now.processes)
	now.rows = now.table()
	l.effective.Store(now)
	for i := range now.rows {
		l.places[i].Set(now.rows[i].Limits)
	}
	l.users.Set(now.UserRate)
	limit := rate.Limit(now.RefusalRate)
	if now.RefusalRate <= 0 || now.Now == nil {
		limit = rate.Inf
	}
	l.refusals.SetLimit(limit)
	l.refusals.SetBurst(max(1, int(now.RefusalRate)))
}

// LimitUsage is the current use of a limit.
type LimitUsage struct {
	Limit string
	// InUse is the used part of Max.
	InUse, Max int64
}

// ListUsage returns the use of the limits of all requests of this process. Limits of one user are not in it: there
// would be as many as users.
func (l *Limits) ListUsage() (uses []LimitUsage) {
	for i, row := range l.now().rows {
		if row.metric != "" {
			uses = append(uses, LimitUsage{Limit: row.metric, InUse: int64(l.places[i].Taken()), Max: int64(row.All)})
		}
	}
	return uses
}

// Caller is the account that a request counts for.
type Caller struct {
	// Account is charged for the request; it has no name if the node asks for no tokens.
	Account turns.Account
	// Anonymous marks callers without a valid token: together they have as much as one user. It is false if the node asks
	// for no tokens.
	Anonymous bool
}

// nobody is the account of all anonymous callers.
const nobody = "\x00nobody"

// CallerOf returns the caller that a token names, if any.
func CallerOf(identity ledger.Identity, authenticated bool) Caller {
	if !authenticated {
		return Caller{Account: turns.Account{Name: nobody}, Anonymous: true}
	}
	return Caller{Account: turns.Account{Name: ledger.IdentityText(identity), Provider: identity.SharedProvider()}}
}

// Crowded refuses a request before any work if the limit of running requests, or of anonymous ones, is reached.
func (l *Limits) Crowded(anonymous bool) error {
	in := requests
	if anonymous {
		in = anonymousRequests
	}
	if short := l.places[in].Short(turns.Account{}); short != turns.NoShortage {
		return l.refusal(in, turns.Account{}, short)
	}
	return nil
}

// Admit counts a request for its user's rate. It refuses a user above its limit of running requests before the server
// reads a body.
func (l *Limits) Admit(caller Caller) error {
	// Health checks are served above the limit of all requests.
	if short := l.places[requests].Short(caller.Account); short != turns.ShortForAll {
		if err := l.refusal(requests, caller.Account, short); err != nil {
			return err
		}
	}
	if caller.Anonymous || caller.Account.Name == "" {
		return nil
	}
	if wait := l.users.Take(caller.Account.Name); wait > 0 {
		now := l.now()
		return Overloaded(wait, "User %q made more than %s requests a second.", caller.Account.Name,
			partText(now.UserRate, now.whole.UserRate, now.processes))
	}
	return nil
}

// OverloadedError refuses a valid request above a limit. The answer is 429 with Retry-After, in the format of the API
// family.
type OverloadedError struct {
	Err error
	// After is the time to wait.
	After time.Duration
}

// Error implements error.
func (o *OverloadedError) Error() string { return o.Err.Error() }

func (o *OverloadedError) Unwrap() error { return o.Err }

// RetryAfter is the time to wait, in full seconds as in the header.
func (o *OverloadedError) RetryAfter() time.Duration { return fullSeconds(o.After) }

// RetryAfter is the time to wait if nobody can know it.
const RetryAfter = time.Second

// Overloaded makes the refusal of a request above a limit. The format and its arguments name the limit.
func Overloaded(after time.Duration, format string, args ...any) error {
	return &OverloadedError{After: after, Err: fault.ServerOverloaded.New(format, args...).
		WithHint(fmt.Sprintf("Wait %s, then try again, with fewer requests at once.", fullSeconds(after)))}
}

func fullSeconds(wait time.Duration) time.Duration {
	return max(time.Second, (wait + time.Second - 1).Truncate(time.Second))
}

// IsOverloaded reports whether an error is an [OverloadedError].
func IsOverloaded(err error) bool {
	_, overloaded := errors.AsType[*OverloadedError](err)
	return overloaded
}
