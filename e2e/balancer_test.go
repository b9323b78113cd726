package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/freeport"
	"github.com/florinledger/florin/devnet/process"
)

// balancerSettings are those of docs/guides/load-balancers.md, with shorter times.
const balancerSettings = `global
  maxconn 500
defaults
  mode http
  timeout connect 5s
  timeout client 1m
  timeout server 1m
  timeout check 5s
  timeout queue 20s
  option redispatch
  retries 5
  retry-on conn-failure
frontend clients
  bind %s
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  default-server check inter 200ms fall 2 rise 1
`

// balance starts a HAProxy before nodes and returns where it listens.
func balance(t *testing.T, nodes ...string) endpoint {
	t.Helper()
	executable, err := exec.LookPath("haproxy")
	if err != nil { // Debian keeps it where only administrators look
		executable = "/usr/sbin/haproxy"
	}
	require.FileExists(t, executable, "this test needs HAProxy: make test installs it, or install the package haproxy")
	address := freeAddress(t)
	var settings strings.Builder
	_, _ = fmt.Fprintf(&settings, balancerSettings, address)
	for i, node := range nodes {
		_, _ = fmt.Fprintf(&settings, "  server node-%d %s\n", i, node)
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	require.NoError(t, os.WriteFile(file, []byte(settings.String()), 0o600))
	cmd := exec.Command(executable, "-db", "-f", file)
	said := newOutput()
	cmd.Stdout, cmd.Stderr = said, said
	running, err := process.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, running.Stop(context.WithoutCancel(t.Context()), syscall.SIGTERM, syscall.SIGKILL, stopGrace))
		if t.Failed() {
			t.Logf("HAProxy said:\n%s", said)
		}
	})
	return newEndpoint(t, "http://"+address)
}

// freeAddress is an address of this machine that was free a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := freeport.Find(t.Context(), "127.0.0.1")
	require.NoError(t, err)
	return "127.0.0.1:" + strconv.Itoa(port)
}
