package endpoint

import (
	"net/http"
	"slices"
	"strings"
)

// exposeHeader lists the headers that a page of another origin may read.
const exposeHeader = "Access-Control-Expose-Headers"

// expose lets an allowed page of another origin read all headers of the answer. It takes the list from the answer, so
// the list is always complete.
func expose(header http.Header) {
	if header.Get("Access-Control-Allow-Origin") == "" {
		return
	}
	var names []string
	for name := range header {
		if !needsNoMention(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	header.Set(exposeHeader, strings.Join(names, ", "))
}

// needsNoMention reports whether every page may read the header anyway (CORS-safelisted response header), or only the
// browser uses it.
func needsNoMention(name string) bool {
	switch name {
	case "Cache-Control", "Content-Language", "Content-Length", "Content-Type", "Expires", "Last-Modified", "Pragma":
		return true
	case "Content-Security-Policy", "Cross-Origin-Resource-Policy", "Referrer-Policy", "X-Content-Type-Options",
		"X-Frame-Options", "Vary", "Connection":
		return true
	default:
		return strings.HasPrefix(name, "Access-Control-")
	}
}
