package node

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// keyPair is a certificate with its key, from two files that may change while the node runs.
type keyPair struct {
	certFile, keyFile string
	current           atomic.Pointer[tls.Certificate]
}

func openKeyPair(certFile, keyFile string) (*keyPair, error) {
	k := &keyPair{certFile: certFile, keyFile: keyFile}
	return k, k.reread()
}

// reread reads the files again. If they are not usable, it keeps the old certificate.
func (k *keyPair) reread() error {
	certificate, err := tls.LoadX509KeyPair(k.certFile, k.keyFile)
	if err != nil {
		return fmt.Errorf("the certificate %s with the key %s is not usable: %w", k.certFile, k.keyFile, err)
	}
	k.current.Store(&certificate)
	return nil
}

// end is the end of the certificate.
func (k *keyPair) end() time.Time { return k.current.Load().Leaf.NotAfter }

// forClients returns the certificate that a server shows its clients.
func (k *keyPair) forClients(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return k.current.Load(), nil
}

// forServers returns the certificate that a client shows a server.
func (k *keyPair) forServers(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return k.current.Load(), nil
}

// readAuthorities reads the certificates of authorities in PEM.
func readAuthorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New(file + " holds no certificate in PEM")
	}
	return pool, nil
}

// ServingSettings are the certificate and key of the API.
type ServingSettings struct {
	TLSCert string `name:"tls-cert" help:"Certificate of the API in PEM, with its intermediate certificates, read again on SIGHUP. Without one the API serves HTTP." env:"FLORIN_TLS_CERT"`
	TLSKey  string `name:"tls-key" help:"Key of that certificate in PEM." env:"FLORIN_TLS_KEY"`
}

func (s ServingSettings) check() error {
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key go together: give both, or none")
	}
	return nil
}

// open reads the certificate; nil without one.
func (s ServingSettings) open() (*keyPair, error) {
	if s.TLSCert == "" {
		return nil, nil // there is none
	}
	return openKeyPair(s.TLSCert, s.TLSKey)
}
