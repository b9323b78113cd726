package topology

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
)

// Purposes separate the hashes of different things (upstream's hash purposes).
const (
	purposeTransaction = 11
	purposeMultiHash   = 55
)

// hashSize is the length of a [Hash]: two bytes that say SHA-256 and 32, and the digest.
const hashSize = 2 + sha256.Size

// Hash is the hash of one topology transaction, or of several together. A signature covers all 34 bytes.
type Hash [hashSize]byte

// HashOf is the hash of one transaction from its received bytes.
func HashOf(raw []byte) Hash { return newHash(purposeTransaction, raw) }

// MultiHash is the hash of several transactions together. Order and duplicates do not matter.
func MultiHash(hashes ...Hash) Hash {
	distinct := slices.Clone(hashes)
	slices.SortFunc(distinct, func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
	distinct = slices.Compact(distinct)
	content := binary.BigEndian.AppendUint32(nil, uint32(len(distinct)))
	for _, hash := range distinct {
		content = binary.BigEndian.AppendUint32(content, hashSize)
		content = append(content, hash[:]...)
	}
	return newHash(purposeMultiHash, content)
}

func newHash(purpose uint32, content []byte) Hash {
	sum := sha256.New()
	sum.Write(binary.BigEndian.AppendUint32(nil, purpose))
	sum.Write(content)
	out := Hash{0x12, sha256.Size}
	copy(out[2:], sum.Sum(nil))
	return out
}

// String is the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Hash) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != hashSize {
		return fmt.Errorf("%q is not a hash of %d bytes in hexadecimal", text, hashSize)
	}
	*h = Hash(raw)
	return nil
}
