package node

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/florinledger/florin/api/auth"
)

// tokenSettings say which tokens the node accepts. Without the keys of an issuer it accepts tokens of the shared
// secret, which is for development.
type tokenSettings struct {
	AuthKeyFile       string        `help:"File with the public keys of the token issuer: a JWKS document, or keys and certificates in PEM. The node then refuses tokens signed with the shared secret." env:"FLORIN_AUTH_KEY_FILE"`
	AuthJWKSURL       string        `name:"auth-jwks-url" help:"URL of the public keys of the tokens' issuer: https, or http on this machine." env:"FLORIN_AUTH_JWKS_URL"`
	AuthIssuer        string        `help:"Issuer that tokens must name; empty: any." env:"FLORIN_AUTH_ISSUER"`
	AuthMaxLife       time.Duration `help:"Maximum remaining lifetime of a token; 0: any." env:"FLORIN_AUTH_MAX_LIFE"`
	AuthLeeway        time.Duration `help:"Maximum difference between the node's clock and the issuer's." env:"FLORIN_AUTH_LEEWAY"`
	AuthAllowNoExpiry bool          `help:"Accept issuer tokens without an expiry. Tokens signed with the shared secret never need one." env:"FLORIN_AUTH_ALLOW_NO_EXPIRY"`
	AuthLedgerClaim   bool          `help:"Take the user id of an issuer's token from the field daml_user of the claim https://canton-network, if the token has it. Configure the issuer so that users cannot set this field." env:"FLORIN_AUTH_LEDGER_CLAIM"`
	AuthAllowUnsafe   bool          `help:"Accept tokens signed with the shared secret even if other machines can reach the API." env:"FLORIN_AUTH_ALLOW_UNSAFE"`
}

// HasIssuer reports whether tokens are verified with an issuer's public keys.
func (s tokenSettings) HasIssuer() bool { return s.AuthKeyFile != "" || s.AuthJWKSURL != "" }

func (s tokenSettings) check() error {
	if s.AuthKeyFile != "" && s.AuthJWKSURL != "" {
		return errors.New("--auth-key-file and --auth-jwks-url are both given: choose one place for the issuer's keys")
	}
	if s.AuthJWKSURL != "" {
		if err := auth.CheckKeyURL(s.AuthJWKSURL); err != nil {
			return fmt.Errorf("--auth-jwks-url: %w", err)
		}
	}
	if s.AuthMaxLife < 0 || s.AuthLeeway < 0 {
		return errors.New("--auth-max-life and --auth-leeway must not be negative")
	}
	return nil
}

// CheckListen refuses to serve other machines with a secret that everybody knows or can guess.
func (s tokenSettings) CheckListen(address string) error {
	if s.HasIssuer() || s.AuthAllowUnsafe || isLoopback(address) {
		return nil
	}
	return fmt.Errorf("--listen=%s can be reached from other machines, and tokens are signed with a shared secret, which "+
		"is for development: name the keys of an issuer with --auth-jwks-url or --auth-key-file, listen on 127.0.0.1, or "+
		"insist with --auth-allow-unsafe", address)
}

// isLoopback reports whether only this machine can reach an address. An address that it cannot parse passes: the
// listener refuses it.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "" {
		return err != nil
	}
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost"
}

// verifiers makes the verifiers of all identity providers, the default one included.
func (n *Node) verifiers() (*auth.Issuers, error) {
	settings := n.options.Settings
	keys := auth.NewRemoteKeys(nil, time.Now)
	times := auth.Times{
		Now: time.Now, RequireExpiry: !settings.AuthAllowNoExpiry, MaxLife: settings.AuthMaxLife, Leeway: settings.AuthLeeway,
	}
	byDefault, err := n.defaultVerifier(keys, times)
	if err != nil {
		return nil, err
	}
	return auth.NewIssuers(auth.IssuersOptions{
		Default: byDefault, Providers: n.Database, Keys: keys, ParticipantID: n.Identity.ParticipantID, Times: times,
	})
}

func (n *Node) defaultVerifier(keys auth.KeyFetcher, times auth.Times) (auth.Verifier, error) {
	settings := n.options.Settings
	options := auth.TrustedOptions{
		Times: times, Issuer: settings.AuthIssuer, Audience: settings.AuthAudience, Scope: settings.AuthScope,
		ParticipantID: n.Identity.ParticipantID, LedgerClaim: settings.AuthLedgerClaim,
	}
	switch {
	case settings.AuthKeyFile != "":
		file, err := auth.OpenFileKeys(settings.AuthKeyFile, time.Now, n.options.Log)
		if err != nil {
			return nil, err
		}
		options.Keys = file
	case settings.AuthJWKSURL != "":
		options.Keys = auth.URLKeys{Keys: keys, URL: settings.AuthJWKSURL}
	default: // LocalNet's tools make tokens that never expire
		times.RequireExpiry = false
		verifier, err := auth.NewHS256(auth.HS256Options{
			Times: times, Secret: settings.AuthSecret, Audience: settings.AuthAudience, Scope: settings.AuthScope,
			ParticipantID: n.Identity.ParticipantID,
		})
		n.hs256 = verifier
		return verifier, err
	}
	return auth.NewTrusted(options)
}
