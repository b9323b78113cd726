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

// The default settings of a server.
const (
	DefaultHeaderTimeout  = 10 * time.Second
	DefaultReadTimeout    = 30 * time.Second
	DefaultWriteTimeout   = time.Minute
	DefaultIdleTimeout    = 2 * time.Minute
	DefaultMaxHeaderBytes = 32 << 10
	// MaxConnections is the maximum number of open connections of one listener.
	MaxConnections = 16_384
)

// ServerOptions limit connections, so that slow or silent clients block nobody. The zero value means the defaults.
type ServerOptions struct {
	// HeaderTimeout is the maximum time to send the head of a request, ReadTimeout the whole request.
	HeaderTimeout, ReadTimeout time.Duration
	// WriteTimeout is the maximum time from the head of a request to the last byte of the answer. It must exceed
	// RequestTimeout. Streams have their own timeout.
	WriteTimeout time.Duration
	// IdleTimeout is the maximum time between two requests on a connection.
	IdleTimeout time.Duration
	// MaxHeaderBytes limits the head of a request, including tokens.
	MaxHeaderBytes int
	// RequestTimeout is the maximum time of a request; a shorter WriteTimeout grows with it.
	RequestTimeout time.Duration
	// Logger receives connection errors; nil for none.
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
		// The handler answers OPTIONS * too, and counts it.
		DisableGeneralOptionsHandler: true,
	}
	if options.Logger != nil {
		server.ErrorLog = slog.NewLogLogger(options.Logger.Handler(), slog.LevelDebug)
	}
	return server
}

// Bounded limits the open connections of a listener; more wait to be accepted.
func Bounded(listener net.Listener, connections int) net.Listener {
	return netutil.LimitListener(listener, connections)
}
