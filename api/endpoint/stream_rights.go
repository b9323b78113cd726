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

// UserChanged looks up the rights of a user's streams again, or with "" those of all streams, and ends streams whose
// caller is no longer the same with STALE_STREAM_AUTHORIZATION. It does not wait for that: a listener of changes may
// call it. What the authenticator remembers of the user must have been forgotten before.
func (s *Streams) UserChanged(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(id)
	for who, streams := range s.byUser {
		if id == "" || who.UserID == id {
			s.recheck(streams)
		}
	}
}

// note counts a change of a user, or with "" of all. The caller holds the lock.
func (s *Streams) note(id string) {
	s.changes++
	if id == "" || len(s.changed) >= maxChanged {
		clear(s.changed)
		s.forgotten = s.changes
		return
	}
	s.changed[id] = s.changes
}

// recheck has streams checked again. The caller holds the lock.
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

// recheckAll checks streams of an identity provider's users, a few at once, until none is left: thousands at once would
// ask the database thousands of times what it answers once. All those that are to be checked now are checked within
// twice the timeout, or end.
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

// checkAgain has streams checked whose check was put off, those of them that are still open.
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

// checkAll checks streams, and returns those whose check is put off.
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

// check ends the stream unless its token still gives the same rights. A lookup that fails ends it too: the client comes
// back, and is then told what is the matter. Where too many tokens of the issuer wait, nothing is known of this one:
// the check is put off, until the stream has waited for recheckTimeout.
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

// take notes with which rights the stream goes on, which another process gave its user.
func (o *openStream) take(claims auth.Claims) { o.given.Store(&claims) }

// now are the rights with which the stream was let in.
func (o *openStream) now() auth.Claims {
	if given := o.given.Load(); given != nil {
		return *given
	}
	return o.claims
}

func (o *openStream) endStale(err error) { o.end(rightsChanged(o.claims, err)) }

// rightsChanged is the end of a stream whose caller is no longer the same.
func rightsChanged(claims auth.Claims, err error) error {
	return fault.StaleStreamAuthorization.New("The rights of user %q changed while the stream was open.",
		claims.UserID()).Wrap(err)
}

// stale is the error of a check whose caller was let in: whoever is refused now has lost a right since.
func stale(claims auth.Claims, err error) error {
	if fault.PermissionDenied.Matches(err) {
		return rightsChanged(claims, err)
	}
	return err
}
