package endpoint_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/endpoint"
)

type sentKey struct{}

// halfClosing asks a server on which a client closes its sending half behind its request, and returns the status and
// the text of the answer, and the status that was logged. The endpoint /whole answers once the server has noticed;
// /never does not.
func halfClosing(t *testing.T, grace time.Duration, method, path, body string) (status int, text string, logged int) {
	t.Helper()
	statuses := make(chan int, 1)
	frame, err := endpoint.NewFrame(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now, LeaveGrace: grace,
		RequestTimeout: patience, Measure: func(_, _ string, status int, _ time.Duration) { statuses <- status },
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sentKey{}, r.Context().Done())))
		})
	}, frame.Observe)
	whole := func(ctx context.Context) (endpoint.Empty, error) {
		noticed, _ := ctx.Value(sentKey{}).(<-chan struct{})
		select {
		case <-noticed:
			return endpoint.Empty{}, ctx.Err()
		case <-time.After(patience):
			return endpoint.Empty{}, context.DeadlineExceeded
		}
	}
	require.NoError(t, frame.Mount(router, []endpoint.Endpoint{
		endpoint.New(info(http.MethodGet, "/whole", endpoint.Open),
			func(ctx context.Context, _ endpoint.NoRequest) (endpoint.Empty, error) { return whole(ctx) }),
		endpoint.New(info(http.MethodPost, "/whole", endpoint.Open), func(ctx context.Context, _ struct {
			Body optionalBody `body:"json"`
		},
		) (endpoint.Empty, error) {
			return whole(ctx)
		}),
		endpoint.New(info(http.MethodGet, "/never", endpoint.Open),
			func(ctx context.Context, _ endpoint.NoRequest) (endpoint.Empty, error) {
				<-ctx.Done()
				return endpoint.Empty{}, ctx.Err()
			}),
	}))
	server := httptest.NewServer(router)
	t.Cleanup(server.Close)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", method, path, len(body), body)
	require.NoError(t, err)
	half, ok := conn.(*net.TCPConn)
	require.True(t, ok)
	require.NoError(t, half.CloseWrite())
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	read, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(read), <-statuses
}

func TestAClientThatClosesItsSendingHalfIsAnswered(t *testing.T) {
	t.Parallel()
	for method, body := range map[string]string{http.MethodGet: "", http.MethodPost: `{"text":"x"}`} {
		status, text, logged := halfClosing(t, time.Hour, method, "/whole", body)
		require.Equal(t, http.StatusOK, status, "%s: %s", method, text)
		require.Equal(t, http.StatusOK, logged, method)
	}
}

func TestAClientThatClosedItsSendingHalfIsNotServedForEver(t *testing.T) {
	t.Parallel()
	status, text, logged := halfClosing(t, time.Millisecond, http.MethodGet, "/never", "")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "The server was not able to produce a timely response to your request.\r\n", text)
	require.Equal(t, 499, logged, "it may be gone")
}
