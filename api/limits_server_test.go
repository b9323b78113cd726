package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/test/apitest"
)

// testServer is a handler behind a server with limits.
type testServer struct {
	t       *testing.T
	address string
	client  *http.Client
}

func serve(t *testing.T, handler http.Handler, options api.ServerOptions) *testServer {
	t.Helper()
	return serveOn(t, handler, options, api.MaxConnections)
}

// serveOn is serve with a maximum number of connections.
func serveOn(t *testing.T, handler http.Handler, options api.ServerOptions, connections int) *testServer {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := api.NewServer(handler, options)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(api.Bounded(listener, connections)) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
	})
	client := &http.Client{Timeout: apitest.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	return &testServer{t: t, address: listener.Addr().String(), client: client}
}

// dial opens a connection.
func (s *testServer) dial() net.Conn {
	s.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", s.address)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(s.t, conn.SetDeadline(time.Now().Add(apitest.Patience)))
	return conn
}

// drip sends a byte from time to time until the server closes the connection.
func drip(conn net.Conn, every time.Duration) error {
	for {
		if _, err := conn.Write([]byte("x")); err != nil {
			return err
		}
		<-time.After(every)
	}
}

// answers requires that the server answers a request.
func (s *testServer) answers() {
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
	// short is the timeout of the servers of these tests.
	short = time.Second
)

func TestServer_SlowClientsDelayNobody(t *testing.T) {
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
			node := apitest.New(t, apitest.Options{Limits: admission.New(admission.Options{Requests: 2})})
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

func TestServer_SlowBodyGets408(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	s := serve(t, node.Handler, api.ServerOptions{ReadTimeout: short})
	conn := s.dial()
	_, err := io.WriteString(conn, head+"Content-Length: 100\r\n\r\n{")
	require.NoError(t, err)
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(answer), "408 Request Timeout")
	require.Contains(t, string(answer), "The body did not arrive in time. Send it faster, or send a smaller one.")
}

func TestServer_ClosesClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	left := make(chan error, 1)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20)) // more than all buffers together
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

func TestServer_ClosesIdleConnections(t *testing.T) {
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

func TestServer_LimitsHeaderSize(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	s := serve(t, node.Handler, api.ServerOptions{MaxHeaderBytes: 8 << 10})
	ask := func(size int) string {
		conn := s.dial()
		_, err := io.WriteString(conn, "GET /v2/version HTTP/1.1\r\nHost: florin\r\nConnection: close\r\nX-Long: "+
			strings.Repeat("x", size)+"\r\n\r\n")
		require.NoError(t, err)
		answer, err := io.ReadAll(conn)
		if !errors.Is(err, syscall.ECONNRESET) { // the server does not read the rest of a too long head
			require.NoError(t, err)
		}
		return string(answer)
	}
	require.Contains(t, ask(7<<10), "200 OK")
	require.Contains(t, ask(20<<10), "431 Request Header Fields Too Large")
}

func TestServer_LimitsConnections(t *testing.T) {
	t.Parallel()
	node := apitest.New(t, apitest.Options{})
	s := serveOn(t, node.Handler, api.ServerOptions{HeaderTimeout: time.Minute}, 1)
	first := s.dial()
	_, err := io.WriteString(first, head) // accepted, but not complete
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
