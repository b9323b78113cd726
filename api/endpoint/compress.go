package endpoint

import (
	"fmt"
	"maps"
	"mime"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// minCompressed is how many bytes an answer has at least that is worth compressing.
const minCompressed = 1 << 10

// newCompressor makes what compresses answers for clients that ask for gzip. It is quick rather than thorough: an
// answer is held whole already, and a compressor has a bounded window beside it.
func newCompressor() (func(http.Handler) http.HandlerFunc, error) {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false),
		gzhttp.SetContentType(false), gzhttp.ContentTypeFilter(compresses),
	)
	if err != nil {
		return nil, fmt.Errorf("make what compresses answers: %w", err)
	}
	return wrap, nil
}

// compresses reports whether bodies of a type are compressed: those of the API and of its documents.
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

// compressed serves requests with compressed answers where clients ask for them, but those that may become a stream.
func (f *Frame) compressed(next http.Handler) http.Handler {
	wrapped := f.compress(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" && r.Header.Get("Accept-Encoding") != "" {
			r = r.Clone(r.Context())
			r.Header.Del("Accept-Encoding")
		}
		wrapped.ServeHTTP(w, r)
	})
}

// addHeader sets headers of an answer. What it varies with comes to what others have said of that.
func addHeader(to, more http.Header) {
	varies := append(to.Values("Vary"), more.Values("Vary")...)
	maps.Copy(to, more)
	if len(varies) > 0 {
		to["Vary"] = varies
	}
}
