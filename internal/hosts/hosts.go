// Package hosts says under which names a server is served, and keeps what comes under other names from it.
//
// Whoever owns a name decides where it leads. A page of theirs, in the browser of somebody on this machine or in its
// network, can have its own name lead here (DNS rebinding), and then calls this server as if it were the page's own.
// But the browser says the name in the header Host, so a server that knows its names is not deceived. An address is no
// name: a page that was loaded from an address is this server's own.
package hosts

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Any stands for every name in a list of them.
const Any = "*"

// Names are the names and addresses under which a server is served. The zero value is every one.
type Names struct {
	limited bool
	// exact are names and addresses, in lower case.
	exact []string
	// anyAddress: the server listens on every address of the machine.
	anyAddress bool
}

// Parse reads a list of names for a server that listens on an address. The names of this machine to itself (localhost
// and what ends in it, loopback addresses) and the address are always among them. The error names the entry that is no
// name.
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

// Serve reports whether the server is served under what a header Host says.
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

// Guard lets pass what comes under one of the names, and has refuse answer the rest.
func (n Names) Guard(next, refuse http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !n.Serve(r.Host) {
			refuse.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// GuardPages is [Names.Guard] for a server that browsers use without a token: what changes something must come from one
// of its own pages, or from no page. Flag is the setting that adds names.
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

// Refusal says why a name is refused, and which setting adds names.
func Refusal(host, flag string) string {
	return fmt.Sprintf("This server does not answer to the host name %.253q. Use localhost or its address, or add the "+
		"host with %s.", host, flag)
}
