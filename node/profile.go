package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// profileSettings are the address of the profiles of the process.
type profileSettings struct {
	ProfileListen string `help:"Loopback address that serves Go profiles under /debug/pprof/; empty: off." env:"FLORIN_PROFILE_LISTEN"`
}

func (s profileSettings) check() error {
	if s.ProfileListen != "" && !isLoopback(s.ProfileListen) {
		return fmt.Errorf("--profile-listen=%s: profiles show what is in the process's memory: name a loopback address, "+
			"as in 127.0.0.1:6060", s.ProfileListen)
	}
	return nil
}

// serveProfiles serves profiles until background ends.
func (n *Node) serveProfiles(ctx, background context.Context) error {
	address := n.options.Settings.ProfileListen
	if address == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return ExplainListen(address, "--profile-listen", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "The command line may hold secrets.", http.StatusForbidden)
	})
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	const headerTimeout = 10 * time.Second
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
	context.AfterFunc(background, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			n.fail(err)
		}
	}()
	n.options.Log.InfoContext(ctx, "the node serves profiles", "address", listener.Addr().String())
	return nil
}
