package api_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/test/apitest"
)

// say sends something on a connection of its own, and returns what comes until the server closes it.
func (s *served) say(what string) string {
	s.t.Helper()
	connection := s.dial()
	_, err := io.WriteString(connection, what)
	require.NoError(s.t, err)
	answer, err := io.ReadAll(connection)
	require.NoError(s.t, err)
	return string(answer)
}

// What is no request is answered before any handler, and counted for its address all the same.
func TestWhatIsNoRequestIsCounted(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	counted := make(chan string, 100)
	s := serveCounting(t, node.Handler, api.ServerOptions{HeaderTimeout: apitest.Patience}, 100,
		func(remote string) time.Duration {
			counted <- remote
			return 0
		})
	count := func() {
		t.Helper()
		select {
		case remote := <-counted:
			host, _, err := net.SplitHostPort(remote)
			require.NoError(t, err)
			require.Equal(t, "127.0.0.1", host)
		case <-time.After(apitest.Patience):
			t.Fatal("nothing was counted")
		}
	}
	for what, status := range map[string]string{
		"garbage\r\n\r\n": "400 Bad Request",
		"GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n":              "505 HTTP Version Not Supported",
		"GET /livez HTTP/1.1\r\n\r\n":                                 "400 Bad Request",
		"GET /livez HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n": "400 Bad Request",
	} {
		require.Contains(t, s.say(what), status)
		count()
	}
	used := s.dial()
	require.True(t, ask(used))
	_, err := io.WriteString(used, "garbage\r\n\r\n")
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(used), nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	count()

	// Who says nothing, who is served and who leaves between requests is not counted: the next one that is, is the last.
	require.NoError(t, s.dial().Close())
	served := s.dial()
	require.True(t, ask(served))
	require.NoError(t, served.Close())
	require.Contains(t, s.say("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), "200 OK")
	s.say("garbage\r\n\r\n")
	count()
	require.Empty(t, counted)
}

// An address that sends much that is no request has fewer places for a while.
func TestWhatIsNoRequestKeepsItsPlace(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	var counted atomic.Int64
	s := serveCounting(t, node.Handler, api.ServerOptions{}, 2, func(string) time.Duration {
		counted.Add(1)
		return time.Hour
	})
	garbage := func(times int64) {
		t.Helper()
		require.Eventually(t, func() bool { // a place may be let go a moment after its connection is closed
			connection := s.dial()
			_, _ = io.WriteString(connection, "garbage\r\n\r\n")
			answer, _ := io.ReadAll(connection)
			return len(answer) > 0
		}, apitest.Patience, time.Millisecond)
		require.Eventually(t, func() bool { return counted.Load() == times }, apitest.Patience, time.Millisecond)
	}
	garbage(1)
	require.Eventually(t, func() bool { return s.from("127.0.0.1") == nil }, apitest.Patience, time.Millisecond,
		"one place is left")
	garbage(2)
	require.Error(t, s.from("127.0.0.1"))
	require.NoError(t, s.from("127.0.0.2"), "others have theirs")
}
