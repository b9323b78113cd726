//go:build long

package e2e_test

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/peer"

	"github.com/florinledger/florin/client"
)

// write puts the text into a file.
func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// hangup sends SIGHUP, and returns the log line about the files that the node has read again.
func (n *servedNode) hangup(t *testing.T) map[string]any {
	t.Helper()
	before := len(logged(t, n.stderr.String(), "read again on SIGHUP"))
	require.NoError(t, n.Signal(syscall.SIGHUP))
	await(t, "the files are read again", func() error {
		if len(logged(t, n.stderr.String(), "read again on SIGHUP")) == before {
			return errNotYet
		}
		return nil
	})
	return n.awaitLogged(t, "read again on SIGHUP")
}

// launchPlain starts a node with only these settings.
func launchPlain(t *testing.T, environment []string, flags ...string) *servedNode {
	t.Helper()
	arguments := append([]string{"serve", "--listen", "127.0.0.1:0", "--stop-delay", "0s"}, flags...)
	return &servedNode{program: start(t, environment, arguments...), what: "serve"}
}

func TestReload_ReadsSecretsAndLogLevels(t *testing.T) {
	t.Parallel()
	i := install(t)
	directory := t.TempDir()
	urlFile, secretFile := filepath.Join(directory, "url"), filepath.Join(directory, "secret")
	settingsFile := filepath.Join(directory, "settings")
	admin, err := pgx.Connect(t.Context(), i.databaseURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = admin.Close(t.Context()) })
	role := "node_" + strings.ToLower(rand.Text()[:10])
	_, err = admin.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN PASSWORD 'one' IN ROLE "+
		pgx.Identifier{admin.Config().User}.Sanitize())
	require.NoError(t, err)
	as := func(password string) string {
		place, err := url.Parse(i.databaseURL)
		require.NoError(t, err)
		place.User = url.UserPassword(role, password)
		return place.String()
	}
	write(t, urlFile, as("one")+"\n")
	write(t, secretFile, particular+"-one\n")
	write(t, settingsFile, "# of a test\nFLORIN_LOG_LEVEL=\"info\"\nFLORIN_DATABASE_CONNECTIONS=9\n"+
		"FLORIN_TEMPORAL_ADDRESS="+i.temporalAddress+"\n")
	node := launchPlain(t, []string{"FLORIN_TEMPORAL_NAMESPACE=" + i.namespace, "FLORIN_SETTINGS_FILE=" + settingsFile},
		"--database-url-file", urlFile, "--auth-secret-file", secretFile)
	await(t, "the node has begun to start", func() error {
		if node.stderr.String() == "" {
			return errNotYet
		}
		return nil
	})
	require.NoError(t, node.Signal(syscall.SIGHUP))
	node.awaitReady(t)
	node.awaitLogged(t, "read again on SIGHUP")
	token := func(number string) *client.Client {
		return node.client.With(client.Token(particular+"-"+number, audience, adminUser))
	}
	_, err = token("one").LedgerEnd(t.Context())
	require.NoError(t, err)

	// The password changes, and the old connections are cut.
	_, err = admin.Exec(t.Context(), "ALTER ROLE "+role+" PASSWORD 'two'")
	require.NoError(t, err)
	write(t, urlFile, as("two"))
	node.hangup(t)
	_, err = admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", role)
	require.NoError(t, err)
	await(t, "the node is ready with the new password", func() error {
		if status, text := page(t, node.endpoint, "/readyz"); status != http.StatusOK {
			return &client.Error{Status: status, Cause: text}
		}
		return nil
	})
	for place, why := range map[string]string{
		"postgres://elsewhere/other": "leads to another database", as("mistyped"): "refuses the user and password",
	} {
		write(t, urlFile, place)
		require.NotContains(t, node.hangup(t)["what"], "database URL")
		refused := node.awaitLogged(t, "not read again; the node keeps the old value")
		require.Equal(t, "database URL", refused["what"])
		require.Contains(t, refused["error"], why)
		status, _ := page(t, node.endpoint, "/readyz")
		require.Equal(t, http.StatusOK, status)
	}
	write(t, urlFile, as("two"))
	node.hangup(t)

	// The secret of tokens changes when the ledger knows the new one.
	write(t, secretFile, particular+"-two")
	require.NotContains(t, node.hangup(t)["what"], "secret of tokens", "the ledger has another one")
	require.NoError(t, token("one").Call(t.Context(), http.MethodPut, "/v0/admin/ledger-settings/auth-secret",
		map[string]string{"value": particular + "-two"}, nil))
	require.Contains(t, node.hangup(t)["what"], "secret of tokens")
	_, err = token("two").LedgerEnd(t.Context())
	require.NoError(t, err)
	_, err = token("one").LedgerEnd(t.Context())
	require.Error(t, err, "the old secret signs no more tokens")
	require.Equal(t, http.StatusUnauthorized, answer(err).Status)

	require.NotContains(t, node.stderr.String(), `"level":"DEBUG"`)
	write(t, settingsFile, "FLORIN_LOG_LEVEL=debug\nFLORIN_MAX_READ=8\n")
	require.NotContains(t, node.hangup(t)["what"], "log level")
	refused := node.awaitLogged(t, "not read again; the node keeps the old value")
	require.Contains(t, refused["error"],
		"line 2 of the settings file: there is no setting FLORIN_MAX_READ; did you mean FLORIN_MAX_READS?")
	require.NotContains(t, node.stderr.String(), `"level":"DEBUG"`)
	write(t, settingsFile, "FLORIN_LOG_LEVEL=debug\n")
	read := node.hangup(t)
	require.Equal(t, "INFO", read["level"])
	require.Contains(t, read["what"], "log level")
	await(t, "what load balancers ask is logged", func() error {
		if _, text := page(t, node.endpoint, "/readyz"); !strings.Contains(text, "passed") {
			return errors.New(text)
		}
		if !strings.Contains(node.stderr.String(), `"level":"DEBUG"`) {
			return errNotYet
		}
		return nil
	})
	require.NotContains(t, node.stderr.String(), particular)
}

// shown is the serial number of a server's certificate.
func shown(t *testing.T, address string, of *authority) string {
	t.Helper()
	dialer := &tls.Dialer{Config: &tls.Config{RootCAs: of.pool(), ServerName: "ledger.example"}}
	connection, err := dialer.DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// shownToCalls is the serial number of the certificate of a gRPC API, which is well.
func shownToCalls(t *testing.T, address string, of *authority) string {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{
		RootCAs: of.pool(), ServerName: "ledger.example",
	})))
	require.NoError(t, err)
	defer conn.Close()
	var server peer.Peer
	answer, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{},
		grpc.Peer(&server))
	require.NoError(t, err)
	require.Equal(t, grpc_health_v1.HealthCheckResponse_SERVING, answer.GetStatus())
	return server.AuthInfo.(credentials.TLSInfo).State.PeerCertificates[0].SerialNumber.String()
}

func TestServe_UsesTLSAndNotifiesTheServiceManager(t *testing.T) {
	t.Parallel()
	i := install(t)
	directory := t.TempDir()
	certFile, keyFile := filepath.Join(directory, "ledger.pem"), filepath.Join(directory, "ledger.key")
	issuer := newAuthority(t, "issuer")
	issuer.issue(t, "ledger.example", certFile, keyFile)
	socket := filepath.Join(filepath.Dir(dataDir(t)), "notify")
	manager, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "unixgram", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = manager.Close() })
	told := make(chan string, 1000)
	go func() {
		buffer := make([]byte, 100)
		for {
			count, _, err := manager.ReadFrom(buffer)
			if err != nil {
				return
			}
			told <- string(buffer[:count])
		}
	}()
	profiles := freeAddress(t)
	node := launchPlain(t, append(i.environment(), "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=100000"),
		"--tls-cert", certFile, "--tls-key", keyFile, "--profile-listen", profiles, "--grpc-listen", "127.0.0.1:0")
	node.waitFor(t, "florin: ready at https://")
	node.waitFor(t, "\n")
	said, address, _ := strings.Cut(strings.TrimSpace(node.stdout.String()), "https://")
	_, calls, _ := strings.Cut(said, "florin: gRPC at ")
	calls, _, _ = strings.Cut(calls, "\n")
	require.Equal(t, "READY=1", <-told)
	require.Equal(t, "WATCHDOG=1", <-told)

	first := shown(t, address, issuer)
	require.Equal(t, first, shown(t, address, issuer))
	require.Equal(t, first, shownToCalls(t, calls, issuer))
	issuer.issue(t, "ledger.example", certFile, keyFile)
	node.hangup(t)
	second := shown(t, address, issuer)
	require.NotEqual(t, first, second, "the new certificate is shown")
	require.Equal(t, second, shownToCalls(t, calls, issuer))
	write(t, certFile, "nothing")
	node.hangup(t)
	require.Equal(t, second, shown(t, address, issuer), "an invalid certificate changes nothing")
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: issuer.pool(), ServerName: "ledger.example"},
	}}
	t.Cleanup(client.CloseIdleConnections)
	response, err := client.Get("https://" + address + "/readyz")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)

	_, text := page(t, endpoint{url: "http://" + profiles}, "/debug/pprof/goroutine?debug=1")
	require.Contains(t, text, "goroutine profile: total")
	require.NoError(t, node.Signal(syscall.SIGTERM))
	await(t, "the manager is told of the stop", func() error {
		if <-told != "STOPPING=1" {
			return errNotYet
		}
		return nil
	})
	node.waitEnd(t)
	require.Equal(t, 0, node.exitCode(t))

	refused := run(t, i.environment(), "serve", "--profile-listen", "0.0.0.0:6060")
	require.NotZero(t, refused.exitCode(t))
	require.Contains(t, refused.stderr.String(), "name a loopback address")
}
