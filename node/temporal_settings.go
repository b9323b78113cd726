package node

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"

	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/internal/secret"
)

// TemporalSettings are the address and credentials of the Temporal cluster, with the flag names of Temporal's own
// command line.
type TemporalSettings struct {
	TemporalAddress    string `help:"Frontend of the Temporal cluster: host:port." env:"FLORIN_TEMPORAL_ADDRESS" common:""`
	TemporalAPIKey     string `name:"temporal-api-key" help:"API key for the Temporal cluster; it implies --temporal-tls." env:"FLORIN_TEMPORAL_API_KEY" secret:""`
	TemporalAPIKeyFile string `name:"temporal-api-key-file" help:"File that holds the API key, read again on SIGHUP." env:"FLORIN_TEMPORAL_API_KEY_FILE"`

	TemporalTLS                        bool   `name:"temporal-tls" help:"Use TLS to the Temporal cluster. Any of the settings below implies it." env:"FLORIN_TEMPORAL_TLS"`
	TemporalTLSCertPath                string `name:"temporal-tls-cert-path" help:"Client certificate for the Temporal cluster, in PEM, read again on SIGHUP." env:"FLORIN_TEMPORAL_TLS_CERT_PATH"`
	TemporalTLSKeyPath                 string `name:"temporal-tls-key-path" help:"Key of that certificate, in PEM." env:"FLORIN_TEMPORAL_TLS_KEY_PATH"`
	TemporalTLSCAPath                  string `name:"temporal-tls-ca-path" help:"CA certificates for the Temporal cluster, in PEM. Default: those of the system." env:"FLORIN_TEMPORAL_TLS_CA_PATH"`
	TemporalTLSServerName              string `name:"temporal-tls-server-name" help:"Host name in the certificate of the Temporal cluster, if it differs from the address." env:"FLORIN_TEMPORAL_TLS_SERVER_NAME"`
	TemporalTLSDisableHostVerification bool   `name:"temporal-tls-disable-host-verification" help:"Accept any certificate of the Temporal cluster. Others on the network path can then read and change the traffic." env:"FLORIN_TEMPORAL_TLS_DISABLE_HOST_VERIFICATION"`
}

func (s TemporalSettings) check() error {
	if (s.TemporalTLSCertPath == "") != (s.TemporalTLSKeyPath == "") {
		return errors.New("--temporal-tls-cert-path and --temporal-tls-key-path go together: give both, or none")
	}
	return nil
}

func (s TemporalSettings) usesTLS() bool {
	return s.TemporalTLS || s.TemporalAPIKey != "" || s.TemporalAPIKeyFile != "" || s.TemporalTLSCertPath != "" ||
		s.TemporalTLSCAPath != "" || s.TemporalTLSServerName != "" || s.TemporalTLSDisableHostVerification
}

// temporalAccess holds the credentials of this process for the Temporal cluster.
type temporalAccess struct {
	settings    TemporalSettings
	certificate *keyPair // nil without one
	apiKey      atomic.Pointer[string]
}

// access reads the files that the settings name.
func (s TemporalSettings) access() (*temporalAccess, error) {
	access := &temporalAccess{settings: s}
	if s.TemporalTLSCertPath != "" {
		var err error
		if access.certificate, err = openKeyPair(s.TemporalTLSCertPath, s.TemporalTLSKeyPath); err != nil {
			return nil, fmt.Errorf("--temporal-tls-cert-path: %w", err)
		}
	}
	return access, access.readAPIKey()
}

func (a *temporalAccess) readAPIKey() error {
	key, err := secret.Of(a.settings.TemporalAPIKey, a.settings.TemporalAPIKeyFile, "temporal-api-key")
	if err == nil {
		a.apiKey.Store(&key)
	}
	return err
}

func (a *temporalAccess) reread() error {
	err := a.readAPIKey()
	if a.certificate != nil {
		err = errors.Join(err, a.certificate.reread())
	}
	return err
}

// apply adds the credentials to the options of a client.
func (a *temporalAccess) apply(options *client.Options) error {
	if !a.settings.usesTLS() {
		return nil
	}
	config := &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: a.settings.TemporalTLSServerName,
		InsecureSkipVerify: a.settings.TemporalTLSDisableHostVerification, //nolint:gosec // the flag says what it means
	}
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(a.settings.TemporalAddress)
		if err != nil {
			return fmt.Errorf("--temporal-address: %w", err)
		}
		config.ServerName = host
	}
	if file := a.settings.TemporalTLSCAPath; file != "" {
		var err error
		if config.RootCAs, err = readAuthorities(file); err != nil {
			return fmt.Errorf("--temporal-tls-ca-path: %w", err)
		}
	}
	if a.certificate != nil {
		config.GetClientCertificate = a.certificate.forServers
	}
	options.ConnectionOptions.TLS = config
	if *a.apiKey.Load() != "" {
		options.Credentials = client.NewAPIKeyDynamicCredentials(func(context.Context) (string, error) {
			return *a.apiKey.Load(), nil
		})
	}
	return nil
}

// explainTemporal adds advice to a connection error.
func explainTemporal(address string, err error) error {
	if strings.Contains(err.Error(), "server preface") { // no HTTP/2 came, as from a server that waits for TLS
		return fmt.Errorf("no Temporal at %s: %w; if it uses TLS, set --temporal-tls", address, err)
	}
	return fmt.Errorf("no Temporal at %s: %w; check its address (--temporal-address, FLORIN_TEMPORAL_ADDRESS) and that "+
		"it runs", address, err)
}
