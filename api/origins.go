package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rs/cors"
)

// Words for several origins in a list.
const (
	// LoopbackOrigins allows every page of this machine, on any port.
	LoopbackOrigins = "loopback"
	// AnyOrigin allows every page.
	AnyOrigin = "*"
	// NoOrigin allows only pages of the node.
	NoOrigin = "none"
)

// preflightAge is how long a browser may cache a preflight answer.
const preflightAge = 10 * time.Minute

// Origins are the web origins whose pages may call the node. The zero value allows none.
type Origins struct {
	any, loopback bool
	exact         []string
}

// ParseOrigins reads a list of origins in the form of browsers: https://wallet.example, http://localhost:3000. The
// error names the invalid entry.
func ParseOrigins(list []string) (Origins, error) {
	var origins Origins
	for _, entry := range list {
		switch entry = strings.TrimSpace(entry); entry {
		case "", NoOrigin:
		case AnyOrigin:
			origins.any = true
		case LoopbackOrigins:
			origins.loopback = true
		default:
			if err := checkOrigin(entry); err != nil {
				return Origins{}, err
			}
			origins.exact = append(origins.exact, strings.ToLower(entry))
		}
	}
	return origins, nil
}

func checkOrigin(entry string) error {
	parsed, err := url.Parse(entry)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" || parsed.Scheme+"://"+parsed.Host != entry {
		return fmt.Errorf("%q is not an origin: write a scheme, a host and, if needed, a port: https://wallet.example or "+
			"http://localhost:3000, or one of the words %s, %s and %s", entry, LoopbackOrigins, NoOrigin, AnyOrigin)
	}
	return nil
}

// Allow reports whether pages of the origin may call the node.
func (o Origins) Allow(origin string) bool {
	return origin != "" && (o.any || o.loopback && isLoopback(origin) || slices.Contains(o.exact, strings.ToLower(origin)))
}

// isLoopback reports whether an origin is this machine by name or address. A name that only resolves to this machine is
// not: its owner can change that.
func isLoopback(origin string) bool {
	parsed, err := url.Parse(origin)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return false
	}
	host := strings.ToLower(parsed.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// crossOrigin sets the CORS headers; preflight answers preflight requests. [endpoint.Server] exposes the headers of
// each answer.
func (o Origins) crossOrigin(preflight http.Handler) func(http.Handler) http.Handler {
	headers := cors.New(cors.Options{
		AllowOriginFunc: o.Allow,
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		},
		AllowedHeaders: []string{"*"},
		MaxAge:         int(preflightAge.Seconds()), OptionsPassthrough: true,
	})
	return func(next http.Handler) http.Handler {
		return headers.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				preflight.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		}))
	}
}
