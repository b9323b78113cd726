package apitest

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
)

// minZipped is the smallest size of a compressed answer.
const minZipped = 1 << 10

// acceptZipped makes a request accept compressed answers, unless it has a header about that.
func acceptZipped(request *http.Request) bool {
	if len(request.Header.Values("Accept-Encoding")) > 0 {
		return false
	}
	header := http.Header{"Accept-Encoding": {"gzip"}}
	maps.Copy(header, request.Header)
	request.Header = header
	return true
}

// unzip decompresses an answer. It requires that long text and JSON are compressed, and everything else is not. So
// tests check the compression of all routes.
func (s *Server) unzip(request *http.Request, recorder *httptest.ResponseRecorder) {
	s.tb.Helper()
	header := recorder.Header()
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	text := err == nil && (media == "application/json" || media == "text/plain" || media == "text/html")
	zipped := header.Get("Content-Encoding") == "gzip"
	long := zipped || recorder.Body.Len() >= minZipped && s.getsShorter(recorder.Body.Bytes())
	require.Equal(s.tb, text && request.Method != http.MethodHead && long, zipped, "%s %s: %d bytes of %q come as %q",
		request.Method, request.URL, recorder.Body.Len(), media, header.Get("Content-Encoding"))
	require.Contains(s.tb, header.Values("Vary"), "Accept-Encoding", "%s %s", request.Method, request.URL)
	if !zipped {
		return
	}
	reader, err := gzip.NewReader(recorder.Body)
	require.NoError(s.tb, err, "%s %s", request.Method, request.URL)
	plain, err := io.ReadAll(reader)
	require.NoError(s.tb, err, "%s %s", request.Method, request.URL)
	require.GreaterOrEqual(s.tb, len(plain), minZipped, "%s %s", request.Method, request.URL)
	recorder.Body = bytes.NewBuffer(plain)
	header.Del("Content-Encoding")
}

// getsShorter reports whether compression makes a body shorter.
func (s *Server) getsShorter(body []byte) bool {
	var zipped bytes.Buffer
	writer, err := gzip.NewWriterLevel(&zipped, gzip.BestSpeed)
	require.NoError(s.tb, err)
	_, err = writer.Write(body)
	require.NoError(s.tb, errors.Join(err, writer.Close()))
	return zipped.Len() < len(body)
}
