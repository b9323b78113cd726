package topology

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/florinledger/florin/ledger/signing"
)

// Checks caches verified signatures. The node decides an onboarding several times, the last time under the head lock,
// and verifies each signature only once. It is for one goroutine.
type Checks struct{ known map[[sha256.Size]byte]error }

// NewChecks makes an empty cache.
func NewChecks() *Checks { return &Checks{known: map[[sha256.Size]byte]error{}} }

// Remembering is the onboarding with this cache for its signatures.
func (o Onboarding) Remembering(checks *Checks) Onboarding {
	o.checks = checks
	return o
}

// verify verifies a signature over a hash, or returns the earlier result.
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
