package webhook

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"time"
)

// maxURLBytes is the longest URL of a webhook.
const maxURLBytes = 2000

// CheckURL explains what is wrong with the URL of a webhook; "" for nothing. Names are resolved, and checked again, with
// each connection.
func CheckURL(text string, allowPrivate bool) string {
	parsed, err := url.Parse(text)
	switch {
	case len(text) > maxURLBytes:
		return fmt.Sprintf("url has %d bytes; %d are allowed", len(text), maxURLBytes)
	case err != nil || parsed.Host == "" || parsed.Hostname() == "":
		return fmt.Sprintf("url: %q is not the address of a receiver, such as https://app.example/florin", text)
	case parsed.User != nil:
		return "url must not have a user or password: messages are signed"
	case parsed.Fragment != "":
		return "url must not have a fragment (#)"
	case parsed.Scheme != "https" && allowPrivate && parsed.Scheme != "http":
		return "url must begin with https:// or http://"
	case parsed.Scheme != "https" && !allowPrivate:
		return "url must begin with https://; an operator allows http:// and private addresses with " +
			"--webhook-private-addresses"
	}
	if port := parsed.Port(); port != "" {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return fmt.Sprintf("url has the port %.20s; ports are from 1 to %d", port, math.MaxUint16)
		}
	}
	if address, err := netip.ParseAddr(parsed.Hostname()); err == nil && !allowPrivate && !isPublic(address) {
		return privateText(address)
	}
	return ""
}

// errPrivate marks addresses that webhooks must not reach.
var errPrivate = errors.New("address is not public")

func privateText(address netip.Addr) string {
	return fmt.Sprintf("url: %s is not a public address; an operator allows others with --webhook-private-addresses", address)
}

// reserved are networks that netip calls global although they lead to no public receiver, or to one in disguise.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10"), netip.MustParsePrefix("100:0:0:1::/64"), netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("::ffff:0:0:0/96"), // IPv4 addresses in disguise
	netip.MustParsePrefix("168.63.129.16/32"), // the host of a virtual machine in Azure
}

// isPublic reports whether an address is one of the Internet.
func isPublic(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if !address.IsGlobalUnicast() || address.IsPrivate() || address.IsLoopback() || address.IsLinkLocalUnicast() {
		return false
	}
	for _, network := range reserved {
		if network.Contains(address) {
			return false
		}
	}
	return true
}

// dialer connects to public addresses. It resolves a name and connects to the addresses that it has checked, so a name
// that leads elsewhere later does not pass.
type dialer struct {
	allowPrivate bool
	lookup       func(ctx context.Context, host string) ([]netip.Addr, error)
	net          net.Dialer
}

// dialTimeout bounds the connection to one address.
const dialTimeout = 5 * time.Second

func newDialer(allowPrivate bool, lookup func(context.Context, string) ([]netip.Addr, error)) *dialer {
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return &dialer{allowPrivate: allowPrivate, lookup: lookup, net: net.Dialer{Timeout: dialTimeout}}
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses, err := d.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	var failures error
	for _, one := range addresses {
		if !d.allowPrivate && !isPublic(one) {
			failures = errors.Join(failures, fmt.Errorf("%s leads to %s: the %w; an operator allows others with "+
				"--webhook-private-addresses", host, one, errPrivate))
			continue
		}
		conn, err := d.net.DialContext(ctx, network, net.JoinHostPort(one.String(), port))
		if err == nil {
			return conn, nil
		}
		failures = errors.Join(failures, err)
	}
	return nil, failures
}

func (d *dialer) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address.Unmap()}, nil
	}
	found, err := d.lookup(ctx, host)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the name %s has no address", host)
	}
	for i, address := range found {
		found[i] = address.Unmap()
	}
	return found, err
}
