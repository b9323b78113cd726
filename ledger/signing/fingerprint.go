// Package signing holds the ledger's keys, fingerprints and namespaces. It is pure: keys are arguments, randomness and
// storage are the caller's.
package signing

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// Purposes separate the hashes of different things (upstream's hash purposes).
const (
	purposePublicKey              = 12
	purposeDecentralizedNamespace = 37
)

// multihashPrefix means SHA-256, 32 bytes.
const multihashPrefix = "1220"

// Fingerprint names an Ed25519 public key: 1220 and the SHA-256 of purpose 12 and the 32 raw key bytes, 68 lower-case
// hexadecimal characters.
func Fingerprint(key ed25519.PublicKey) string {
	return multihashPrefix + digest(purposePublicKey, key)
}

// DecentralizedNamespace is the name of the namespace that the owners with these fingerprints control together.
func DecentralizedNamespace(owners ...string) string {
	distinct := slices.Clone(owners)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	var content []byte
	for _, owner := range distinct {
		content = binary.BigEndian.AppendUint32(content, uint32(len(owner)))
		content = append(content, owner...)
	}
	return multihashPrefix + digest(purposeDecentralizedNamespace, content)
}

func digest(purpose uint32, content []byte) string {
	hash := sha256.New()
	hash.Write(binary.BigEndian.AppendUint32(nil, purpose))
	hash.Write(content)
	return hex.EncodeToString(hash.Sum(nil))
}
