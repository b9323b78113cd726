package activities

import (
	"sync"

	"github.com/florinledger/florin/ledger"
)

// maxCachedParties bounds the memory of the cache; further parties need a query each time.
const maxCachedParties = 100_000

// partyCache remembers parties that exist. A party never ends, so the cache drops nothing.
type partyCache struct {
	mu    sync.Mutex
	local map[ledger.Party]bool // every known party; true when this node hosts it
}

func (c *partyCache) get(party ledger.Party) (local, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	local, known = c.local[party]
	return local, known
}

func (c *partyCache) add(parties map[ledger.Party]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.local == nil {
		c.local = map[ledger.Party]bool{}
	}
	for party, local := range parties {
		if len(c.local) < maxCachedParties {
			c.local[party] = local
		}
	}
}

// unknown returns the parties that are not in the cache.
func (c *partyCache) unknown(parties []ledger.Party) []ledger.Party {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []ledger.Party
	for _, party := range parties {
		if _, known := c.local[party]; !known {
			out = append(out, party)
		}
	}
	return out
}
