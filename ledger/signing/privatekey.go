package signing

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"errors"
	"fmt"
	"io"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	secpecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// PrivateKey signs. It prints as its public key's fingerprint, never as itself.
type PrivateKey struct {
	public PublicKey
	key    any // ed25519.PrivateKey, *ecdsa.PrivateKey or *secp256k1.PrivateKey
}

// secretSize is the bytes of the secret of a key: the seed of Ed25519, the scalar of the others.
func secretSize(spec KeySpec) int {
	if spec == P384 {
		return 48
	}
	return 32
}

// NewPrivateKey makes a key from a source of randomness.
func NewPrivateKey(spec KeySpec, random io.Reader) (PrivateKey, error) {
	secret := make([]byte, secretSize(spec))
	// One secret in billions is no scalar of its curve. Then try again.
	for range 10 {
		if _, err := io.ReadFull(random, secret); err != nil {
			return PrivateKey{}, fmt.Errorf("read randomness: %w", err)
		}
		key, err := PrivateKeyOf(spec, secret)
		if err == nil {
			return key, nil
		}
		if _, known := schemeOf(spec); !known {
			return PrivateKey{}, err
		}
	}
	return PrivateKey{}, errors.New("the source of randomness returned no usable secret")
}

// PrivateKeyOf makes the key of a secret: the 32 bytes of an Ed25519 seed, or the scalar of another curve, 32 bytes and
// for P-384 48.
func PrivateKeyOf(spec KeySpec, secret []byte) (PrivateKey, error) {
	if _, ok := schemeOf(spec); !ok {
		return PrivateKey{}, fmt.Errorf("key spec %q is not supported: use one of %v", spec, spec.Names()[1:])
	}
	if want := secretSize(spec); len(secret) != want {
		return PrivateKey{}, fmt.Errorf("the secret of a key of %s has %d bytes, but this one has %d", spec, want, len(secret))
	}
	switch spec {
	case Curve25519:
		return fromEd25519(ed25519.NewKeyFromSeed(bytes.Clone(secret)))
	case Secp256k1:
		var scalar secp256k1.ModNScalar
		if overflow := scalar.SetByteSlice(secret); overflow || scalar.IsZero() {
			return PrivateKey{}, fmt.Errorf("the secret is not a scalar of %s", spec)
		}
		return fromSecp256k1(secp256k1.NewPrivateKey(&scalar))
	default:
		key, err := ecdsa.ParseRawPrivateKey(curveOf(spec), secret)
		if err != nil {
			return PrivateKey{}, fmt.Errorf("the secret is not a scalar of %s: %w", spec, err)
		}
		return fromECDSA(key)
	}
}

func curveOf(spec KeySpec) elliptic.Curve {
	if spec == P384 {
		return elliptic.P384()
	}
	return elliptic.P256()
}

func fromEd25519(key ed25519.PrivateKey) (PrivateKey, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return PrivateKey{}, errors.New("the key has no Ed25519 public key")
	}
	parsed, err := ed25519Key(public)
	return PrivateKey{public: parsed, key: key}, err
}

func fromSecp256k1(key *secp256k1.PrivateKey) (PrivateKey, error) {
	point := key.PubKey().SerializeUncompressed()
	public, err := secp256k1Key(append(bytes.Clone(spkiSecp256k1), point...))
	return PrivateKey{public: public, key: key}, err
}

func fromECDSA(key *ecdsa.PrivateKey) (PrivateKey, error) {
	spec := P256
	if key.Curve == elliptic.P384() {
		spec = P384
	}
	public := PublicKey{spec: spec, key: &key.PublicKey}
	var err error
	public.spki, err = marshalECDSA(&key.PublicKey)
	return PrivateKey{public: public, key: key}, err
}

// Public is the key's public half.
func (k PrivateKey) Public() PublicKey { return k.public }

// String is the fingerprint.
func (k PrivateKey) String() string { return "private key of " + k.public.Fingerprint() }

// GoString is the fingerprint.
func (k PrivateKey) GoString() string { return k.String() }

// Sign signs a message in the format of the key's spec. It needs no randomness: the same message gets the same
// signature (RFC 8032, RFC 6979).
func (k PrivateKey) Sign(message []byte) (Signature, error) {
	fits, ok := schemeOf(k.public.spec)
	if !ok {
		return Signature{}, errors.New("the private key is empty: nothing to sign with")
	}
	out := Signature{Format: fits.format, SignedBy: k.public.Fingerprint(), Algorithm: fits.algorithm}
	var err error
	switch key := k.key.(type) {
	case ed25519.PrivateKey:
		out.Signature = ed25519.Sign(key, message)
	case *secp256k1.PrivateKey:
		out.Signature = secpecdsa.Sign(key, digestFor(k.public.spec, message)).Serialize()
	case *ecdsa.PrivateKey:
		hash := crypto.SHA256
		if k.public.spec == P384 {
			hash = crypto.SHA384
		}
		out.Signature, err = key.Sign(nil, digestFor(k.public.spec, message), hash) // nil: without randomness
	}
	if err != nil {
		return Signature{}, fmt.Errorf("sign with %s: %w", out.SignedBy, err)
	}
	return out, nil
}

// SignDigest signs a digest with a key of secp256k1, in DER form.
func (k PrivateKey) SignDigest(digest []byte) ([]byte, error) {
	key, ok := k.key.(*secp256k1.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("a key of type %s cannot sign a digest: use a %s key", k.public.spec, Secp256k1)
	}
	return secpecdsa.Sign(key, digest).Serialize(), nil
}
