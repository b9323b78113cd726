package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// eventStream reads the stream of a page.
type eventStream struct {
	t      *testing.T
	lines  *bufio.Scanner
	answer *http.Response
}

// follow opens the stream of the current page, which ends with the test.
func (b *browser) follow() *eventStream {
	b.t.Helper()
	addresses := links(b, "data-events")
	require.Len(b.t, addresses, 1)
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	b.t.Cleanup(cancel)
	answer, err := b.client.Do(b.request(http.MethodGet, addresses[0], nil).WithContext(ctx))
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = answer.Body.Close() })
	return &eventStream{t: b.t, lines: bufio.NewScanner(answer.Body), answer: answer}
}

// next returns the offset of the next event; 0 at the end of the stream.
func (s *eventStream) next() (offset int64) {
	s.t.Helper()
	for s.lines.Scan() {
		if data, ok := strings.CutPrefix(s.lines.Text(), "data: "); ok {
			event := struct{ Offset int64 }{}
			require.NoError(s.t, json.Unmarshal([]byte(data), &event))
			return event.Offset
		}
	}
	return 0
}

func TestEvents_TellOfTheVisitorsOwnChanges(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	of := alice.open("/wallet").follow()
	require.Equal(t, http.StatusOK, of.answer.StatusCode)
	require.Equal(t, "text/event-stream", of.answer.Header.Get("Content-Type"))
	first := of.next()
	require.Positive(t, first, "the stream tells at once, because the page may be old")
	ofBob := bob.open("/wallet").follow()
	ofBob.next()
	bob.press("/wallet/tap", "amount", "1")
	told := ofBob.next() // a stream that was opened earlier tells not later
	require.Greater(t, told, first)
	alice.press("/wallet/tap", "amount", "1")
	require.Greater(t, of.next(), told, "alice is not told of bob's coin")
}

func TestEvents_EndWithTheRights(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, api.Handler))
	alice := window(t, server).as("alice")
	stream := alice.open("/wallet").follow()
	require.Positive(t, stream.next())
	api.Call(apitest.Admin, http.MethodPatch, "/v2/users/alice", map[string]any{
		"user":       map[string]any{"id": "alice", "primaryParty": "", "isDeactivated": true, "identityProviderId": ""},
		"updateMask": map[string]any{"paths": []string{"is_deactivated"}},
	}).OK(nil)
	require.Zero(t, stream.next(), "the stream has ended")
	require.NoError(t, stream.lines.Err(), "in order")
}

func TestEvents_NeedASession(t *testing.T) {
	t.Parallel()
	server := node(t)
	visitor := window(t, server).open("/wallet")
	require.Empty(t, links(visitor, "data-events"))
	for _, path := range []string{"/wallet/events", "/explorer/events"} {
		require.Equal(t, http.StatusNoContent, visitor.open(path).status, "the browser does not ask again")
	}
	alice := window(t, server).as("alice")
	require.Equal(t, http.StatusForbidden, alice.open("/explorer/events?as=bob::1220").status)
	require.Len(t, links(alice.open("/explorer"), "data-events"), 1)
	require.Empty(t, links(alice.open("/explorer/packages"), "data-events"), "it does not change")
}
