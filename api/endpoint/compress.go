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

// minCompressed is how many bytes an answer has at least that is worth compressing.
const minCompressed = 1 << 10

// compressor compresses whole answers for clients that ask for gzip. It is quick rather than thorough: what does not
// get shorter, a list of hashes say, is sent as it is.
type compressor struct {
	wrap func(http.Handler) http.HandlerFunc
	// places bounds how many answers are compressed at once: each takes 0.8 MB meanwhile, and a processor.
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

// compress is an answer as the client takes it: compressed, if it asked for that and the answer is long text. It is
// made before any of it is sent, so that no client, however slow, keeps a compressor. Answers that are made while they
// are sent stay as they are.
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

// gzipBody takes the body of an answer where it is compressed.
type gzipBody struct {
	header http.Header
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (z *gzipBody) Header() http.Header { return z.header }

// WriteHeader implements [http.ResponseWriter].
func (z *gzipBody) WriteHeader(int) {}

// Write implements [http.ResponseWriter]. What comes as it was is there already.
func (z *gzipBody) Write(part []byte) (int, error) {
	if z.header.Get("Content-Encoding") != gzipCoding {
		return len(part), nil
	}
	return z.body.Write(part)
}

// encodingsOf are the forms in which a client takes what may be compressed. A request that may become a stream is
// answered as it is.
func encodingsOf(r *http.Request) string {
	if r.Header.Get("Upgrade") != "" {
		return ""
	}
	return strings.Join(r.Header.Values("Accept-Encoding"), ",")
}

// addHeader sets headers of an answer. What it varies with comes to what others have said of that.
func addHeader(to, more http.Header) {
	varies := append(to.Values("Vary"), more.Values("Vary")...)
	maps.Copy(to, more)
	if len(varies) > 0 {
		to["Vary"] = varies
	}
}
