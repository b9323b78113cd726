package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The defaults of the limits. Rates are not limited by default.
const (
	DefaultMaxDepth        = 256
	DefaultMaxElements     = 10_000
	DefaultMaxRequests     = 1024
	DefaultMaxUserRequests = 256
	DefaultMaxBodyMemory   = 64 << 20
	DefaultMaxValues       = 200_000

	DefaultMaxUserBodyMemory = 24 << 20

	DefaultMaxReads     = 16
	DefaultMaxUserReads = 4

	DefaultMaxAnswer           = 32 << 20
	DefaultMaxAnswerMemory     = 128 << 20
	DefaultMaxUserAnswerMemory = 48 << 20

	DefaultMaxAnonymousRequests = 64
	DefaultAnonymousShare       = 1
)

// LimitOptions say how much callers may ask for. The zero value means the defaults.
type LimitOptions struct {
	// Depth is how deep the JSON of a request may be nested.
	Depth int
	// Elements is how many elements one array, or fields one object, of a request may have.
	Elements int
	// Requests is how many requests may be served at once. Waiting for a slow client does not count.
	Requests int
	// UserRequests is how many requests of one user may be served at once, so that no user takes all of Requests.
	UserRequests int
	// Reads is how many requests that change nothing may be worked on at once: further ones wait. Connections to the
	// database are left for commits, however many read. Waiting for news, or for a slow client, does not count.
	Reads int
	// UserReads is how many of them may be one user's.
	UserReads int
	// AnonymousRequests is how many requests without a usable token may be served or wait for their turn at once;
	// negative: none. They have places of their own, not those of Requests.
	AnonymousRequests int
	// AnonymousShare is how many of them are worked on at once, over time: what is left of the node is for users.
	AnonymousShare float64
	// Values is how many values, with those inside of others, the JSON of a request may have: what is decoded takes up to
	// a hundred times as much as a short value does on the wire.
	Values int
	// BodyMemory is how many bytes of long request bodies may be held and decoded at once. The first 64 KiB of each do
	// not count, so that usual requests are served whatever others send. Requests of open streams may take as much again:
	// of each, the first 4 KiB do not count.
	BodyMemory int64
	// UserBodyMemory is how many of them may be one user's.
	UserBodyMemory int64
	// Answer is how many bytes one answer may have, and how many bytes of the record it may be made of.
	Answer int64
	// AnswerMemory is how many bytes all answers in the making may hold, of the record or made of it, until their clients
	// have them. The first 64 KiB of each do not count, for as many answers as Requests and UserRequests say.
	AnswerMemory int64
	// UserAnswerMemory is how many of them may be one user's.
	UserAnswerMemory int64
	// UserRate is how many requests each user may make in a second; 0 for any number.
	UserRate float64
	// RefusalRate is how many refusals of requests that were one too many are answered in a second, after as many at
	// once; further ones are held back, for ten seconds at most. Clients that ask again at once, whatever they are told,
	// would otherwise take the time that it takes to serve others. 0 holds nothing back.
	RefusalRate float64
	// Now is the clock of the rates; required where there are any.
	Now func() time.Time
}

func (o LimitOptions) withDefaults() LimitOptions {
	o.Depth = cmp.Or(o.Depth, DefaultMaxDepth)
	o.Elements = cmp.Or(o.Elements, DefaultMaxElements)
	o.Requests = cmp.Or(o.Requests, DefaultMaxRequests)
	o.UserRequests = cmp.Or(o.UserRequests, DefaultMaxUserRequests)
	o.Reads = cmp.Or(o.Reads, DefaultMaxReads)
	o.UserReads = cmp.Or(o.UserReads, DefaultMaxUserReads)
	o.Values = cmp.Or(o.Values, DefaultMaxValues)
	o.UserBodyMemory = cmp.Or(o.UserBodyMemory, DefaultMaxUserBodyMemory)
	o.AnonymousRequests = cmp.Or(o.AnonymousRequests, DefaultMaxAnonymousRequests)
	o.AnonymousShare = cmp.Or(o.AnonymousShare, DefaultAnonymousShare)
	o.BodyMemory = cmp.Or(o.BodyMemory, DefaultMaxBodyMemory)
	o.Answer = cmp.Or(o.Answer, DefaultMaxAnswer)
	o.AnswerMemory = cmp.Or(o.AnswerMemory, DefaultMaxAnswerMemory)
	o.UserAnswerMemory = cmp.Or(o.UserAnswerMemory, DefaultMaxUserAnswerMemory)
	return o
}

// Limits keep one caller from taking what is there for all. The frames of a node share them. They are safe for
// concurrent use.
type Limits struct {
	// effective are the limits now.
	effective atomic.Pointer[limitsNow]
	changing  sync.Mutex
	users     *Rates
	// requests are the places of requests with a user, and waiting those of requests that only wait for news; anonymous is
	// what all others have.
	requests  *places
	waiting   *places
	anonymous *anonymous
	// reads are the turns of requests that change nothing.
	reads *turns.Turns
	// commits are the turns of what is committed without a submission, but for onboardings.
	commits     *turns.Turns
	onboardings *turns.Turns
	// streams are the places of streams with a user, so many of each identity provider.
	streams *places
	// bodies are places for the bytes of long bodies.
	bodies *places
	// streamRequests are places for the bytes of the requests of open streams.
	streamRequests *places
	// freeAnswers are the places of answers whose first bytes do not count.
	freeAnswers *places
	// answers are places for the bytes of answers.
	answers *places
	// large is the place of the one answer that may hold more than others.
	large *places
	// refused is how many requests were refused since the log said so last, and told when that was, in Unix nanoseconds.
	refused  atomic.Int64
	told     atomic.Int64
	refusals *rate.Limiter
	// unserved are the answers to what no endpoint serves, since the log said so last.
	unserved tally
}

// limitsNow are limits with what this process has of the shares of users.
type limitsNow struct {
	LimitOptions
	// whole are the limits as they were set, for so many processes together.
	whole     LimitOptions
	processes int
}

// userRequests and userRate are what is said of them.
func (n *limitsNow) userRequests() string {
	return PartText(n.UserRequests, n.whole.UserRequests, n.processes)
}

func (n *limitsNow) userRate() string { return PartText(n.UserRate, n.whole.UserRate, n.processes) }

// Part is what one of so many processes has of a share that they have together: at least one.
func Part(whole, processes int) int { return max(1, whole/max(1, processes)) }

// PartText says a part, and what it is part of.
func PartText[T int | float64](part, whole T, processes int) string {
	if processes <= 1 {
		return fmt.Sprint(whole)
	}
	const decimals = 1000
	return fmt.Sprintf("%v (this process's part of %v for %d processes)",
		math.Round(float64(part)*decimals)/decimals, whole, processes)
}

// NewLimits makes limits.
func NewLimits(options LimitOptions) *Limits {
	options = options.withDefaults()
	l := &Limits{
		users:          NewRates(options.UserRate, options.Now),
		requests:       newPlaces(int64(options.Requests), int64(options.UserRequests)),
		waiting:        newPlaces(int64(options.Requests), int64(options.UserRequests)),
		anonymous:      newAnonymous(options),
		streams:        newPlaces(math.MaxInt64, math.MaxInt64), // what all and each may have is counted by Streams
		reads:          turns.New(turns.Limits{}),
		commits:        turns.New(TurnLimits(DirectCommits, UserDirectCommits)),
		onboardings:    turns.New(TurnLimits(DirectCommits, UserDirectCommits)),
		bodies:         newPlaces(options.BodyMemory, options.UserBodyMemory),
		streamRequests: newPlaces(options.BodyMemory, options.UserBodyMemory),
		answers:        newPlaces(options.AnswerMemory, options.UserAnswerMemory),
		freeAnswers:    newPlaces(int64(options.Requests), int64(options.UserRequests)),
		large:          newPlaces(LargeAnswers, LargeAnswers),
	}
	l.refusals = rate.NewLimiter(rate.Inf, 1)
	l.apply(&limitsNow{whole: options, processes: 1})
	return l
}

func (l *Limits) now() *limitsNow { return l.effective.Load() }

// Set changes the limits, all but the clock. What is being served goes on.
func (l *Limits) Set(options LimitOptions) {
	l.changing.Lock()
	defer l.changing.Unlock()
	options.Now = l.now().whole.Now
	l.apply(&limitsNow{whole: options.withDefaults(), processes: l.now().processes})
}

// Divide has this process take its part of the requests that each user may have served at once, and in a second: so
// many processes serve them together.
func (l *Limits) Divide(processes int) {
	l.changing.Lock()
	defer l.changing.Unlock()
	l.apply(&limitsNow{whole: l.now().whole, processes: max(1, processes)})
}

// TurnLimits are so many turns for all, and so many of them for one user.
func TurnLimits(all, each int) turns.Limits {
	return turns.Limits{All: all, Each: each, Together: int(ledger.ProviderShare(int64(all)))}
}

// ShareStreams changes how many streams there are, of which the users of each identity provider have a share.
func (l *Limits) ShareStreams(all int) { l.streams.share(ledger.ProviderShare(int64(all))) }

func (l *Limits) apply(now *limitsNow) {
	now.LimitOptions = now.whole
	now.UserRequests = Part(now.whole.UserRequests, now.processes)
	now.UserRate = now.whole.UserRate / float64(now.processes)
	l.effective.Store(now)
	l.users.Set(now.UserRate)
	l.requests.resize(int64(now.Requests), int64(now.UserRequests))
	l.waiting.resize(int64(now.Requests), int64(now.UserRequests))
	l.anonymous.set(now.LimitOptions)
	l.bodies.resize(now.BodyMemory, now.UserBodyMemory)
	l.streamRequests.resize(now.BodyMemory, now.UserBodyMemory)
	l.answers.resize(now.AnswerMemory, now.UserAnswerMemory)
	l.freeAnswers.resize(int64(now.Requests), int64(now.UserRequests))
	l.reads.Set(TurnLimits(now.Reads, now.UserReads))
	limit := rate.Limit(now.RefusalRate)
	if now.RefusalRate <= 0 || now.Now == nil {
		limit = rate.Inf
	}
	l.refusals.SetLimit(limit)
	l.refusals.SetBurst(max(1, int(now.RefusalRate)))
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

// retryAfter is what clients are told to wait when nobody can know how long it takes.
const retryAfter = time.Second

// Overloaded makes the refusal of a request that is one too many. The format and its arguments name the limit.
func Overloaded(after time.Duration, format string, args ...any) error {
	return &OverloadedError{After: after, Err: fault.ServerOverloaded.New(format, args...).
		WithHint(fmt.Sprintf("Wait %s, then try again, with fewer requests at once.", fullSeconds(after)))}
}

// fullSeconds is a duration as Retry-After can say it.
func fullSeconds(wait time.Duration) time.Duration {
	return max(time.Second, (wait + time.Second - 1).Truncate(time.Second))
}

// caller is who sends a request.
type caller struct {
	// holder has the places of its requests; without a name for callers without a user.
	holder turns.Account
	// anonymous marks those without a usable token. Who calls a node that asks for no tokens is none of them.
	anonymous bool
}

// crowded refuses a request before anything is done for it when as many as may be are served.
func (l *Limits) crowded() error {
	if l.requests.shortage(turns.Account{}) == shortForAll {
		return l.tooMany()
	}
	return nil
}

func (l *Limits) tooMany() error {
	return Overloaded(retryAfter, "The node serves %d requests at the moment, the most it takes at once.",
		l.now().Requests)
}

// refusal says why there is no place for a request; nil when there is.
func (l *Limits) refusal(who turns.Account, short shortage) error {
	switch short {
	case shortForAll:
		return l.tooMany()
	case shortForProvider:
		return l.requests.ofProvider(who, "requests that are being served")
	case shortForHolder:
		return Overloaded(retryAfter, "%s requests of user %q are being served, the most for one user at once.",
			l.now().userRequests(), who.Name)
	default:
		return nil
	}
}

// enter counts a request that is being served, and says within which time. Call leave when it is answered, unless
// there is a refusal.
func (l *Limits) enter(ctx context.Context, who caller) (within context.Context, leave func(), refusal error) {
	if who.anonymous {
		return l.anonymous.enter(ctx)
	}
	if err := l.refusal(who.holder, l.requests.take(who.holder, 1)); err != nil {
		return nil, nil, err
	}
	place := &place{limits: l, who: who.holder, in: l.requests}
	callOf(ctx).place = place
	return ctx, place.leave, nil
}

// maxHold is how long a refusal is held back at most. A connection and little else waits for it.
const maxHold = 10 * time.Second

// hold holds the answer back when it is a refusal that trying again at once makes worse.
func (l *Limits) hold(ctx context.Context, err error) {
	clock := l.now().Now
	if err == nil || clock == nil || l.refusals.Limit() == rate.Inf {
		return
	}
	_, overloaded := errors.AsType[*OverloadedError](err)
	if !overloaded && !fault.ParticipantBackpressure.Matches(err) {
		return
	}
	wait, cancel := l.refuse(clock)
	over := make(chan struct{})
	defer time.AfterFunc(wait, func() { close(over) }).Stop()
	select {
	case <-over:
	case <-ctx.Done():
		cancel() // for those who stayed
	}
}

// refuse counts a refusal, and says how long it is held back, unless it is cancelled.
func (l *Limits) refuse(clock func() time.Time) (wait time.Duration, cancel func()) {
	now := clock()
	turn := l.refusals.ReserveN(now, 1)
	if wait = turn.DelayFrom(now); wait > maxHold {
		turn.CancelAt(now)
		wait = maxHold
	}
	return wait, func() { turn.CancelAt(clock()) }
}

// admit takes a request from the rate of its user. Who has as many requests that are being served as may be is refused
// before a body is read.
func (l *Limits) admit(who caller) error {
	if short := l.requests.shortage(who.holder); short != shortForAll { // which vital requests may be beside
		if err := l.refusal(who.holder, short); err != nil {
			return err
		}
	}
	if who.holder.Name == "" {
		return nil
	}
	if wait := l.users.Take(who.holder.Name); wait > 0 {
		return Overloaded(wait, "User %q made more than %s requests a second.", who.holder.Name, l.now().userRate())
	}
	return nil
}

// tellInterval is how often the log says that requests are refused: refusing must cost less than serving.
const tellInterval = 10 * time.Second

// countRefusal counts a request that was one too many, and returns how many there were when it is time to say so.
func (l *Limits) countRefusal(now time.Time) (refused int64, tell bool) {
	l.refused.Add(1)
	told := l.told.Load()
	if now.UnixNano()-told < int64(tellInterval) || !l.told.CompareAndSwap(told, now.UnixNano()) {
		return 0, false
	}
	return l.refused.Swap(0), true
}
