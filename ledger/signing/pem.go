package signing

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// The kinds of PEM blocks: PKCS #8 and SubjectPublicKeyInfo.
const (
	pemPrivate = "PRIVATE KEY"
	pemPublic  = "PUBLIC KEY"
)

var (
	oidECPublicKey = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidSecp256k1   = asn1.ObjectIdentifier{1, 3, 132, 0, 10}
)

// pkcs8 and ecPrivateKey are the structures of RFC 5208 and RFC 5915: the standard library does not know secp256k1.
type pkcs8 struct {
	Version    int
	Algorithm  pkix.AlgorithmIdentifier
	PrivateKey []byte
}

type ecPrivateKey struct {
	Version    int
	PrivateKey []byte
	Parameters asn1.ObjectIdentifier `asn1:"optional,explicit,tag:0"`
	PublicKey  asn1.BitString        `asn1:"optional,explicit,tag:1"`
}

// MarshalPEM writes the key in the form of PKCS #8, as openssl does.
func (k PrivateKey) MarshalPEM() ([]byte, error) {
	var der []byte
	var err error
	if key, ok := k.key.(*secp256k1.PrivateKey); ok {
		der, err = marshalSecp256k1(key)
	} else {
		der, err = x509.MarshalPKCS8PrivateKey(k.key)
	}
	if err != nil {
		return nil, fmt.Errorf("encode the private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemPrivate, Bytes: der}), nil
}

// ParsePrivateKeyPEM reads what [PrivateKey.MarshalPEM] writes.
func ParsePrivateKeyPEM(text []byte) (PrivateKey, error) {
	block, err := onlyBlock(text, pemPrivate)
	if err != nil {
		return PrivateKey{}, err
	}
	if key, ok := parseSecp256k1(block); ok {
		return fromSecp256k1(key)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("the private key cannot be read: %w", err)
	}
	switch key := parsed.(type) {
	case ed25519.PrivateKey:
		return fromEd25519(key)
	case *ecdsa.PrivateKey:
		if key.Curve == curveOf(P256) || key.Curve == curveOf(P384) {
			return fromECDSA(key)
		}
	}
	return PrivateKey{}, errors.New("the private key is not a key of Ed25519, P-256, P-384 or secp256k1")
}

// MarshalPEM writes the key in the form of X.509, as openssl does.
func (k PublicKey) MarshalPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: pemPublic, Bytes: k.spki})
}

// ParsePublicKeyPEM reads what [PublicKey.MarshalPEM] writes.
func ParsePublicKeyPEM(text []byte) (PublicKey, error) {
	block, err := onlyBlock(text, pemPublic)
	if err != nil {
		return PublicKey{}, err
	}
	return ParseSPKI(block)
}

// ParseSPKI reads a SubjectPublicKeyInfo of any of the curves.
func ParseSPKI(der []byte) (PublicKey, error) {
	for _, spec := range []KeySpec{Curve25519, P256, P384, Secp256k1} {
		if key, err := parseSPKI(spec, der); err == nil {
			return key, nil
		}
	}
	return PublicKey{}, errors.New("the public key is not a DER key of Ed25519, P-256, P-384 or secp256k1")
}

func onlyBlock(text []byte, kind string) ([]byte, error) {
	block, rest := pem.Decode(text)
	switch {
	case block == nil:
		return nil, fmt.Errorf("there is no PEM block of kind %q", kind)
	case block.Type != kind:
		return nil, fmt.Errorf("the PEM block is a %q; use a %q", block.Type, kind)
	case len(bytes.TrimSpace(rest)) > 0:
		return nil, errors.New("the file has content after the PEM block: give one key only")
	default:
		return block.Bytes, nil
	}
}

func marshalECDSA(key *ecdsa.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a public key: %w", err)
	}
	return der, nil
}

func marshalSecp256k1(key *secp256k1.PrivateKey) ([]byte, error) {
	curve, err := asn1.Marshal(oidSecp256k1)
	if err != nil {
		return nil, err
	}
	point := key.PubKey().SerializeUncompressed()
	inner, err := asn1.Marshal(ecPrivateKey{
		Version: 1, PrivateKey: key.Serialize(), PublicKey: asn1.BitString{Bytes: point, BitLength: 8 * len(point)},
	})
	if err != nil {
		return nil, err
	}
	algorithm := pkix.AlgorithmIdentifier{Algorithm: oidECPublicKey, Parameters: asn1.RawValue{FullBytes: curve}}
	return asn1.Marshal(pkcs8{Algorithm: algorithm, PrivateKey: inner})
}

func parseSecp256k1(der []byte) (*secp256k1.PrivateKey, bool) {
	var outer pkcs8
	if _, err := asn1.Unmarshal(der, &outer); err != nil || !outer.Algorithm.Algorithm.Equal(oidECPublicKey) {
		return nil, false
	}
	var curve asn1.ObjectIdentifier
	if _, err := asn1.Unmarshal(outer.Algorithm.Parameters.FullBytes, &curve); err != nil || !curve.Equal(oidSecp256k1) {
		return nil, false
	}
	var inner ecPrivateKey
	if rest, err := asn1.Unmarshal(outer.PrivateKey, &inner); err != nil || len(rest) > 0 {
		return nil, false
	}
	var scalar secp256k1.ModNScalar
	if len(inner.PrivateKey) != secp256k1.PrivKeyBytesLen {
		return nil, false
	}
	if overflow := scalar.SetByteSlice(inner.PrivateKey); overflow || scalar.IsZero() {
		return nil, false
	}
	return secp256k1.NewPrivateKey(&scalar), true
}
