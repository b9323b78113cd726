package endpoint_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
)

// waits sends a request without a token to an endpoint that waits.
func (l *limitedServer) waits() {
	l.group.Go(func() { l.answers <- l.ask(http.MethodPost, "/wait", "", strings.NewReader(`{}`)).Code })
}

// letIn waits until one more request runs.
func (l *limitedServer) letIn() {
	l.t.Helper()
	select {
	case <-l.entered:
	case <-time.After(patience):
		l.t.Fatal("the request was not let in")
	}
}

func TestAnonymous_HasPlacesOfItsOwn(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{Requests: 2, AnonymousRequests: 3})
	for range 3 {
		l.waits()
		l.letIn()
	}
	l.tooMany(l.ask(http.MethodGet, "/open", "", nil))
	l.occupy("alice")
	l.occupy("alice")
	l.done(5)
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/open", "", nil).Code, "the places are free again")
}

func TestAnonymous_TakesTurns(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{})
	const turns = 4
	for range turns + 1 {
		l.waits()
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

func TestAnonymous_RefusesLongBodies(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{})
	long := `{"text":"` + strings.Repeat("x", 64<<10) + `"}`
	refused := l.ask(http.MethodPost, "/body", "", strings.NewReader(long))
	require.Equal(t, http.StatusRequestEntityTooLarge, refused.Code)
	require.Contains(t, refused.Body.String(), "65536 bytes")
	require.Equal(t, http.StatusUnauthorized, l.ask(http.MethodPost, "/users-only", "", strings.NewReader(long)).Code,
		"the refusal asks for a token")
	require.Equal(t, http.StatusOK, l.ask(http.MethodPost, "/body", "alice", strings.NewReader(long)).Code)
}
