// Package admission says who waits and who is refused, so that no caller takes what is there for all: an account waits
// its turn by what it costs. One table ([Options] and the rows in places.go) says how many there are of what, for all,
// for the users of one identity provider together, and for one user. A [Visit] is what one request has of it.
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

// Limits are those of one process, whose API families share them. They are safe for concurrent use.
type Limits struct {
	effective atomic.Pointer[settings]
	changing  sync.Mutex
	places    [places]turns.Turns
	users     *Rates
	refusals  *rate.Limiter
}

// settings are limits with what this process has of the shares of users.
type settings struct {
	Options
	// whole are the limits as they were set, for so many processes together.
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

// Set changes the limits, all but the clock. What is being served goes on.
func (l *Limits) Set(options Options) {
	l.changing.Lock()
	defer l.changing.Unlock()
	options.Now = l.now().whole.Now
	l.apply(&settings{whole: options.withDefaults(), processes: l.now().processes})
}

// Divide has this process take its part of the requests that each user may have served at once, and in a second, and of
// its streams: so many processes serve them together.
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

// Use is how much of a limit is taken at the moment.
type Use struct {
	// Limit names it.
	Limit string
	// InUse of Max are taken.
	InUse, Max int64
}

// Uses are how much is taken of what all requests of this process may have together. What one user may have
// is not among it: there are as many of those as there are users.
func (l *Limits) Uses() (uses []Use) {
	for i, row := range l.now().rows {
		if row.metric != "" {
			uses = append(uses, Use{Limit: row.metric, InUse: int64(l.places[i].Taken()), Max: int64(row.All)})
		}
	}
	return uses
}

// Caller is for whom a request counts.
type Caller struct {
	// Account has what the request takes; without a name where a node asks for no tokens.
	Account turns.Account
	// Anonymous marks those without a usable token: together they have as much as one user. Who calls a node that asks for
	// no tokens is none of them.
	Anonymous bool
}

// nobody has what all callers without a usable token take.
const nobody = "\x00nobody"

// CallerOf is the caller that a token names, if it names one.
func CallerOf(who ledger.Identity, authenticated bool) Caller {
	if !authenticated {
		return Caller{Account: turns.Account{Name: nobody}, Anonymous: true}
	}
	return Caller{Account: turns.Account{Name: ledger.IdentityText(who), Provider: who.SharedProvider()}}
}

// Crowded refuses a request before anything is done for it when as many as may be are served, or of those without a
// usable token.
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

// Admit takes a request from the rate of its user. Who has as many requests that are being served as may be is refused
// before a body is read.
func (l *Limits) Admit(who Caller) error {
	// Requests that tell how the node is are served beside as many as there may be.
	if short := l.places[requests].Short(who.Account); short != turns.ShortForAll {
		if err := l.refusal(requests, who.Account, short); err != nil {
			return err
		}
	}
	if who.Anonymous || who.Account.Name == "" {
		return nil
	}
	if wait := l.users.Take(who.Account.Name); wait > 0 {
		now := l.now()
		return Overloaded(wait, "User %q made more than %s requests a second.", who.Account.Name,
			partText(now.UserRate, now.whole.UserRate, now.processes))
	}
	return nil
}

// OverloadedError is the refusal of a request that is good, but one too many: it is answered with 429 and Retry-After,
// in the form of the family.
type OverloadedError struct {
	Err error
	// After is how long to wait.
	After time.Duration
}

// Error implements error.
func (o *OverloadedError) Error() string { return o.Err.Error() }

// Unwrap returns the error itself.
func (o *OverloadedError) Unwrap() error { return o.Err }

// RetryAfter is how long to wait, as that header can say it.
func (o *OverloadedError) RetryAfter() time.Duration { return fullSeconds(o.After) }

// RetryAfter is what clients are told to wait when nobody can know how long it takes.
const RetryAfter = time.Second

// Overloaded makes the refusal of a request that is one too many. The format and its arguments name the limit.
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
