package auth

import (
	"crypto"
	"crypto/sha256"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/florinledger/florin/ledger"
)

// maxSignatures is how many tokens of one identity provider are remembered.
const maxSignatures = 16_384

// signatures remembers with which key a token was signed, for each identity provider. So a token that is sent again
// takes neither a turn nor a processor. Only the signature is remembered: whether the provider still has the key, and
// all that the token says, is checked each time. The zero value is ready. It is safe for concurrent use.
type signatures struct {
	mu         sync.Mutex
	byProvider map[string]*lru.Cache[[sha256.Size]byte, any]
}

// hold reports whether the token is known to be signed with the key.
func (s *signatures) hold(provider, token string, key any) bool {
	s.mu.Lock()
	known := s.byProvider[provider]
	s.mu.Unlock()
	if known == nil {
		return false
	}
	signedWith, ok := known.Get(sha256.Sum256([]byte(token)))
	if !ok {
		return false
	}
	public, ok := signedWith.(interface {
		Equal(other crypto.PublicKey) bool
	})
	return ok && public.Equal(key)
}

// add remembers that the token is signed with the key.
func (s *signatures) add(provider, token string, key any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.byProvider[provider]
	if known == nil {
		var err error
		if known, err = lru.New[[sha256.Size]byte, any](maxSignatures); err != nil {
			return // the size is above zero
		}
		if s.byProvider == nil {
			s.byProvider = make(map[string]*lru.Cache[[sha256.Size]byte, any])
		}
		s.byProvider[provider] = known
	}
	known.Add(sha256.Sum256([]byte(token)), key)
}

// keep forgets the tokens of all other identity providers.
func (s *signatures) keep(providers []ledger.IdentityProvider) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.byProvider {
		if !slices.ContainsFunc(providers, func(p ledger.IdentityProvider) bool { return p.ID == id }) {
			delete(s.byProvider, id)
		}
	}
}
