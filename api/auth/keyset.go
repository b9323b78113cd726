package auth

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
)

// The limits of RSA keys: shorter keys are weak, longer ones cost the server too much.
const (
	minRSABits = 2048
	maxRSABits = 8192
	// maxExponent is the usual exponent: the time of a verification grows with its length.
	maxExponent = 65537
)

// keySet holds public keys by their key id: *rsa.PublicKey, *ecdsa.PublicKey on P-256, P-384 or P-521, or
// ed25519.PublicKey.
type keySet map[string]any

// jsonWebKey has the used fields of a key (RFC 7517 and 7518, section 6).
type jsonWebKey struct {
	KeyID    string `json:"kid"`
	KeyType  string `json:"kty"`
	Use      string `json:"use"`
	Modulus  string `json:"n"`
	Exponent string `json:"e"`
	Curve    string `json:"crv"`
	X        string `json:"x"`
	Y        string `json:"y"`
}

// parseKeySet reads a JSON Web Key Set. Keys that are not for verifying, have no id or are of a kind that tokens here
// cannot be signed with are left out, as RFC 7517 asks; a set without any other is an error.
//
// It is our own because go-jose takes Ed25519 keys and RSA exponents of any length, and fills them up or cuts them: the
// result is not the key that the issuer wrote down.
func parseKeySet(document []byte) (keySet, error) {
	var wire struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(document, &wire); err != nil {
		return nil, fmt.Errorf("the document is not a JSON Web Key Set: %w", err)
	}
	keys := keySet{}
	var problem error // of the first key that cannot be used: there may be hundreds of thousands
	for _, raw := range wire.Keys {
		var key jsonWebKey
		if err := json.Unmarshal(raw, &key); err != nil {
			problem = cmp.Or(problem, err)
			continue
		}
		if key.KeyID == "" || (key.Use != "" && key.Use != "sig") {
			continue
		}
		public, err := key.public()
		if err != nil {
			problem = cmp.Or(problem, fmt.Errorf("key %q: %w", key.KeyID, err))
			continue
		}
		keys[key.KeyID] = public
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("the key set has no usable key among %d: %w", len(wire.Keys),
			cmp.Or(problem, errors.New("none has a key id and is for verifying")))
	}
	return keys, nil
}

func (k jsonWebKey) public() (any, error) {
	switch k.KeyType {
	case "RSA":
		return k.rsa()
	case "EC":
		return k.ec()
	case "OKP":
		return k.ed25519()
	default:
		return nil, fmt.Errorf("key type %q is not supported: use RSA, EC or OKP", k.KeyType)
	}
}

func (k jsonWebKey) rsa() (*rsa.PublicKey, error) {
	modulus, err := base64.RawURLEncoding.DecodeString(k.Modulus)
	if err != nil {
		return nil, fmt.Errorf("modulus: %w", err)
	}
	exponent, err := base64.RawURLEncoding.DecodeString(k.Exponent)
	if err != nil {
		return nil, fmt.Errorf("exponent: %w", err)
	}
	n, e := new(big.Int).SetBytes(modulus), new(big.Int).SetBytes(exponent)
	if !e.IsInt64() {
		return nil, errors.New("the exponent has more than 63 bits")
	}
	if err := checkRSA(n, e.Int64()); err != nil {
		return nil, err
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}, nil
}

func checkRSA(modulus *big.Int, exponent int64) error {
	if bits := modulus.BitLen(); bits < minRSABits || bits > maxRSABits {
		return fmt.Errorf("the RSA key has %d bits; allowed are %d to %d", bits, minRSABits, maxRSABits)
	}
	if exponent < 3 || exponent > maxExponent || exponent%2 == 0 {
		return fmt.Errorf("the exponent %d is not an odd number from 3 to %d", exponent, maxExponent)
	}
	return nil
}

func checkCurve(curve elliptic.Curve) error {
	switch curve {
	case elliptic.P256(), elliptic.P384(), elliptic.P521():
		return nil
	default:
		return fmt.Errorf("curve %q is none of P-256, P-384 and P-521", curve.Params().Name)
	}
}

func (k jsonWebKey) ed25519() (ed25519.PublicKey, error) {
	if k.Curve != "Ed25519" {
		return nil, fmt.Errorf("curve %q is not Ed25519", k.Curve)
	}
	key, err := base64.RawURLEncoding.DecodeString(k.X)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("x %q is not %d bytes of base64url", k.X, ed25519.PublicKeySize)
	}
	return key, nil
}

func (k jsonWebKey) ec() (*ecdsa.PublicKey, error) {
	var curve elliptic.Curve
	switch k.Curve {
	case "P-256":
		curve = elliptic.P256()
	case "P-384":
		curve = elliptic.P384()
	case "P-521":
		curve = elliptic.P521()
	default:
		return nil, fmt.Errorf("curve %q is none of P-256, P-384 and P-521", k.Curve)
	}
	const uncompressed = 4
	point := []byte{uncompressed}
	size := (curve.Params().BitSize + 7) / 8
	for _, text := range []string{k.X, k.Y} {
		coordinate, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(coordinate) != size {
			return nil, fmt.Errorf("coordinate %q is not %d bytes of base64url", text, size)
		}
		point = append(point, coordinate...)
	}
	return ecdsa.ParseUncompressedPublicKey(curve, point)
}
