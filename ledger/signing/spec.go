package signing

import "slices"

// KeySpec is the curve of a key. The values are the names of the public API.
type KeySpec string

// The key specs.
const (
	KeySpecUnspecified KeySpec = "SIGNING_KEY_SPEC_UNSPECIFIED"
	Curve25519         KeySpec = "SIGNING_KEY_SPEC_EC_CURVE25519"
	P256               KeySpec = "SIGNING_KEY_SPEC_EC_P256"
	P384               KeySpec = "SIGNING_KEY_SPEC_EC_P384"
	Secp256k1          KeySpec = "SIGNING_KEY_SPEC_EC_SECP256K1"
)

// KeyFormat is the encoding of a public key. The values are the names of the public API.
type KeyFormat string

// The key formats.
const (
	KeyFormatUnspecified KeyFormat = "CRYPTO_KEY_FORMAT_UNSPECIFIED"
	// KeyDER is an old name for KeySPKI.
	KeyDER KeyFormat = "CRYPTO_KEY_FORMAT_DER"
	// KeyRaw is the 32 bytes of an Ed25519 key.
	KeyRaw KeyFormat = "CRYPTO_KEY_FORMAT_RAW"
	// KeySPKI is the DER form of an X.509 SubjectPublicKeyInfo.
	KeySPKI KeyFormat = "CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO"
)

// Algorithm is the algorithm of a signature. The values are the names of the public API.
type Algorithm string

// The algorithms.
const (
	AlgorithmUnspecified Algorithm = "SIGNING_ALGORITHM_SPEC_UNSPECIFIED"
	Ed25519              Algorithm = "SIGNING_ALGORITHM_SPEC_ED25519"
	ECDSASHA256          Algorithm = "SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256"
	ECDSASHA384          Algorithm = "SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_384"
)

// SignatureFormat is the encoding of a signature. The values are the names of the public API.
type SignatureFormat string

// The signature formats.
const (
	FormatUnspecified SignatureFormat = "SIGNATURE_FORMAT_UNSPECIFIED"
	// FormatRaw is an old name: FormatConcat for Ed25519, FormatDER for ECDSA.
	FormatRaw SignatureFormat = "SIGNATURE_FORMAT_RAW"
	// FormatDER is an ASN.1 sequence of r and s.
	FormatDER SignatureFormat = "SIGNATURE_FORMAT_DER"
	// FormatConcat is R and s, 32 bytes each.
	FormatConcat   SignatureFormat = "SIGNATURE_FORMAT_CONCAT"
	FormatSymbolic SignatureFormat = "SIGNATURE_FORMAT_SYMBOLIC"
)

// Names lists the names that the API accepts.
func (KeySpec) Names() []string {
	return names(KeySpecUnspecified, Curve25519, P256, P384, Secp256k1)
}

// Names lists the names that the API accepts.
func (KeyFormat) Names() []string { return names(KeyFormatUnspecified, KeyDER, KeyRaw, KeySPKI) }

// Names lists the names that the API accepts.
func (Algorithm) Names() []string {
	return names(AlgorithmUnspecified, Ed25519, ECDSASHA256, ECDSASHA384)
}

// Names lists the names that the API accepts.
func (SignatureFormat) Names() []string {
	return names(FormatUnspecified, FormatRaw, FormatDER, FormatConcat, FormatSymbolic)
}

func names[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

// scheme is the algorithm and format of the keys of a spec.
type scheme struct {
	algorithm Algorithm
	format    SignatureFormat
}

// schemeOf returns the scheme of a spec; ok is false for specs that no key has.
func schemeOf(spec KeySpec) (scheme, bool) {
	switch spec {
	case Curve25519:
		return scheme{Ed25519, FormatConcat}, true
	case P256, Secp256k1:
		return scheme{ECDSASHA256, FormatDER}, true
	case P384:
		return scheme{ECDSASHA384, FormatDER}, true
	default:
		return scheme{}, false
	}
}

// Usage is a purpose for which a key may sign. The numbers are those inside topology transactions.
type Usage int32

// The usages.
const (
	UsageNamespace               Usage = 1
	UsageIdentityDelegation      Usage = 2
	UsageSequencerAuthentication Usage = 3
	UsageProtocol                Usage = 4
	UsageProofOfOwnership        Usage = 5
)

// String is the usage's name.
func (u Usage) String() string {
	switch u {
	case UsageNamespace:
		return "Namespace"
	case UsageIdentityDelegation:
		return "IdentityDelegation"
	case UsageSequencerAuthentication:
		return "SequencerAuthentication"
	case UsageProtocol:
		return "Protocol"
	case UsageProofOfOwnership:
		return "ProofOfOwnership"
	default:
		return "unknown usage"
	}
}

// Key is a public key with its usages.
type Key struct {
	Public PublicKey `json:"publicKey"`
	// Usages is empty for keys of all usages.
	Usages []Usage `json:"usages"`
}

// MayBeUsedFor reports whether the key may sign for this usage.
func (k Key) MayBeUsedFor(usage Usage) bool {
	return len(k.Usages) == 0 || slices.Contains(k.Usages, usage)
}
