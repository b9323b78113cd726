//go:build long

package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// authority issues certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// file holds its certificate.
	file string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(t.TempDir(), name+".pem")}
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	require.NoError(t, err)
	a.certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	writePEM(t, a.file, "CERTIFICATE", der)
	return a
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// issue writes a certificate for a name, and its key, to the files.
func (a *authority) issue(t *testing.T, name, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}, a.certificate, &key.PublicKey, a.key)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	writePEM(t, certFile, "CERTIFICATE", der)
	writePEM(t, keyFile, "PRIVATE KEY", encoded)
}

func writePEM(t *testing.T, file, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// guardedTemporal is the test server behind TLS: clients need a certificate and the API key.
type guardedTemporal struct {
	address string
	apiKey  atomic.Pointer[string]
	// clients is the name in the last client certificate.
	clients atomic.Pointer[string]
}

func guardTemporal(t *testing.T, target string, servers, clients *authority) *guardedTemporal {
	t.Helper()
	g := &guardedTemporal{}
	directory := t.TempDir()
	certFile, keyFile := filepath.Join(directory, "server.pem"), filepath.Join(directory, "server.key")
	servers.issue(t, "temporal.example", certFile, keyFile)
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: target})
	transport := &http.Transport{Protocols: &http.Protocols{}} // gRPC without TLS
	transport.Protocols.SetUnencryptedHTTP2(true)
	forward.Transport, forward.FlushInterval = transport, -1
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+*g.apiKey.Load() {
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", "7")
			w.Header().Set("Grpc-Message", "the API key is not good")
			return
		}
		name := r.TLS.PeerCertificates[0].Subject.CommonName
		g.clients.Store(&name)
		forward.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients.pool(),
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	g.address = server.Listener.Addr().String()
	return g
}

// The node sends a certificate and an API key to Temporal, and both may change while it runs.
func TestTemporal_ConnectsWithTLSAndAPIKey(t *testing.T) {
	t.Parallel()
	servers, clients := newAuthority(t, "servers"), newAuthority(t, "clients")
	i := install(t)
	guarded := guardTemporal(t, i.temporalAddress, servers, clients)
	first, second := "key-one-"+particular, "key-two-"+particular
	guarded.apiKey.Store(&first)
	directory := t.TempDir()
	certFile, keyFile := filepath.Join(directory, "client.pem"), filepath.Join(directory, "client.key")
	apiKeyFile := filepath.Join(directory, "api-key")
	clients.issue(t, "node-one", certFile, keyFile)
	require.NoError(t, os.WriteFile(apiKeyFile, []byte(first+"\n"), 0o600))
	i.temporalAddress = guarded.address
	credentials := []string{
		"--temporal-tls-ca-path", servers.file, "--temporal-tls-server-name", "temporal.example",
		"--temporal-tls-cert-path", certFile, "--temporal-tls-key-path", keyFile,
	}
	node := serve(t, "serve", i, append(credentials, "--temporal-api-key-file", apiKeyFile, "--log-level", "info")...)
	alice := newAccount(t, node.endpoint, findDSO(t, node.endpoint), "alice", "alice")
	coin, err := node.admin().FindCoin(t.Context(), findDSO(t, node.endpoint))
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "guarded", 1))
	require.NoError(t, err)
	require.Equal(t, "node-one", *guarded.clients.Load())

	require.NoError(t, os.WriteFile(apiKeyFile, []byte(second), 0o600))
	require.NoError(t, node.Signal(syscall.SIGHUP))
	node.awaitLogged(t, "read again on SIGHUP")
	guarded.apiKey.Store(&second)
	await(t, "the new key counts", func() error {
		_, err := alice.SubmitAndWait(t.Context(), alice.tap(coin, "after", 1))
		if code := client.Code(err); code == "DUPLICATE_COMMAND" {
			return nil
		}
		return err
	})
	require.NotContains(t, node.stderr.String(), particular)

	for name, flags := range map[string][]string{
		"another authority": {"--temporal-tls-ca-path", clients.file},
		"another name":      {"--temporal-tls-server-name", "elsewhere.example"},
	} {
		refused := run(t, i.environment(), append([]string{
			"worker", "--temporal-api-key", second,
		}, append(credentials, flags...)...)...)
		require.Equal(t, 1, refused.exitCode(t), name)
		require.Contains(t, refused.stderr.String(), "certificate", name)
	}
}
