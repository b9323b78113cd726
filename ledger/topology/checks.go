package topology

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/florinledger/florin/ledger/signing"
)

// Checks remembers which signatures were verified, so that an onboarding that is decided several times, the last time
// while everybody waits for the head of the record, verifies each of them once. It is for one goroutine.
type Checks struct{ known map[[sha256.Size]byte]error }

// NewChecks makes Checks that know nothing.
func NewChecks() *Checks { return &Checks{known: map[[sha256.Size]byte]error{}} }

// Remembering is the onboarding whose signatures are verified with what checks know, and which adds to that.
func (o Onboarding) Remembering(checks *Checks) Onboarding {
	o.checks = checks
	return o
}

// verify verifies a signature over a hash, or says what came of it before.
func (c *Checks) verify(key signing.PublicKey, over Hash, signature signing.Signature) error {
	if c == nil {
		return key.Verify(over[:], signature)
	}
	encoded, err := json.Marshal(struct {
		Key       signing.PublicKey
		Over      Hash
		Signature signing.Signature
	}{key, over, signature})
	if err != nil {
		return err
	}
	name := sha256.Sum256(encoded)
	found, known := c.known[name]
	if !known {
		found = key.Verify(over[:], signature)
		c.known[name] = found
	}
	return found
}
