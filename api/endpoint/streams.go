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

// The defaults of the settings of streams.
const (
	DefaultRequestWait    = 30 * time.Second
	DefaultPingInterval   = 30 * time.Second
	DefaultClientPatience = time.Minute
)

const (
	// recheckTimeout bounds one lookup of what a user may do now, and how long streams wait for theirs: those that have
	// waited for longer end.
	recheckTimeout = 5 * time.Second
	// maxChanged is how many users' changes are told apart.
	maxChanged = 4096
	// recheckers is how many streams of one identity provider's users are checked at once.
	recheckers = 8
	// recheckPause is how long a check is put off for which the tokens of its issuer leave no turn now.
	recheckPause = 50 * time.Millisecond
)

// StreamOptions are the settings of streams. The zero value means the defaults.
type StreamOptions struct {
	// RequestWait is how long a client may take to send its request.
	RequestWait time.Duration
	// PingInterval is how often a connection is made sure of, so that nothing on the way takes it for unused.
	PingInterval time.Duration
	// ClientPatience is how long a client may take to accept a frame or to answer a ping before it counts as gone.
	ClientPatience time.Duration
}

// Streams knows the streams that are open in this process: it ends those whose user's rights changed, and all of them when
// the node stops. It is safe for concurrent use.
type Streams struct {
	options StreamOptions

	mu     sync.Mutex
	count  int
	byUser map[ledger.Identity]map[*openStream]struct{}
	// changes counts the changes of users; changed has the number of each user's last one. A stream compares them with
	// the count before its authentication, so that no change in between is missed. Changes up to forgotten are no longer
	// told apart by user.
	changes   uint64
	changed   map[string]uint64
	forgotten uint64
	// toRecheck are streams whose rights must be looked up again, each once however often their user changes meanwhile;
	// rechecking is set while somebody does. Both are by identity provider, so that none waits for tokens of another's
	// users.
	toRecheck  map[string]map[*openStream]struct{}
	rechecking map[string]bool
	stopping   bool
	// drained is closed, when the node stops, as soon as no stream is open.
	drained chan struct{}
}

// openStream is what the registry knows of one stream.
type openStream struct {
	// claims are the caller's when it was authenticated; given takes their place once the rights were read again.
	claims auth.Claims
	given  atomic.Pointer[auth.Claims]
	// authenticate looks up what the caller may do now.
	authenticate func() (auth.Claims, error)
	// waiting runs while the check that is to be made is put off; only the check itself uses it. late is true when it has
	// run out.
	waiting *time.Timer
	late    atomic.Bool
	// end makes the stream end with an error.
	end context.CancelCauseFunc
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

// Open is how many streams are open.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Close ends all streams with ABORTED_DUE_TO_SHUTDOWN, refuses new ones from then on, and returns when the clients have
// been told, or with the error of ctx.
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

// seen is how many changes of users there have been.
func (s *Streams) seen() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes
}

// add registers a stream, and returns how to remove it; changes is what seen returned before it was authenticated. A
// stream that is refused because the node stops is registered too: it is open until its client has been told.
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

// renew notes with which rights a stream goes on, and checks them once more: they may have changed again in between.
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
		case <-s.drained: // a stream that came later and was refused
		default:
			close(s.drained)
		}
	}
}

func abortedByShutdown() error {
	return fault.AbortedDueToShutdown.New("The node is stopping.").
		WithHint("Open the stream again when the node is back, from the last offset that you received.")
}
