package endpoint_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/endpoint"
)

// long is a body above the minimum size.
var long = strings.Repeat(`{"n":1} `, 1<<10)

// lines collects log lines.
type lines chan []byte

// Write implements [io.Writer].
func (l lines) Write(line []byte) (int, error) {
	l <- bytes.Clone(line)
	return len(line), nil
}

// compressServer is a server of answers of all kinds, and its log.
func compressServer(t *testing.T) (*httptest.Server, lines) {
	t.Helper()
	log := make(lines, 64)
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: jsonLog(log), Now: time.Now,
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	origin := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("Vary", "Origin")
			next.ServeHTTP(w, r)
		})
	}
	router.Use(server.Observe, origin, middleware.GetHead)
	of := func(path string, content endpoint.Content) endpoint.Endpoint {
		return endpoint.New(info(http.MethodGet, path, endpoint.Open),
			func(context.Context, endpoint.NoRequest) (endpoint.Content, error) { return content, nil })
	}
	body, random := []byte(long), make([]byte, 4<<10)
	_, err = rand.Read(random)
	require.NoError(t, err)
	varies := http.Header{"Vary": {"Accept"}}
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
		of("/json", endpoint.Content{Type: "application/json", Body: body, Header: varies}),
		of("/html", endpoint.Content{Type: "text/html; charset=utf-8", Body: body}),
		of("/text", endpoint.TextContent(http.StatusConflict, long)),
		of("/random", endpoint.Content{Type: "text/plain", Body: random}),
		of("/short", endpoint.Content{Type: "application/json", Body: body[:1023]}),
		of("/none", endpoint.Content{Status: http.StatusNoContent}),
		of("/archive", endpoint.BinaryContent(body, nil)),
		of("/coded", endpoint.Content{
			Type: "application/json", Body: body, Header: http.Header{"Content-Encoding": {"br"}},
		}),
		of("/stream", endpoint.Content{Type: "text/plain", Stream: func(to io.Writer) error {
			_, err := io.WriteString(to, long)
			return err
		}}),
		of("/broken", endpoint.Content{Type: "text/plain", Stream: func(to io.Writer) error {
			_, err := io.WriteString(to, long)
			return errors.Join(err, errors.New("disk on fire"))
		}}),
		endpoint.New(info(http.MethodGet, "/panic", endpoint.Open),
			func(context.Context, endpoint.NoRequest) (endpoint.Empty, error) { panic("at the disco") }),
	}))
	served := httptest.NewServer(router)
	t.Cleanup(served.Close)
	return served, log
}

// fullAnswer is a complete answer.
type fullAnswer struct {
	StatusCode int
	Header     http.Header
}

// ask sends a request and does not decompress the answer, as the client of the standard library would.
func ask(t *testing.T, server *httptest.Server, method, path string, header http.Header) (fullAnswer, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	require.NoError(t, err)
	request.Header = header
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(request)
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, errors.Join(err, answer.Body.Close()))
	return fullAnswer{answer.StatusCode, answer.Header}, body
}

func TestCompress_WhenClientAcceptsGzip(t *testing.T) {
	t.Parallel()
	server, log := compressServer(t)
	zipped := http.Header{"Accept-Encoding": {"br, zstd, gzip"}}
	for path, status := range map[string]int{"/json": 200, "/html": 200, "/text": 409} {
		answer, body := ask(t, server, http.MethodGet, path, zipped)
		require.Equal(t, status, answer.StatusCode, path)
		require.Equal(t, "gzip", answer.Header.Get("Content-Encoding"), path)
		require.Less(t, len(body), len(long)/10, path)
		reader, err := gzip.NewReader(bytes.NewReader(body))
		require.NoError(t, err)
		plain, err := io.ReadAll(reader)
		require.NoError(t, err)
		require.Equal(t, long, string(plain), path)
		require.Subset(t, answer.Header.Values("Vary"), []string{"Origin", "Accept-Encoding"}, path)
		var line map[string]any
		require.NoError(t, json.Unmarshal(<-log, &line))
		require.EqualValues(t, len(body), line["bytes"], path)
	}
	answer, _ := ask(t, server, http.MethodGet, "/json", zipped)
	require.Subset(t, answer.Header.Values("Vary"), []string{"Origin", "Accept-Encoding", "Accept"})
}

func TestCompress_LeavesOtherAnswersPlain(t *testing.T) {
	t.Parallel()
	server, _ := compressServer(t)
	zipped := http.Header{"Accept-Encoding": {"gzip"}}
	for name, c := range map[string]struct {
		path   string
		header http.Header
		status int
		body   string
	}{
		"without Accept-Encoding":       {"/json", http.Header{}, 200, long},
		"with gzip refused":             {"/json", http.Header{"Accept-Encoding": {"gzip;q=0"}}, 200, long},
		"with another coding":           {"/json", http.Header{"Accept-Encoding": {"zstd"}}, 200, long},
		"with an upgrade":               {"/json", http.Header{"Accept-Encoding": {"gzip"}, "Upgrade": {"x"}}, 200, long},
		"a short body":                  {"/short", zipped, 200, long[:1023]},
		"no body":                       {"/none", zipped, 204, ""},
		"not a text":                    {"/archive", zipped, 200, long},
		"what is made while it is sent": {"/stream", zipped, 200, long},
	} {
		answer, body := ask(t, server, http.MethodGet, c.path, c.header)
		require.Equal(t, c.status, answer.StatusCode, name)
		require.Equal(t, c.body, string(body), name)
		require.Empty(t, answer.Header.Get("Content-Encoding"), name)
		require.Empty(t, answer.Header.Get("No-Gzip-Compression"), name)
		require.Subset(t, answer.Header.Values("Vary"), []string{"Origin", "Accept-Encoding"}, name)
	}
	answer, body := ask(t, server, http.MethodGet, "/coded", zipped)
	require.Equal(t, []string{"br"}, answer.Header.Values("Content-Encoding"))
	require.Equal(t, long, string(body))
	answer, body = ask(t, server, http.MethodGet, "/random", zipped)
	require.Len(t, body, 4<<10)
	require.Empty(t, answer.Header.Get("Content-Encoding"), "it would be longer")
	answer, body = ask(t, server, http.MethodHead, "/json", zipped)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Empty(t, answer.Header.Get("Content-Length"), "GET answers with another one")
	require.Empty(t, body)
	require.Empty(t, answer.Header.Get("Content-Encoding"))
	answer, _ = ask(t, server, http.MethodGet, "/panic", zipped)
	require.Equal(t, http.StatusInternalServerError, answer.StatusCode)
}

func TestCompress_BrokenAnswerIsAnErrorForTheClient(t *testing.T) {
	t.Parallel()
	server, _ := compressServer(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/broken", nil)
	require.NoError(t, err)
	request.Header.Set("Accept-Encoding", "gzip")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		_, err = io.ReadAll(answer.Body)
		err = errors.Join(err, answer.Body.Close())
	}
	require.Error(t, err)
}

// More clients than compressors do not read their long answers. Others still get answers.
func TestCompress_SlowClientsFreeTheCompressor(t *testing.T) {
	t.Parallel()
	var random [8 << 20]byte
	_, err := rand.Read(random[:])
	require.NoError(t, err)
	page := hex.AppendEncode(nil, random[:])
	begun := make(chan struct{}, 1)
	server := httptest.NewServer(pages(t, func() []byte {
		begun <- struct{}{}
		return page
	}))
	t.Cleanup(server.Close)
	for i := range runtime.GOMAXPROCS(0) + 1 {
		slow, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = slow.Close() })
		_, err = io.WriteString(slow, fmt.Sprintf("GET /page HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer slow%d\r\n"+
			"Accept-Encoding: gzip\r\n\r\n", i))
		require.NoError(t, err)
		<-begun
		_, err = io.ReadFull(slow, make([]byte, 100)) // the answer has begun
		require.NoError(t, err)
	}
	answer, _ := ask(t, server, http.MethodGet, "/page",
		http.Header{"Accept-Encoding": {"gzip"}, "Authorization": {"Bearer other"}})
	<-begun
	require.Equal(t, "gzip", answer.Header.Get("Content-Encoding"))
}
