package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
)

// The bounds of RSA keys: shorter ones are weak, longer ones make the server work for the client.
const (
	minRSABits = 2048
	maxRSABits = 8192
)

// keySet holds public keys by their key id: *rsa.PublicKey, or *ecdsa.PublicKey on P-256 or P-521.
type keySet map[string]any

// jsonWebKey is what is read of a key (RFC 7517 and 7518, section 6).
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
func parseKeySet(document []byte) (keySet, error) {
	var wire struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(document, &wire); err != nil {
		return nil, fmt.Errorf("the document is not a JSON Web Key Set: %w", err)
	}
	keys := keySet{}
	var problems []error
	for _, raw := range wire.Keys {
		var key jsonWebKey
		if err := json.Unmarshal(raw, &key); err != nil {
			problems = append(problems, err)
			continue
		}
		if key.KeyID == "" || (key.Use != "" && key.Use != "sig") {
			continue
		}
		public, err := key.public()
		if err != nil {
			problems = append(problems, fmt.Errorf("key %q: %w", key.KeyID, err))
			continue
		}
		keys[key.KeyID] = public
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("the key set has no usable key among %d: %w", len(wire.Keys), errors.Join(problems...))
	}
	return keys, nil
}

func (k jsonWebKey) public() (any, error) {
	switch k.KeyType {
	case "RSA":
		return k.rsa()
	case "EC":
		return k.ec()
	default:
		return nil, fmt.Errorf("key type %q is neither RSA nor EC", k.KeyType)
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
	if n.BitLen() < minRSABits || n.BitLen() > maxRSABits {
		return nil, fmt.Errorf("%d bits are not between %d and %d", n.BitLen(), minRSABits, maxRSABits)
	}
	if e.BitLen() > 31 || e.Int64() < 3 || e.Bit(0) == 0 {
		return nil, fmt.Errorf("the exponent %s is not an odd number from 3 to 2147483647", e)
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}, nil
}

func (k jsonWebKey) ec() (*ecdsa.PublicKey, error) {
	var curve elliptic.Curve
	switch k.Curve {
	case "P-256":
		curve = elliptic.P256()
	case "P-521":
		curve = elliptic.P521()
	default:
		return nil, fmt.Errorf("curve %q is neither P-256 nor P-521", k.Curve)
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
