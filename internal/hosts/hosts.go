// Package hosts lets a server answer only to its own host names. It protects against DNS rebinding.
//
// The owner of a domain decides to which address it points. A page of that domain, in a browser on this machine or in
// its network, can point its domain to this server, and then call the server as same-origin. But the browser sends the
// domain in the header Host, so a server that knows its names can refuse. Addresses are safe: a page that the browser
// loaded from an address comes from this server.
package hosts

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Any in a list allows every name.
const Any = "*"

// Names are the host names and addresses to which a server answers. The zero value allows all.
type Names struct {
	limited bool
	// exact are names and addresses, in lower case.
	exact []string
	// anyAddress: the server listens on every address of the machine.
	anyAddress bool
}

// Parse reads a list of names for a server that listens on an address. It always adds the local names (localhost,
// *.localhost, loopback addresses) and the address. The error names the bad entry.
func Parse(list []string, listen string) (Names, error) {
	names := Names{limited: true}
	for _, entry := range list {
		switch entry = strings.ToLower(strings.TrimSpace(entry)); {
		case entry == "":
		case entry == Any:
			return Names{}, nil
		case strings.ContainsAny(entry, "/:@ *"):
			return Names{}, fmt.Errorf("%q is not a host name: write only the name, as in node.example, without scheme, port "+
				"and path; %s allows every name", entry, Any)
		default:
			names.exact = append(names.exact, entry)
		}
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return Names{}, fmt.Errorf("%q is not an address to listen on: %w", listen, err)
	}
	address, err := netip.ParseAddr(host)
	switch {
	case host == "" || err == nil && address.IsUnspecified():
		names.anyAddress = true
	case err == nil:
		names.exact = append(names.exact, address.Unmap().String())
	default:
		names.exact = append(names.exact, strings.ToLower(host))
	}
	return names, nil
}

// Serve reports whether the server answers to this value of the header Host.
func (n Names) Serve(header string) bool {
	if !n.limited {
		return true
	}
	host := header
	if name, _, err := net.SplitHostPort(header); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if address, err := netip.ParseAddr(host); err == nil {
		address = address.Unmap().WithZone("")
		return address.IsLoopback() || n.anyAddress || slices.Contains(n.exact, address.String())
	}
	host = strings.TrimSuffix(host, ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(n.exact, host)
}

// Guard passes requests to one of the names to next, and all others to refuse.
func (n Names) Guard(next, refuse http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !n.Serve(r.Host) {
			refuse.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// GuardPages is [Names.Guard] for a server that browsers use without a token: a request that changes data must come
// from one of its own pages, or from a client that is no browser. flag is the setting that adds names.
func (n Names) GuardPages(next http.Handler, flag string) http.Handler {
	ownPages := http.NewCrossOriginProtection()
	ownPages.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "A page of another origin requests a change. Only pages of this server can change data.",
			http.StatusForbidden)
	}))
	return n.Guard(ownPages.Handler(next), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, Refusal(r.Host, flag), http.StatusMisdirectedRequest)
	}))
}

// Refusal is the error text for a host name; flag is the setting that adds names.
func Refusal(host, flag string) string {
	return fmt.Sprintf("This server does not answer to the host name %.253q. Use localhost or its address, or add the "+
		"host with %s.", host, flag)
}
