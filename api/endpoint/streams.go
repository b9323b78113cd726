package endpoint

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The default settings of streams.
const (
	DefaultRequestWait    = 30 * time.Second
	DefaultPingInterval   = 30 * time.Second
	DefaultClientPatience = time.Minute
)

const (
	// recheckTimeout limits one lookup of rights, and how long a stream waits for its check before it ends.
	recheckTimeout = 5 * time.Second
	// maxChanged limits how many changed users are stored by name.
	maxChanged = 4096
	// recheckers limits concurrent checks of one identity provider's streams.
	recheckers = 8
	// recheckPause is the delay of a postponed check.
	recheckPause = 50 * time.Millisecond
)

// StreamOptions are the settings of streams. The zero value means the defaults.
type StreamOptions struct {
	// RequestWait is the maximum time until the client's request.
	RequestWait time.Duration
	// PingInterval is the time between pings, which keep proxies from closing the connection as idle.
	PingInterval time.Duration
	// ClientPatience is the maximum time for a client to read a frame or to answer a ping.
	ClientPatience time.Duration
}

// Streams is the registry of the open streams of this process. It ends streams of users whose rights changed, and all
// streams when the node stops. It is safe for concurrent use.
type Streams struct {
	options StreamOptions

	mu     sync.Mutex
	count  int
	byUser map[ledger.Identity]map[*openStream]struct{}
	// changes counts the changes of users; changed has the number of each user's last change. A stream compares them with
	// the count before its authentication, so that it misses no change. Changes up to forgotten are not stored by user.
	changes   uint64
	changed   map[string]uint64
	forgotten uint64
	// toRecheck are the queued streams, each at most once; rechecking is set while a goroutine works on the queue. Both
	// are by identity provider, so that no provider waits for another one's tokens.
	toRecheck  map[string]map[*openStream]struct{}
	rechecking map[string]bool
	stopping   bool
	// drained is closed when the node stops and the last stream has ended.
	drained chan struct{}
}

// openStream is one stream in the registry.
type openStream struct {
	// claims are the caller's at authentication; given replaces them after a new read of the rights.
	claims auth.Claims
	given  atomic.Pointer[auth.Claims]
	// authenticate looks up the caller's current rights.
	authenticate func() (auth.Claims, error)
	// waiting is the timer of a postponed check; only the check uses it. late is true after the timer ran out.
	waiting *time.Timer
	late    atomic.Bool
	end     context.CancelCauseFunc
	// refusal is set if the stream gets nothing but an error. leave takes the stream out of the registry.
	refusal error
	leave   func()
}

// NewStreams makes an empty registry.
func NewStreams(options StreamOptions) *Streams {
	if options.RequestWait == 0 {
		options.RequestWait = DefaultRequestWait
	}
	if options.PingInterval == 0 {
		options.PingInterval = DefaultPingInterval
	}
	if options.ClientPatience == 0 {
		options.ClientPatience = DefaultClientPatience
	}
	return &Streams{
		options: options, byUser: make(map[ledger.Identity]map[*openStream]struct{}),
		drained: make(chan struct{}), changed: make(map[string]uint64), toRecheck: make(map[string]map[*openStream]struct{}),
		rechecking: make(map[string]bool),
	}
}

// Open returns the number of open streams.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Close ends all streams with ABORTED_DUE_TO_SHUTDOWN and refuses new ones. It returns when all clients have the error,
// or with the error of ctx.
func (s *Streams) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.stopping {
		s.stopping = true
		for _, streams := range s.byUser {
			for open := range streams {
				open.end(abortedByShutdown())
			}
		}
		s.drain()
	}
	s.mu.Unlock()
	select {
	case <-s.drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// seen returns the number of changes of users so far.
func (s *Streams) seen() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes
}

// add registers a stream and returns the function that removes it; changes is the result of seen before its
// authentication. A stream that a stopping node refuses is registered too, until its client has the error.
func (s *Streams) add(open *openStream, changes uint64) (remove func(), refusal error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user := open.claims.Identity()
	if s.byUser[user] == nil {
		s.byUser[user] = make(map[*openStream]struct{})
	}
	s.byUser[user][open] = struct{}{}
	s.count++
	if changes < max(s.forgotten, s.changed[user.UserID]) {
		s.recheck(map[*openStream]struct{}{open: {}})
	}
	if s.stopping {
		refusal = abortedByShutdown()
	}
	return func() { s.remove(open) }, refusal
}

// renew stores new rights of a stream and queues one more check: they may have changed again meanwhile.
func (s *Streams) renew(open *openStream, claims auth.Claims) {
	open.take(claims)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recheck(map[*openStream]struct{}{open: {}})
}

func (s *Streams) remove(open *openStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user := open.claims.Identity()
	delete(s.byUser[user], open)
	delete(s.toRecheck[user.IdentityProviderID], open)
	if len(s.byUser[user]) == 0 {
		delete(s.byUser, user)
	}
	s.count--
	s.drain()
}

// drain tells Close that the last stream has ended. The caller holds the lock.
func (s *Streams) drain() {
	if s.stopping && s.count == 0 {
		select {
		case <-s.drained: // closed already; this is a later, refused stream
		default:
			close(s.drained)
		}
	}
}

func abortedByShutdown() error {
	return fault.AbortedDueToShutdown.New("The node is stopping.").
		WithHint("Open the stream again when the node is back, from the last offset that you received.")
}
