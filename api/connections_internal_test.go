package api

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const aMinute = time.Minute

// A request that has come on a connection by the time that gives way is not handled: nobody would be answered.
func TestARequestOnAConnectionThatIsGivenUpIsNotHandled(t *testing.T) {
	t.Parallel()
	connections := NewConnections(10, 10, slog.New(slog.DiscardHandler))
	var handled atomic.Int64
	server := &http.Server{
		Handler:  http.HandlerFunc(func(http.ResponseWriter, *http.Request) { handled.Add(1) }),
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo), ReadHeaderTimeout: aMinute,
	}
	connections.Watch(server)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(connections.Listener(t.Context(), listener)) }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })

	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	require.NoError(t, client.SetDeadline(time.Now().Add(aMinute)))
	const request = "POST / HTTP/1.1\r\nHost: florin\r\nContent-Length: 0\r\n\r\n"
	_, err = io.WriteString(client, request)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.EqualValues(t, 1, handled.Load())

	var chosen *countedConn
	require.Eventually(t, func() bool {
		connections.mu.Lock()
		defer connections.mu.Unlock()
		chosen = connections.giveUp(connections.idle, func(*countedConn) bool { return true })
		return chosen != nil
	}, aMinute, time.Millisecond, "it waits for its next request")
	_, err = io.WriteString(client, request) // before it is closed
	require.NoError(t, err)
	rest, err := io.ReadAll(client)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.EqualValues(t, 1, handled.Load())
}

// pipe is a connection of a listener, without a server.
func (l *countingListener) pipe(t *testing.T) *countedConn {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { require.NoError(t, errors.Join(near.Close(), far.Close())) })
	l.connections.enter("pipe")
	return &countedConn{Conn: near, listener: l, address: "pipe", leave: func() {}}
}

func isClosed(connection *countedConn) bool {
	return errors.Is(connection.SetDeadline(time.Now()), io.ErrClosedPipe)
}

// Nor is one whose connection has given way while its body came.
func TestABodyOnAConnectionThatIsGivenUpDoesNotEnd(t *testing.T) {
	t.Parallel()
	connections := NewConnections(10, 10, slog.New(slog.DiscardHandler))
	one := &countedConn{listener: &countingListener{connections: connections}}
	for _, givenUp := range []bool{false, true} {
		require.True(t, connections.begin(one, false))
		require.True(t, connections.unsent.has(one))
		if givenUp {
			require.Same(t, one, connections.giveUp(connections.unsent, func(*countedConn) bool { return true }))
		}
		body := &sentBody{
			ReadCloser: io.NopCloser(strings.NewReader("{}")), end: func() bool { return connections.begin(one, true) },
		}
		_, err := io.ReadAll(body)
		require.Equal(t, givenUp, errors.Is(err, net.ErrClosed), "%v", err)
		require.False(t, connections.unsent.has(one))
	}
}

// One connection gives way for each that waits, however many become idle until it has its place.
func TestOneConnectionGivesWayForOneThatWaits(t *testing.T) {
	t.Parallel()
	connections := NewConnections(10, 10, slog.New(slog.DiscardHandler))
	listener := &countingListener{connections: connections}
	first, second, third := listener.pipe(t), listener.pipe(t), listener.pipe(t)

	require.Nil(t, listener.wait("another"), "none is idle")
	connections.note(first, http.StateIdle)
	connections.note(second, http.StateIdle)
	require.True(t, isClosed(first))
	require.False(t, isClosed(second))
	listener.waited()

	require.Same(t, second, listener.wait("another"), "it is idle")
	connections.note(third, http.StateIdle)
	require.False(t, isClosed(third))
	listener.waited()
	require.False(t, connections.begin(second, true))
	require.True(t, connections.begin(third, true))
}

// What encryption carries is the connection that is counted.
func TestAnEncryptedConnectionIsCounted(t *testing.T) {
	t.Parallel()
	connections := NewConnections(10, 10, slog.New(slog.DiscardHandler))
	one := (&countingListener{connections: connections}).pipe(t)
	require.Same(t, one, countedOf(encrypting{one}))
	require.Nil(t, countedOf(one.Conn))
	server := &http.Server{ReadHeaderTimeout: aMinute}
	connections.Watch(server)
	require.Same(t, one, server.ConnContext(context.Background(), encrypting{one}).Value(connectionKey{}))
}

type encrypting struct{ *countedConn }

func (e encrypting) NetConn() net.Conn { return e.countedConn }

// A TLS handshake with nothing behind it is counted as that, with what is no request as no request, and one with a
// request not at all.
func TestAHandshakeAloneIsCountedAsThat(t *testing.T) {
	t.Parallel()
	connections := NewConnections(10, 10, slog.New(slog.DiscardHandler))
	counted := make(chan Unasked, 10)
	connections.OnUnasked(func(_ string, what Unasked) time.Duration {
		counted <- what
		return 0
	})
	certified := httptest.NewTLSServer(nil) // which has a certificate
	certified.Close()
	server := &http.Server{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ReadHeaderTimeout: aMinute,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo), TLSConfig: certified.TLS,
	}
	connections.Watch(server)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.ServeTLS(connections.Listener(t.Context(), listener), "", "") }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	say := func(encrypted bool, text string) {
		t.Helper()
		client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
		require.NoError(t, err)
		if encrypted {
			client = tls.Client(client, &tls.Config{InsecureSkipVerify: true}) // a server of this test
		}
		require.NoError(t, client.SetDeadline(time.Now().Add(aMinute)))
		_, err = io.WriteString(client, text)
		require.NoError(t, err)
		if text != "" {
			_, _ = io.ReadAll(client)
		} else if encrypted, ok := client.(*tls.Conn); ok {
			require.NoError(t, encrypted.HandshakeContext(t.Context()))
		}
		require.NoError(t, client.Close())
	}
	count := func() Unasked {
		t.Helper()
		select {
		case what := <-counted:
			return what
		case <-time.After(aMinute):
			t.Fatal("nothing was counted")
			return 0
		}
	}
	say(true, "")
	require.Equal(t, NoMoreThanHandshake, count())
	say(false, "garbage\r\n\r\n")
	require.Equal(t, NoMoreThanHandshake, count(), "which did not begin well")
	say(true, "GET / HTTP/1.1\r\nHost: florin\r\nConnection: close\r\n\r\n") // is not counted
	say(true, "garbage\r\n\r\n")
	require.Equal(t, NoRequest, count())
	require.Empty(t, counted)
}
