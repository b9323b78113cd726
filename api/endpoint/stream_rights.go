package endpoint

import (
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// What ends a stream when its token expires, or the rights of its user change.

// UserChanged rechecks the streams of a user, or with "" all streams. It ends streams whose rights changed with
// STALE_STREAM_AUTHORIZATION. It does not block, so a listener of changes may call it. Clear the authenticator's cache
// of the user first.
func (s *Streams) UserChanged(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(id)
	for user, streams := range s.byUser {
		if id == "" || user.UserID == id {
			s.recheck(streams)
		}
	}
}

// note counts a change of a user, or with "" of all users. The caller holds the lock.
func (s *Streams) note(id string) {
	s.changes++
	if id == "" || len(s.changed) >= maxChanged {
		clear(s.changed)
		s.forgotten = s.changes
		return
	}
	s.changed[id] = s.changes
}

// recheck queues streams for a check. The caller holds the lock.
func (s *Streams) recheck(streams map[*openStream]struct{}) {
	for open := range streams {
		provider := open.claims.Identity().IdentityProviderID
		if s.toRecheck[provider] == nil {
			s.toRecheck[provider] = make(map[*openStream]struct{})
		}
		s.toRecheck[provider][open] = struct{}{}
		if !s.rechecking[provider] {
			s.rechecking[provider] = true
			go s.recheckAll(provider)
		}
	}
}

// recheckAll checks the queued streams of one identity provider, a few at a time, because thousands of concurrent
// checks would overload the database. Every stream in the queue is checked within twice the timeout, or ends.
func (s *Streams) recheckAll(provider string) {
	for {
		s.mu.Lock()
		streams := slices.Collect(maps.Keys(s.toRecheck[provider]))
		delete(s.toRecheck, provider)
		if len(streams) == 0 {
			delete(s.rechecking, provider)
		}
		s.mu.Unlock()
		if len(streams) == 0 {
			return
		}
		if later := checkAll(streams); len(later) > 0 {
			time.AfterFunc(recheckPause, func() { s.checkAgain(later) })
		}
	}
}

// checkAgain queues postponed checks of streams that are still open.
func (s *Streams) checkAgain(streams []*openStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	still := make(map[*openStream]struct{}, len(streams))
	for _, open := range streams {
		if _, ok := s.byUser[open.claims.Identity()][open]; ok {
			still[open] = struct{}{}
		}
	}
	s.recheck(still)
}

// checkAll checks streams, and returns those with a postponed check.
func checkAll(streams []*openStream) []*openStream {
	late := make(chan struct{})
	defer time.AfterFunc(recheckTimeout, func() { close(late) }).Stop()
	var checks errgroup.Group
	checks.SetLimit(recheckers)
	putOff := make([]bool, len(streams))
	for i, open := range streams {
		checks.Go(func() error {
			select {
			case <-late:
				open.endStale(errors.New("its rights could not be looked up in time"))
			default:
				putOff[i] = open.check()
			}
			return nil
		})
	}
	_ = checks.Wait() // a check ends a stream, and does not fail
	var later []*openStream
	for i, open := range streams {
		if putOff[i] {
			later = append(later, open)
		}
	}
	return later
}

// check ends the stream unless its token still gives the same rights. A failed lookup ends it too: the client
// reconnects and gets the reason. If too many tokens of the issuer wait, the check is postponed for up to
// recheckTimeout.
func (o *openStream) check() (putOff bool) {
	claims, err := o.authenticate()
	if fault.ServerOverloaded.Matches(err) && !o.late.Load() {
		if o.waiting == nil {
			o.waiting = time.AfterFunc(recheckTimeout, func() { o.late.Store(true) })
		}
		return true
	}
	if o.waiting != nil && o.waiting.Stop() {
		o.waiting = nil
	}
	if err == nil && claims.Keeps(o.now()) {
		return false
	}
	o.endStale(err)
	return false
}

// take stores the rights of the stream after another process granted more.
func (o *openStream) take(claims auth.Claims) { o.given.Store(&claims) }

// now returns the rights that the stream runs with.
func (o *openStream) now() auth.Claims {
	if given := o.given.Load(); given != nil {
		return *given
	}
	return o.claims
}

func (o *openStream) endStale(err error) { o.end(rightsChanged(o.claims, err)) }

func rightsChanged(claims auth.Claims, err error) error {
	return fault.StaleStreamAuthorization.New("The rights of user %q changed while the stream was open.",
		claims.UserID()).Wrap(err)
}

// stale converts a refusal of an admitted caller, who must have lost a right since.
func stale(claims auth.Claims, err error) error {
	if fault.PermissionDenied.Matches(err) {
		return rightsChanged(claims, err)
	}
	return err
}
