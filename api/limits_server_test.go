package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/test/apitest"
)

// served is a handler behind a server with bounds.
type served struct {
	t       *testing.T
	address string
	client  *http.Client
}

func serve(t *testing.T, handler http.Handler, options api.ServerOptions) *served {
	t.Helper()
	return serveOn(t, handler, options, api.DefaultMaxConnections, api.DefaultMaxAddressConnections)
}

// serveOn is serve with so many connections, in all and of one address.
func serveOn(t *testing.T, handler http.Handler, options api.ServerOptions, all, ofAddress int) *served {
	t.Helper()
	return serveWith(t, handler, options, api.NewConnections(all, ofAddress, slog.New(slog.DiscardHandler)))
}

// serveCounting is serve with so many connections of one address, and what counts those that sent no request.
func serveCounting(
	t *testing.T, handler http.Handler, options api.ServerOptions, ofAddress int, count func(string) time.Duration,
) *served {
	t.Helper()
	connections := api.NewConnections(api.DefaultMaxConnections, ofAddress, slog.New(slog.DiscardHandler))
	connections.OnUnasked(func(remote string, _ api.Unasked) time.Duration { return count(remote) })
	return serveWith(t, handler, options, connections)
}

func serveWith(
	t *testing.T, handler http.Handler, options api.ServerOptions, connections *api.Connections,
) *served {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := api.NewServer(handler, options)
	connections.Watch(server)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(connections.Listener(t.Context(), listener)) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
	})
	client := &http.Client{Timeout: apitest.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	return &served{t: t, address: listener.Addr().String(), client: client}
}

// dial opens a connection.
func (s *served) dial() net.Conn {
	s.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", s.address)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(s.t, conn.SetDeadline(time.Now().Add(apitest.Patience)))
	return conn
}

// drip sends a byte now and then until the server hangs up.
func drip(conn net.Conn, every time.Duration) error {
	for {
		if _, err := conn.Write([]byte("x")); err != nil {
			return err
		}
		<-time.After(every)
	}
}

// answers requires that a request is served.
func (s *served) answers() {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.address+"/v2/version", nil)
	require.NoError(s.t, err)
	response, err := s.client.Do(request)
	require.NoError(s.t, err)
	require.NoError(s.t, response.Body.Close())
	require.Equal(s.t, http.StatusOK, response.StatusCode)
}

const (
	head = "POST /v2/commands/completions HTTP/1.1\r\nHost: florin\r\n"
	// short is how patient the servers of these tests are.
	short = time.Second
)

func TestSlowClientsHoldNothingUp(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{
		"who say nothing":                 "",
		"who send the head byte by byte":  head + "X-Slow: ",
		"who send the body byte by byte":  head + "Content-Length: 100000\r\n\r\n",
		"who send chunks without an end":  head + "Transfer-Encoding: chunked\r\n\r\nffff\r\n",
		"who stop in the middle of a TLS": "\x16\x03\x01",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const clients = 50
			node := apitest.New(t, apitest.Options{Limits: endpoint.NewLimits(endpoint.LimitOptions{Requests: 2})})
			s := serve(t, node.Handler, api.ServerOptions{HeaderTimeout: short, ReadTimeout: short})
			hungUp := make(chan error, clients)
			for range clients {
				conn := s.dial()
				_, err := io.WriteString(conn, begin)
				require.NoError(t, err)
				go func() {
					if begin != "" {
						if err := drip(conn, 20*time.Millisecond); errors.Is(err, context.DeadlineExceeded) {
							hungUp <- err
							return
						}
					}
					_, err := io.Copy(io.Discard, conn)
					if !isTimeout(err) {
						err = nil
					}
					hungUp <- err
				}()
			}
			s.answers()
			for range clients {
				require.NoError(t, <-hungUp, "the server hangs up on each of them")
			}
			s.answers()
		})
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func TestABodyThatComesTooSlowlyIsToldSo(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	s := serve(t, node.Handler, api.ServerOptions{ReadTimeout: short})
	conn := s.dial()
	_, err := io.WriteString(conn, head+"Content-Length: 100\r\n\r\n{")
	require.NoError(t, err)
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(answer), "408 Request Timeout")
	require.Contains(t, string(answer), "The body did not come in time. Send it faster, or send less.")
}

func TestClientsThatDoNotReadAreLeft(t *testing.T) {
	t.Parallel()
	left := make(chan error, 1)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20)) // more than any buffer on the way holds
		left <- err
	}), api.ServerOptions{WriteTimeout: short, RequestTimeout: -api.DefaultHeaderTimeout + short})
	conn := s.dial()
	_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: florin\r\n\r\n")
	require.NoError(t, err)
	select {
	case err := <-left:
		require.True(t, isTimeout(err), "%v", err)
	case <-time.After(apitest.Patience):
		t.Fatal("the server still waits for the client")
	}
}

func TestConnectionsThatWaitForNothingAreClosed(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	s := serve(t, node.Handler, api.ServerOptions{IdleTimeout: short})
	conn := s.dial()
	_, err := io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: florin\r\n\r\n")
	require.NoError(t, err)
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	_, err = reader.ReadByte()
	require.ErrorIs(t, err, io.EOF, "and the server hung up, before the client's patience was over")
}

func TestHeadsAreBounded(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	s := serve(t, node.Handler, api.ServerOptions{MaxHeaderBytes: 8 << 10})
	ask := func(size int) string {
		conn := s.dial()
		_, err := io.WriteString(conn, "GET /v2/version HTTP/1.1\r\nHost: florin\r\nConnection: close\r\nX-Long: "+
			strings.Repeat("x", size)+"\r\n\r\n")
		require.NoError(t, err)
		answer, err := io.ReadAll(conn)
		if !errors.Is(err, syscall.ECONNRESET) { // the server does not read the rest of a head that is too long
			require.NoError(t, err)
		}
		return string(answer)
	}
	require.Contains(t, ask(7<<10), "200 OK")
	require.Contains(t, ask(20<<10), "431 Request Header Fields Too Large")
}

// Whoever opens connections and keeps quiet takes its own places, and no others.
// from asks on a connection of its own from an address, and waits until the server has closed it.
func (s *served) from(address string) error {
	s.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	connection, err := dialer.DialContext(s.t.Context(), "tcp", s.address)
	require.NoError(s.t, err)
	defer func() { _ = connection.Close() }()
	require.NoError(s.t, connection.SetDeadline(time.Now().Add(apitest.Patience)))
	_, _ = io.WriteString(connection, "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	answer, err := io.ReadAll(connection)
	if err == nil && !strings.Contains(string(answer), "200 OK") {
		return io.ErrUnexpectedEOF
	}
	return err
}

// ask asks on a connection that stays open, and reports whether it is answered.
func ask(connection net.Conn) bool {
	_, _ = io.WriteString(connection, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close()) == nil && response.StatusCode == http.StatusOK
}

// Connections that wait for their next request keep nobody out who has one.
func TestAnIdleConnectionGivesWay(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	t.Run("of its address", func(t *testing.T) {
		t.Parallel()
		s := serveOn(t, node.Handler, api.ServerOptions{}, api.DefaultMaxConnections, 2)
		first, second := s.dial(), s.dial()
		require.True(t, ask(first))
		require.True(t, ask(second))
		require.Eventually(t, func() bool { return s.from("127.0.0.1") == nil }, apitest.Patience, time.Millisecond)
		require.NotEqual(t, ask(first), ask(second), "one of them was closed, and no more")
	})
	t.Run("of all", func(t *testing.T) {
		t.Parallel()
		s := serveOn(t, node.Handler, api.ServerOptions{IdleTimeout: time.Hour}, 1, api.DefaultMaxAddressConnections)
		require.True(t, ask(s.dial()))
		require.NoError(t, s.from("127.0.0.2"))
		require.NoError(t, s.from("127.0.0.1"))
	})
}

func TestNoAddressTakesAllConnections(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	s := serveOn(t, node.Handler, api.ServerOptions{}, api.DefaultMaxConnections, 3)
	quiet := []net.Conn{s.dial(), s.dial(), s.dial()}
	for _, one := range quiet { // each is accepted
		_, err := io.WriteString(one, head)
		require.NoError(t, err)
	}
	from := s.from
	require.Eventually(t, func() bool { return from("127.0.0.1") != nil }, apitest.Patience, time.Millisecond)
	require.NoError(t, from("127.0.0.2"), "others are served")
	require.NoError(t, quiet[0].Close())
	require.Eventually(t, func() bool { return from("127.0.0.1") == nil }, apitest.Patience, time.Millisecond)
}

func TestAConnectionWithHalfARequestGivesWayToAnotherAddress(t *testing.T) {
	t.Parallel()
	const places = 3
	node := apitest.New(t, apitest.Options{})
	for name, half := range map[string]string{
		"of its head":          head,
		"of its body":          head + "Content-Length: 1000\r\n\r\n{",
		"of a body in chunks":  head + "Transfer-Encoding: chunked\r\n\r\nffff\r\n{",
		"to where nothing is":  "POST /v2/nope HTTP/1.1\r\nHost: florin\r\nContent-Length: 1000\r\n\r\n{",
		"and needs no body":    "GET /v2/version HTTP/1.1\r\nHost: florin\r\nContent-Length: 1000\r\n\r\n{",
		"and no token":         "POST /api/scan/v0/holdings/summary HTTP/1.1\r\nHost: florin\r\nContent-Length: 9\r\n\r\n{",
		"behind one that came": "GET /livez HTTP/1.1\r\nHost: florin\r\n\r\n" + head + "Content-Length: 1000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patient := api.ServerOptions{HeaderTimeout: time.Hour, ReadTimeout: time.Hour, IdleTimeout: time.Hour}
			s := serveOn(t, node.Handler, patient, places, api.DefaultMaxAddressConnections)
			for range places {
				_, err := io.WriteString(s.dial(), half)
				require.NoError(t, err)
			}
			require.NoError(t, s.from("127.0.0.2"), "the first of those that are not finished gives way")
			require.NoError(t, s.from("127.0.0.1"), "to others of the same address, too, after a while")
		})
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	s := serveOn(t, node.Handler, api.ServerOptions{HeaderTimeout: time.Minute}, 1, api.DefaultMaxAddressConnections)
	first := s.dial()
	_, err := io.WriteString(first, head) // taken up, and not finished
	require.NoError(t, err)
	answered := make(chan struct{})
	go func() {
		s.answers()
		close(answered)
	}()
	select {
	case <-answered:
		t.Fatal("the second connection was accepted beside the first")
	case <-time.After(short):
	}
	require.NoError(t, first.Close())
	select {
	case <-answered:
	case <-time.After(apitest.Patience):
		t.Fatal("the second connection was not accepted after the first")
	}
}
