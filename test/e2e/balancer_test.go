//go:build long

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

// balancerSettings are the settings of docs/guides/load-balancers.md, with shorter times.
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

// balance starts a HAProxy before nodes and returns its address.
func balance(t *testing.T, nodes ...string) endpoint {
	t.Helper()
	address := freeAddress(t)
	var settings strings.Builder
	_, _ = fmt.Fprintf(&settings, balancerSettings, address)
	for i, node := range nodes {
		_, _ = fmt.Fprintf(&settings, "  server node-%d %s\n", i, node)
	}
	return startBalancer(t, "haproxy", settings.String(), address, "-db", "-f")
}

// startBalancer writes the settings to a file, and starts a load balancer with this file as its last argument.
func startBalancer(t *testing.T, name, settings, address string, arguments ...string) endpoint {
	t.Helper()
	executable, err := exec.LookPath(name)
	if err != nil { // Debian's directory is only in the path of administrators
		executable = "/usr/sbin/" + name
	}
	require.FileExists(t, executable, "this test needs %[1]s: make test installs it, or install the package %[1]s", name)
	file := filepath.Join(t.TempDir(), name+".cfg")
	require.NoError(t, os.WriteFile(file, []byte(settings), 0o600))
	cmd := exec.Command(executable, append(arguments, file)...)
	said := newOutput()
	cmd.Stdout, cmd.Stderr = said, said
	running, err := process.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, running.Stop(context.WithoutCancel(t.Context()), syscall.SIGTERM, syscall.SIGKILL, stopGrace))
		if t.Failed() {
			t.Logf("%s said:\n%s", name, said)
		}
	})
	return newEndpoint(t, "http://"+address)
}

// freeAddress is a free address of this machine; another program may take it.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := freeport.Find(t.Context(), "127.0.0.1")
	require.NoError(t, err)
	return "127.0.0.1:" + strconv.Itoa(port)
}
