//go:build long

package e2e_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nginxSettings are nginx's settings around those of docs/guides/load-balancers.md. It writes only to the test's
// directory.
const nginxSettings = `daemon off;
master_process off;
pid DIRECTORY/nginx.pid;
error_log stderr notice;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path DIRECTORY/body;
  proxy_temp_path DIRECTORY/proxy;
  fastcgi_temp_path DIRECTORY/fastcgi;
  uwsgi_temp_path DIRECTORY/uwsgi;
  scgi_temp_path DIRECTORY/scgi;
GUIDE
}
`

// balanceByNginx starts an nginx before nodes, with the settings of the guide, and returns its address.
func balanceByNginx(t *testing.T, nodes ...string) endpoint {
	t.Helper()
	guide, err := os.ReadFile("../../docs/guides/load-balancers.md")
	require.NoError(t, err)
	_, chapter, found := strings.Cut(string(guide), "\n## nginx\n")
	require.True(t, found)
	_, block, _ := strings.Cut(chapter, "\n```\n")
	block, _, found = strings.Cut(block, "\n```\n")
	require.True(t, found)
	address := freeAddress(t)
	var servers strings.Builder
	for _, node := range nodes {
		servers.WriteString("  server " + node + " max_fails=0;\n")
	}
	for inGuide, here := range map[string]string{
		"  server 10.0.0.11:7575 max_fails=0;\n  server 10.0.0.12:7575 max_fails=0;\n": servers.String(),
		"  listen 443 ssl;\n":                            "  listen " + address + ";\n",
		"  ssl_certificate /etc/nginx/ledger.pem;\n":     "",
		"  ssl_certificate_key /etc/nginx/ledger.key;\n": "",
	} {
		require.Equal(t, 1, strings.Count(block, inGuide), "the guide has this once: %s", inGuide)
		block = strings.ReplaceAll(block, inGuide, here)
	}
	settings := strings.NewReplacer("DIRECTORY", t.TempDir(), "GUIDE", block).Replace(nginxSettings)
	return startBalancer(t, "nginx", settings, address, "-e", "stderr", "-c")
}

// TestCluster_RestartsBehindNginxWithoutErrors restarts each API under load behind an nginx, which does not use
// /readyz.
func TestCluster_RestartsBehindNginxWithoutErrors(t *testing.T) {
	t.Parallel()
	seed, _ := newRandom(t)
	c := newCluster(t, balanceByNginx)
	l := newCrashLoad(t, findDSO(t, c.front), seed, newTarget(c.front))
	l.think = clusterThink
	stop := l.start()
	t.Cleanup(stop)
	for number := range clusterSize {
		l.awaitProgress(t, crashClients)
		c.restart(t, number)
		require.Empty(t, l.failed(), "planned work fails no request")
	}
	l.awaitProgress(t, crashClients)
	require.Empty(t, l.failed(), "planned work fails no request")
	stop()
	l.prove(t, c.apis[0].endpoint, temporalClient(t, c.temporalAddress, c.namespace))
}
