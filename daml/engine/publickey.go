package engine

import (
	"crypto/ecdsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	secpecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// publicKey is a key on secp256k1, or on another curve of a SubjectPublicKeyInfo.
type publicKey struct {
	onSecp256k1 bool
	koblitz     *secp256k1.PublicKey
	other       *ecdsa.PublicKey
}

var (
	ecPublicKeyOID = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	secp256k1OID   = asn1.ObjectIdentifier{1, 3, 132, 0, 10}
)

// parsePublicKey reads a SubjectPublicKeyInfo in DER.
func parsePublicKey(der []byte) (publicKey, error) {
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	rest, err := asn1.Unmarshal(der, &info)
	if err != nil || len(rest) > 0 {
		return publicKey{}, errors.New("it is not a SubjectPublicKeyInfo in DER")
	}
	var curve asn1.ObjectIdentifier
	if !info.Algorithm.Algorithm.Equal(ecPublicKeyOID) {
		return publicKey{}, errors.New("it is not an elliptic-curve key")
	}
	if rest, err := asn1.Unmarshal(info.Algorithm.Parameters.FullBytes, &curve); err != nil || len(rest) > 0 {
		return publicKey{}, errors.New("it does not name its curve")
	}
	if curve.Equal(secp256k1OID) {
		key, err := secp256k1.ParsePubKey(info.Key.RightAlign())
		if err != nil {
			return publicKey{}, errors.New("it is not a point on the curve secp256k1")
		}
		return publicKey{onSecp256k1: true, koblitz: key}, nil
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return publicKey{}, errors.New("its curve is not supported")
	}
	key, ok := parsed.(*ecdsa.PublicKey)
	if !ok {
		return publicKey{}, errors.New("it is not an elliptic-curve key")
	}
	return publicKey{other: key}, nil
}

var errMalformedSignature = errors.New("it is not an ECDSA signature in DER")

// verify checks an ECDSA signature in DER of a digest. It fails if the signature is malformed.
func (k publicKey) verify(signature, digest []byte) (bool, error) {
	var numbers struct{ R, S *big.Int }
	rest, err := asn1.Unmarshal(signature, &numbers)
	if err != nil || len(rest) > 0 {
		return false, errMalformedSignature
	}
	if k.other != nil {
		return ecdsa.VerifyASN1(k.other, digest, signature), nil
	}
	order := secp256k1.Params().N
	if numbers.R.Sign() < 0 || numbers.S.Sign() < 0 || numbers.R.Cmp(order) >= 0 || numbers.S.Cmp(order) >= 0 {
		return false, errMalformedSignature
	}
	var r, s secp256k1.ModNScalar
	r.SetByteSlice(numbers.R.Bytes())
	s.SetByteSlice(numbers.S.Bytes())
	return !r.IsZero() && !s.IsZero() && secpecdsa.NewSignature(&r, &s).Verify(digest, k.koblitz), nil
}
