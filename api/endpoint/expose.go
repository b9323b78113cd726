package endpoint

import (
	"net/http"
	"slices"
	"strings"
)

// exposeHeader lists the headers of an answer that a page of another origin may read.
const exposeHeader = "Access-Control-Expose-Headers"

// expose lets a page of another origin that may call the node read all that the answer says in headers. The list is
// made from the answer, so that no header can be forgotten in it.
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

// needsNoMention reports whether a header is one that every page may read (CORS-safelisted response header), or one
// that is for the browser alone.
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
