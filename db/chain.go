package db

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger"
)

// The record is a hash chain: the hash of each entry covers its rows and the hash of the entry before. So the hash of
// the last entry stands for all that was ever recorded. It needs no key: somebody who rewrites the record can compute a
// chain that fits, but no chain that ends in a hash that somebody wrote down elsewhere.

// Hash is a SHA-256: of an entry, or of one of its rows. The zero Hash is that of nothing.
type Hash [sha256.Size]byte

// Next is the hash of the entry at an offset that follows an entry with this hash. The hash of its update or completion
// is zero where it has none.
func (h Hash) Next(offset ledger.Offset, update, completion Hash) Hash {
	text := binary.BigEndian.AppendUint64(h[:len(h):len(h)], uint64(offset))
	text = append(text, update[:]...)
	return sha256.Sum256(append(text, completion[:]...))
}

// String is the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	bytes, err := hex.DecodeString(string(text))
	if err != nil || len(bytes) != len(h) {
		return fmt.Errorf("%q is no hash: it must be %d hexadecimal digits", text, 2*len(h))
	}
	*h = Hash(bytes)
	return nil
}

// toHash reads a column. A column of another length holds no hash: the result is zero.
func toHash(column []byte) (h Hash) {
	if len(column) == len(h) {
		h = Hash(column)
	}
	return h
}

// ChainHead is an offset with the hash of its entry.
type ChainHead struct {
	Offset ledger.Offset
	Hash   Hash
}

// String is OFFSET:HASH.
func (c ChainHead) String() string {
	return strconv.FormatInt(int64(c.Offset), 10) + ":" + c.Hash.String()
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *ChainHead) UnmarshalText(text []byte) error {
	number, hash, _ := strings.Cut(string(text), ":")
	offset, err := strconv.ParseInt(number, 10, 64)
	if err != nil || offset <= 0 {
		return fmt.Errorf("%q is no head of a record: it has the form OFFSET:HASH, as florin audit prints it", text)
	}
	c.Offset = ledger.Offset(offset)
	return c.Hash.UnmarshalText([]byte(hash))
}
