package api

import (
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/florinledger/florin/api/endpoint"
)

// The defaults of the settings of a [Server].
const (
	DefaultHeaderTimeout  = 10 * time.Second
	DefaultReadTimeout    = 30 * time.Second
	DefaultWriteTimeout   = time.Minute
	DefaultIdleTimeout    = 2 * time.Minute
	DefaultMaxHeaderBytes = 32 << 10
	// MaxConnections is how many connections one listener has open at once.
	MaxConnections = 16_384
)

// ServerOptions bound what connections may take, so that clients that are slow or say nothing hold nothing up. The zero
// value means the defaults.
type ServerOptions struct {
	// HeaderTimeout is how long a client may take to send the head of a request, ReadTimeout the whole request.
	HeaderTimeout, ReadTimeout time.Duration
	// WriteTimeout is how long a request may take from its head to the last byte of the answer. It must be longer than a
	// request may be served. Streams have a patience of their own.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection may wait for the next request.
	IdleTimeout time.Duration
	// MaxHeaderBytes bounds the head of a request, tokens included.
	MaxHeaderBytes int
	// RequestTimeout is how long a request is served; it lengthens a WriteTimeout that would be shorter.
	RequestTimeout time.Duration
	// Logger is told of connections that break off; nil tells nobody.
	Logger *slog.Logger
}

// NewServer makes the server of a handler. Serve it on a listener of [Bounded].
func NewServer(handler http.Handler, options ServerOptions) *http.Server {
	write := cmp.Or(options.WriteTimeout, DefaultWriteTimeout)
	served := cmp.Or(options.RequestTimeout, endpoint.DefaultRequestTimeout)
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: cmp.Or(options.HeaderTimeout, DefaultHeaderTimeout),
		ReadTimeout:       cmp.Or(options.ReadTimeout, DefaultReadTimeout),
		WriteTimeout:      max(write, served+DefaultHeaderTimeout),
		IdleTimeout:       cmp.Or(options.IdleTimeout, DefaultIdleTimeout),
		MaxHeaderBytes:    cmp.Or(options.MaxHeaderBytes, DefaultMaxHeaderBytes),
		// OPTIONS * is for the handler, too, which counts what it answers.
		DisableGeneralOptionsHandler: true,
	}
	if options.Logger != nil {
		server.ErrorLog = slog.NewLogLogger(options.Logger.Handler(), slog.LevelDebug)
	}
	return server
}

// Bounded is a listener that has so many connections open at once; further ones wait to be accepted.
func Bounded(listener net.Listener, connections int) net.Listener {
	return netutil.LimitListener(listener, connections)
}
