package endpoint

import (
	"bytes"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"runtime"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// minCompressed is the minimum size of an answer to compress, in bytes.
const minCompressed = 1 << 10

// compressor compresses whole answers for clients that accept gzip, with the fastest level. An answer that does not get
// shorter, such as a list of hashes, goes out uncompressed.
type compressor struct {
	wrap func(http.Handler) http.HandlerFunc
	// places limits concurrent compressions: each takes 0.8 MB and a processor.
	places chan struct{}
}

func newCompressor() (*compressor, error) {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false),
		gzhttp.SetContentType(false), gzhttp.ContentTypeFilter(compresses),
	)
	if err != nil {
		return nil, fmt.Errorf("make what compresses answers: %w", err)
	}
	return &compressor{wrap: wrap, places: make(chan struct{}, runtime.GOMAXPROCS(0))}, nil
}

// compresses reports whether bodies of this type are compressed.
func compresses(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch media {
	case jsonType, "text/plain", "text/html", "text/css", "text/javascript", "application/javascript":
		return true
	default:
		return false
	}
}

// compress compresses a long answer if the client accepts gzip. It does so before sending, so that a slow client keeps
// no compressor. It does not change answers with a Stream.
func (c *compressor) compress(r *http.Request, content Content) Content {
	content.Header = maps.Clone(content.Header)
	if content.Header == nil {
		content.Header = http.Header{}
	}
	content.Header.Add("Vary", "Accept-Encoding")
	if content.Stream != nil || len(content.Body) < minCompressed {
		return content
	}
	encodings := encodingsOf(r)
	if encodings == "" {
		return content
	}
	if r.Method == http.MethodHead { // there is none, and its length would be that of GET
		content.Body = nil
		return content
	}
	c.places <- struct{}{}
	defer func() { <-c.places }()
	to := gzipBody{header: content.Header.Clone()}
	to.header.Set("Content-Type", content.Type)
	request := &http.Request{Method: r.Method, Header: http.Header{"Accept-Encoding": {encodings}}}
	c.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(content.Status)
		_, _ = w.Write(content.Body) // memory takes all
	}))(&to, request)
	if to.body.Len() > 0 && to.body.Len() < len(content.Body) {
		content.Header.Set("Content-Encoding", gzipCoding)
		content.Body = to.body.Bytes()
	}
	return content
}

const gzipCoding = "gzip"

// gzipBody collects a compressed body.
type gzipBody struct {
	header http.Header
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (z *gzipBody) Header() http.Header { return z.header }

// WriteHeader implements [http.ResponseWriter].
func (z *gzipBody) WriteHeader(int) {}

// Write implements [http.ResponseWriter]. It drops uncompressed parts: the caller has them.
func (z *gzipBody) Write(part []byte) (int, error) {
	if z.header.Get("Content-Encoding") != gzipCoding {
		return len(part), nil
	}
	return z.body.Write(part)
}

// encodingsOf returns Accept-Encoding, or "" for a request that may become a stream.
func encodingsOf(r *http.Request) string {
	if r.Header.Get("Upgrade") != "" {
		return ""
	}
	return strings.Join(r.Header.Values("Accept-Encoding"), ",")
}

// addHeader sets headers of an answer and adds to Vary.
func addHeader(to, more http.Header) {
	varies := append(to.Values("Vary"), more.Values("Vary")...)
	maps.Copy(to, more)
	if len(varies) > 0 {
		to["Vary"] = varies
	}
}
