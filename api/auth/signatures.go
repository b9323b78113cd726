package auth

import (
	"crypto"
	"crypto/sha256"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/florinledger/florin/ledger"
)

// maxSignatures is the maximum number of cached tokens of one identity provider.
const maxSignatures = 16_384

// signatures caches which key signed a token, for each identity provider, so that a repeated token needs neither a turn
// nor a verification. Only the signature is cached: each request checks the claims, and whether the provider still has
// the key. The zero value is ready. It is safe for concurrent use.
type signatures struct {
	mu         sync.Mutex
	byProvider map[string]*lru.Cache[[sha256.Size]byte, any]
}

// hold reports whether the cache has the token with this key.
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

// add caches that the key signed the token.
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

// keep removes the tokens of all other identity providers.
func (s *signatures) keep(providers []ledger.IdentityProvider) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.byProvider {
		if !slices.ContainsFunc(providers, func(p ledger.IdentityProvider) bool { return p.ID == id }) {
			delete(s.byProvider, id)
		}
	}
}
