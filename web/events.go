package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// eventsAPI is the API's stream of events: it tells when the ledger has something new for parties.
const eventsAPI = "/v2/updates/events"

// errNoEvents means that the visitor has nothing to follow.
var errNoEvents = errors.New("the visitor has no parties to follow")

// events serves the stream that tells an open page to read its view again. It is the API's own stream, with the visitor's
// token: it counts as one of the user's streams, and ends with the token and the rights. follows returns the API's
// parameters.
func (s *site) events(follows func(v *visit) (url.Values, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := withVisitor(r.Context(), r)
		known, err := s.keys.sessions(ctx)
		if err != nil {
			s.note(ctx, http.StatusServiceUnavailable, err)
			http.Error(w, "The node cannot read its record now.", http.StatusServiceUnavailable)
			return
		}
		one, found := known.read(r)
		if !found || one.Token == "" {
			w.WriteHeader(http.StatusNoContent) // the browser does not ask again
			return
		}
		ctx, cancel := context.WithDeadline(ctx, one.Ends)
		defer cancel()
		v := &visit{w: w, r: r.WithContext(ctx), sessions: known, session: one, api: s.api.With(one.Token)}
		query, err := follows(v)
		if errors.Is(err, errNoEvents) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if hasLeft(r) {
			w.WriteHeader(statusGone)
			return
		}
		if err != nil {
			why := problemOf(err)
			s.note(ctx, why.Status, err)
			http.Error(w, why.What, why.Status)
			return
		}
		stream := r.Clone(ctx)
		stream.URL = &url.URL{Path: eventsAPI, RawQuery: query.Encode()}
		stream.RequestURI = stream.URL.RequestURI()
		stream.Header = http.Header{"Authorization": {"Bearer " + one.Token}, "Accept": {"text/event-stream"}}
		s.API.ServeHTTP(w, stream)
	})
}

// walletEvents follows the party of the visitor's wallet.
func walletEvents(v *visit) (url.Values, error) {
	if _, err := v.overview(); err != nil {
		return nil, err
	}
	if v.party == "" {
		return nil, errNoEvents
	}
	return url.Values{"parties": {v.party}}, nil
}

// explorerEvents follows the parties that the visitor reads as.
func explorerEvents(v *visit) (url.Values, error) {
	as, err := v.reader()
	if err != nil || as.isEverybody() {
		return nil, err
	}
	return url.Values{"parties": as.parties()}, nil
}

// eventsOf is the address of the stream for a view; "" for views that do not change while they are open.
func eventsOf(v *visit, name string) string {
	switch place := placeOf(v.r.URL.Path); {
	case v.session.Token == "":
		return ""
	case place == "wallet" && v.party != "":
		return "/wallet/events"
	case name == "explorer":
		return explorerPath + "/events?" + url.Values{"as": {v.r.URL.Query().Get("as")}}.Encode()
	default:
		return ""
	}
}
