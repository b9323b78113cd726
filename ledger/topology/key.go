package topology

import (
	"errors"
	"fmt"
	"slices"

	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology/topologypb"
)

const maxKeys = 20

// keyFormats maps the numbers inside topology transactions to the names of the API, which numbers them differently.
var keyFormats = map[topologypb.CryptoKeyFormat]signing.KeyFormat{
	topologypb.CryptoKeyFormat_CRYPTO_KEY_FORMAT_DER:                              signing.KeyDER,
	topologypb.CryptoKeyFormat_CRYPTO_KEY_FORMAT_RAW:                              signing.KeyRaw,
	topologypb.CryptoKeyFormat_CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO: signing.KeySPKI,
}

var keySpecs = map[topologypb.SigningKeySpec]signing.KeySpec{
	topologypb.SigningKeySpec_SIGNING_KEY_SPEC_EC_CURVE25519: signing.Curve25519,
	topologypb.SigningKeySpec_SIGNING_KEY_SPEC_EC_P256:       signing.P256,
	topologypb.SigningKeySpec_SIGNING_KEY_SPEC_EC_P384:       signing.P384,
	topologypb.SigningKeySpec_SIGNING_KEY_SPEC_EC_SECP256K1:  signing.Secp256k1,
}

// readKey reads a key. It adds usages as upstream does: a key that may sign anything but delegations may also prove its
// ownership.
func readKey(m *topologypb.SigningPublicKey) (signing.Key, error) {
	if m == nil {
		return signing.Key{}, errors.New("the key is missing")
	}
	if m.GetScheme() != 0 {
		return signing.Key{}, errors.New("field scheme is obsolete: remove it and set key_spec")
	}
	format, ok := keyFormats[m.GetFormat()]
	if !ok {
		return signing.Key{}, fmt.Errorf("key format %s is not supported", m.GetFormat())
	}
	spec, ok := keySpecs[m.GetKeySpec()]
	if !ok {
		return signing.Key{}, fmt.Errorf("key spec %s is not supported", m.GetKeySpec())
	}
	public, err := signing.ParsePublicKey(format, spec, m.GetPublicKey())
	if err != nil {
		return signing.Key{}, err
	}
	out := signing.Key{Public: public}
	for _, usage := range m.GetUsage() {
		if usage < topologypb.SigningKeyUsage_SIGNING_KEY_USAGE_NAMESPACE ||
			usage > topologypb.SigningKeyUsage_SIGNING_KEY_USAGE_PROOF_OF_OWNERSHIP {
			return signing.Key{}, fmt.Errorf("key usage %d is unknown", usage)
		}
		if !slices.Contains(out.Usages, signing.Usage(usage)) {
			out.Usages = append(out.Usages, signing.Usage(usage))
		}
	}
	onlyNamespace := len(out.Usages) == 1 && out.Usages[0] == signing.UsageNamespace
	if !out.MayBeUsedFor(signing.UsageProofOfOwnership) && !onlyNamespace {
		out.Usages = append(out.Usages, signing.UsageProofOfOwnership)
	}
	return out, nil
}

func readKeys(messages []*topologypb.SigningPublicKey, threshold int) ([]signing.Key, error) {
	var out []signing.Key
	var fingerprints []string
	for _, message := range messages {
		key, err := readKey(message)
		if err != nil {
			return nil, fmt.Errorf("signing key %d: %w", len(out)+1, err)
		}
		out = append(out, key)
		fingerprints = append(fingerprints, key.Public.Fingerprint())
	}
	switch twice, repeats := repeated(fingerprints); {
	case len(out) == 0:
		return nil, errors.New("there are no signing keys")
	case len(out) > maxKeys:
		return nil, fmt.Errorf("there are %d signing keys, more than %d", len(out), maxKeys)
	case repeats:
		return nil, fmt.Errorf("signing key %s is listed more than once", twice)
	case threshold < 1 || threshold > len(out):
		return nil, fmt.Errorf("signing threshold %d is not between 1 and the number of keys (%d)", threshold, len(out))
	}
	return out, nil
}

func writeKey(key signing.Key) *topologypb.SigningPublicKey {
	out := &topologypb.SigningPublicKey{
		Format:    topologypb.CryptoKeyFormat_CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO,
		PublicKey: key.Public.SPKI(),
	}
	for number, spec := range keySpecs {
		if spec == key.Public.Spec() {
			out.KeySpec = number
		}
	}
	for _, usage := range key.Usages {
		out.Usage = append(out.Usage, topologypb.SigningKeyUsage(usage))
	}
	return out
}

func writeKeys(keys []signing.Key) []*topologypb.SigningPublicKey {
	out := make([]*topologypb.SigningPublicKey, len(keys))
	for i, key := range keys {
		out[i] = writeKey(key)
	}
	return out
}
