package signing

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	secpecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// Signature is a signature as clients send it, in the JSON form of the API.
type Signature struct {
	Format    SignatureFormat `json:"format"`
	Signature []byte          `json:"signature"`
	// SignedBy is the fingerprint of the key, not the party.
	SignedBy  string    `json:"signedBy"`
	Algorithm Algorithm `json:"signingAlgorithmSpec"`
}

const maxFingerprintLength = 68

var fingerprintPattern = regexp.MustCompile(`^[A-Za-z0-9:\-_ ]+$`)

// CheckFingerprint says why a text cannot be a fingerprint, or returns nil. A key with it need not exist.
func CheckFingerprint(value string) error {
	switch {
	case value == "":
		return errors.New("fingerprint is empty")
	case len(value) > maxFingerprintLength:
		return fmt.Errorf("fingerprint of %d characters is longer than %d", len(value), maxFingerprintLength)
	case !fingerprintPattern.MatchString(value):
		return fmt.Errorf("fingerprint %q holds characters other than letters, digits, colon, minus, underscore and space",
			value)
	case strings.Contains(value, "::"):
		return fmt.Errorf("fingerprint %q must not contain two colons in a row: "+
			"signedBy names the key, not the party", value)
	default:
		return nil
	}
}

// Check says what is wrong with the form of a signature, or returns nil. [PublicKey.Verify] checks it with a key.
func (s Signature) Check() error {
	switch s.Format {
	case FormatRaw, FormatDER, FormatConcat:
	case FormatUnspecified, "":
		return errors.New("Signature format must be specified")
	default:
		return fmt.Errorf("signature format %s is not supported", s.Format)
	}
	switch s.Algorithm {
	case Ed25519, ECDSASHA256, ECDSASHA384:
	default:
		//nolint:staticcheck // ST1005: clients know this text
		return fmt.Errorf("Signing algorithm spec %s not supported", s.Algorithm)
	}
	return CheckFingerprint(s.SignedBy)
}

// Verify says why the signature is not one of the key over the message, or returns nil. The signature must name the key
// by its fingerprint, use the algorithm of the key's spec, and be in that algorithm's format or in the old format with
// the same meaning.
func (k PublicKey) Verify(message []byte, s Signature) error {
	fits, ok := schemeOf(k.spec)
	switch {
	case !ok:
		return errors.New("the public key is empty: nothing to verify with")
	case s.SignedBy != k.Fingerprint():
		return fmt.Errorf("signedBy is %s, but the key is %s", s.SignedBy, k.Fingerprint())
	case s.Algorithm != fits.algorithm:
		return fmt.Errorf("algorithm %s does not fit a key of %s: use %s", s.Algorithm, k.spec, fits.algorithm)
	case s.Format != fits.format && s.Format != FormatRaw:
		return fmt.Errorf("format %s does not fit algorithm %s: use %s", s.Format, s.Algorithm, fits.format)
	}
	if !k.verifies(message, s.Signature) {
		return fmt.Errorf("the %d bytes are not a signature by %s over %x", len(s.Signature), s.SignedBy, message)
	}
	return nil
}

func (k PublicKey) verifies(message, signature []byte) bool {
	switch key := k.key.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(key, message, signature)
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, digestFor(k.spec, message), signature)
	case *secp256k1.PublicKey:
		parsed, err := secpecdsa.ParseDERSignature(signature)
		return err == nil && parsed.Verify(digestFor(k.spec, message), key)
	default:
		return false
	}
}

// digestFor is the digest that ECDSA signs: the hash of the message, which itself is a hash.
func digestFor(spec KeySpec, message []byte) []byte {
	if spec == P384 {
		sum := sha512.Sum384(message)
		return sum[:]
	}
	sum := sha256.Sum256(message)
	return sum[:]
}
