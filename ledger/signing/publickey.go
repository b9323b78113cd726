package signing

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"errors"
	"fmt"

	"filippo.io/edwards25519"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// PublicKey is a valid public key. The zero value is no key. In JSON it has the API's form: {format, keyData, keySpec}.
type PublicKey struct {
	spec KeySpec
	spki []byte
	key  any // ed25519.PublicKey, *ecdsa.PublicKey or *secp256k1.PublicKey
}

// spkiEd25519 is the prefix of the 32 bytes of a key in its SubjectPublicKeyInfo.
var spkiEd25519 = []byte{0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00}

// spkiSecp256k1 is the prefix of the 65 bytes of an uncompressed point in its SubjectPublicKeyInfo.
var spkiSecp256k1 = []byte{
	0x30, 0x56, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
	0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a, 0x03, 0x42, 0x00,
}

// uncompressedPoint is the first byte of an uncompressed point, the only form that keys may have.
const uncompressedPoint = 0x04

// ParsePublicKey reads a public key. The error reports an unknown spec, a format that the spec does not have, or bytes
// that are no key of the spec in that format. Each key has one encoding in each format.
func ParsePublicKey(format KeyFormat, spec KeySpec, data []byte) (PublicKey, error) {
	if _, ok := schemeOf(spec); !ok {
		return PublicKey{}, fmt.Errorf("key spec %q is not supported: use one of %v", spec, spec.Names()[1:])
	}
	switch format {
	case KeyRaw:
		if spec != Curve25519 {
			return PublicKey{}, fmt.Errorf("keys of %s do not have format %s: use %s", spec, KeyRaw, KeySPKI)
		}
		return ed25519Key(data)
	case KeySPKI, KeyDER:
		return parseSPKI(spec, data)
	default:
		return PublicKey{}, fmt.Errorf("key format %q is not supported: use %s or, for Ed25519, %s", format, KeySPKI, KeyRaw)
	}
}

// FromEd25519 is the public key of an Ed25519 key of the standard library.
func FromEd25519(key ed25519.PublicKey) (PublicKey, error) { return ed25519Key(key) }

func ed25519Key(raw []byte) (PublicKey, error) {
	if len(raw) != ed25519.PublicKeySize {
		return PublicKey{}, fmt.Errorf("an Ed25519 public key has %d bytes, but this one has %d",
			ed25519.PublicKeySize, len(raw))
	}
	if err := checkEdwardsPoint(raw); err != nil {
		return PublicKey{}, err
	}
	key := ed25519.PublicKey(bytes.Clone(raw))
	return PublicKey{spec: Curve25519, spki: append(bytes.Clone(spkiEd25519), raw...), key: key}, nil
}

// checkEdwardsPoint refuses bytes that are no point of the curve, a point in another than the canonical encoding, and
// the eight points of small order: anybody can make signatures for those without a private key.
func checkEdwardsPoint(raw []byte) error {
	point, err := new(edwards25519.Point).SetBytes(raw)
	switch {
	case err != nil:
		return errors.New("the key data are not a point of the curve of Ed25519")
	case !bytes.Equal(point.Bytes(), raw):
		return fmt.Errorf("the key data are not the canonical encoding of the point: use %x", point.Bytes())
	case new(edwards25519.Point).MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1:
		return errors.New("the key data are a point of small order, which belongs to no private key: " +
			"anybody could sign for it")
	}
	return nil
}

func parseSPKI(spec KeySpec, data []byte) (PublicKey, error) {
	switch spec {
	case Curve25519:
		raw, ok := bytes.CutPrefix(data, spkiEd25519)
		if !ok {
			return PublicKey{}, fmt.Errorf("the key data are not the SubjectPublicKeyInfo of an Ed25519 key: "+
				"expected 44 bytes that start with %x", spkiEd25519)
		}
		return ed25519Key(raw)
	case Secp256k1:
		return secp256k1Key(data)
	case P256:
		return nistKey(spec, elliptic.P256(), data)
	default:
		return nistKey(spec, elliptic.P384(), data)
	}
}

func nistKey(spec KeySpec, curve elliptic.Curve, data []byte) (PublicKey, error) {
	var whole asn1.RawValue
	if behind, err := asn1.Unmarshal(data, &whole); err == nil && len(behind) > 0 {
		return PublicKey{}, fmt.Errorf("the key data are a key of %s and %d bytes of trailing data", spec, len(behind))
	}
	parsed, err := x509.ParsePKIXPublicKey(data)
	if err != nil {
		return PublicKey{}, fmt.Errorf("the key data are not the SubjectPublicKeyInfo of a key of %s", spec)
	}
	key, ok := parsed.(*ecdsa.PublicKey)
	if !ok || key.Curve != curve {
		return PublicKey{}, fmt.Errorf("the key data are a key of another kind than %s", spec)
	}
	return canonicalECDSA(spec, key, data)
}

// canonicalECDSA refuses keys in another than the canonical encoding: the fingerprint depends on the encoding.
func canonicalECDSA(spec KeySpec, key *ecdsa.PublicKey, data []byte) (PublicKey, error) {
	canonical, err := marshalECDSA(key)
	if err != nil {
		return PublicKey{}, err
	}
	if !bytes.Equal(canonical, data) {
		return PublicKey{}, fmt.Errorf("the key data are not the canonical DER encoding of the key: use %x", canonical)
	}
	return PublicKey{spec: spec, spki: canonical, key: key}, nil
}

func secp256k1Key(data []byte) (PublicKey, error) {
	point, ok := bytes.CutPrefix(data, spkiSecp256k1)
	if !ok || len(point) == 0 || point[0] != uncompressedPoint {
		return PublicKey{}, fmt.Errorf("the key data are not the SubjectPublicKeyInfo of a key of %s: "+
			"expected 88 bytes that start with %x04", Secp256k1, spkiSecp256k1)
	}
	key, err := secp256k1.ParsePubKey(point)
	if err != nil {
		return PublicKey{}, fmt.Errorf("the key data are not a point of %s", Secp256k1)
	}
	return PublicKey{spec: Secp256k1, spki: bytes.Clone(data), key: key}, nil
}

// Spec is the key's spec.
func (k PublicKey) Spec() KeySpec { return k.spec }

// SPKI is the DER form of the key's SubjectPublicKeyInfo.
func (k PublicKey) SPKI() []byte { return bytes.Clone(k.spki) }

// IsZero reports whether there is no key.
func (k PublicKey) IsZero() bool { return k.key == nil }

// Equal reports whether two keys are the same.
func (k PublicKey) Equal(other PublicKey) bool { return bytes.Equal(k.spki, other.spki) }

// Fingerprint names the key: 68 lower-case hexadecimal characters. For Ed25519 it covers the raw bytes, for the other
// curves the whole SubjectPublicKeyInfo.
func (k PublicKey) Fingerprint() string {
	if key, ok := k.key.(ed25519.PublicKey); ok {
		return Fingerprint(key)
	}
	return multihashPrefix + digest(purposePublicKey, k.spki)
}

type publicKeyJSON struct {
	Format  KeyFormat `json:"format"`
	KeyData []byte    `json:"keyData"`
	KeySpec KeySpec   `json:"keySpec"`
}

// MarshalJSON implements [json.Marshaler].
func (k PublicKey) MarshalJSON() ([]byte, error) {
	return json.Marshal(publicKeyJSON{Format: KeySPKI, KeyData: k.spki, KeySpec: k.spec})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (k *PublicKey) UnmarshalJSON(data []byte) error {
	var wire publicKeyJSON
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("read a public key: %w", err)
	}
	parsed, err := ParsePublicKey(wire.Format, wire.KeySpec, wire.KeyData)
	if err == nil {
		*k = parsed
	}
	return err
}
