package endpoint_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/endpoint"
)

// waitFrom sends a request without a token from an address, to an endpoint that waits.
func (l *limited) waitFrom(address string) {
	l.group.Go(func() { l.answers <- l.from(address, http.MethodPost, "/wait").Code })
}

// askFrom sends a request without a token from an address, to an endpoint that answers at once.
func (l *limited) askFrom(address string) *httptest.ResponseRecorder {
	return l.from(address, http.MethodGet, "/open")
}

func (l *limited) from(address, method, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(l.t.Context(), method, path, strings.NewReader(`{}`))
	r.RemoteAddr = address
	recorder := httptest.NewRecorder()
	l.handler.ServeHTTP(recorder, r)
	return recorder
}

// letIn waits until one more request is served.
func (l *limited) letIn() {
	l.t.Helper()
	select {
	case <-l.entered:
	case <-time.After(patience):
		l.t.Fatal("the request was not let in")
	}
}

func TestCallersWithoutATokenHavePlacesOfTheirOwn(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, endpoint.LimitOptions{Requests: 2, AnonymousRequests: 3, AddressRequests: 2})
	for _, address := range []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1"} {
		l.waitFrom(address)
		l.letIn()
	}
	l.tooMany(l.askFrom("192.0.2.1:3"))
	l.tooMany(l.askFrom("192.0.2.3:1"))
	l.occupy("alice")
	l.occupy("alice")
	l.done(5)
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/open", "", nil).Code, "places are given back")
}

func TestNoAddressTakesAllThatIsThereWithoutAToken(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, endpoint.LimitOptions{AnonymousRequests: 3, AddressRequests: 1})
	l.waitFrom("192.0.2.1:1")
	l.letIn()
	l.tooMany(l.askFrom("192.0.2.1:2"))
	l.waitFrom("192.0.2.2:1")
	l.letIn()
	l.done(2)
}

func TestRequestsWithoutATokenTakeTurns(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, endpoint.LimitOptions{})
	const turns = 4
	for range turns + 1 {
		l.waitFrom("192.0.2.1:1")
	}
	for range turns {
		l.letIn()
	}
	select {
	case <-l.entered:
		t.Fatal("one more is worked on at once")
	case <-time.After(100 * time.Millisecond):
	}
	l.release <- struct{}{}
	l.letIn()
	l.done(turns + 1)
}

func TestBodiesWithoutATokenAreShort(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, endpoint.LimitOptions{})
	long := `{"text":"` + strings.Repeat("x", 64<<10) + `"}`
	refused := l.ask(http.MethodPost, "/body", "", strings.NewReader(long))
	require.Equal(t, http.StatusRequestEntityTooLarge, refused.Code)
	require.Contains(t, refused.Body.String(), "65536 bytes")
	require.Equal(t, http.StatusUnauthorized, l.ask(http.MethodPost, "/users-only", "", strings.NewReader(long)).Code,
		"where a token would help, that is what is said")
	require.Equal(t, http.StatusOK, l.ask(http.MethodPost, "/body", "alice", strings.NewReader(long)).Code)
}
