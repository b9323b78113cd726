package endpoint

import (
	"sync"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
)

// AccountOf is the account as which a user takes places and turns.
func AccountOf(who ledger.Identity) turns.Account {
	return turns.Account{Name: ledger.IdentityText(who), Provider: who.SharedProvider()}
}

// shortage is why there is no place.
type shortage int

const (
	// noShortage: there is a place.
	noShortage shortage = iota
	// shortForAll: all places are taken.
	shortForAll
	// shortForProvider: the users of the identity provider have as many as they may have together.
	shortForProvider
	// shortForHolder: the holder has as many as one may have.
	shortForHolder
)

// places are for what is under way at once: so many in all, so many for the users of each identity provider other than
// the default one, and so many for each holder, so that nobody takes all. They are counted in requests, streams or
// bytes. They are safe for concurrent use.
type places struct {
	mu        sync.Mutex
	all, each int64
	// together is how many the users of one identity provider have.
	together   int64
	count      int64
	byHolder   map[string]int64
	byProvider map[string]int64
}

func newPlaces(all, each int64) *places {
	return &places{
		all: all, each: each, together: ledger.ProviderShare(all),
		byHolder: make(map[string]int64), byProvider: make(map[string]int64),
	}
}

// resize changes how many there are. Who has more keeps them, and gets no further ones.
func (p *places) resize(all, each int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all, p.each, p.together = all, each, ledger.ProviderShare(all)
}

// share changes how many the users of one identity provider have.
func (p *places) share(together int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.together = together
}

// limits are how many there are in all, and for the users of one identity provider.
func (p *places) limits() (all, together int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all, p.together
}

// shortage is why there is no place for one more; noShortage when there is one.
func (p *places) shortage(who turns.Account) shortage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shortageOf(who, 1)
}

// shortageOf is why there are not so many more places. The caller holds the lock.
func (p *places) shortageOf(who turns.Account, more int64) shortage {
	switch {
	case p.count+more > p.all:
		return shortForAll
	case who.Name != "" && p.byHolder[who.Name]+more > p.each:
		return shortForHolder
	case who.Provider != "" && p.byProvider[who.Provider]+more > p.together:
		return shortForProvider
	default:
		return noShortage
	}
}

// take takes so many places, unless that is too many. Give them back.
func (p *places) take(who turns.Account, more int64) shortage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if short := p.shortageOf(who, more); short != noShortage {
		return short
	}
	p.add(who, more)
	return noShortage
}

// give gives places back.
func (p *places) give(who turns.Account, back int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(who, -back)
}

// add counts more places, or fewer. The caller holds the lock.
func (p *places) add(who turns.Account, more int64) {
	p.count += more
	addTo(p.byHolder, who.Name, more)
	addTo(p.byProvider, who.Provider, more)
}

// addTo forgets those that have nothing.
func addTo(counts map[string]int64, name string, more int64) {
	if name == "" {
		return
	}
	if counts[name] += more; counts[name] == 0 {
		delete(counts, name)
	}
}

// ofProvider says that the users of an identity provider have as many places as they may have together.
func (p *places) ofProvider(who turns.Account, what string) error {
	_, together := p.limits()
	return Overloaded(retryAfter, "The users of identity provider %q have %d %s, the most for all of them at once.",
		who.Provider, together, what)
}

// place is where a request with a user counts while it is served.
type place struct {
	limits *Limits
	who    turns.Account
	in     *places
}

func (p *place) leave() { p.in.give(p.who, 1) }

// wait moves the request to the places of those that only wait, where it stays.
func (p *place) wait() error {
	waiting := p.limits.waiting
	if p.in == waiting {
		return nil
	}
	switch waiting.take(p.who, 1) {
	case shortForAll:
		return Overloaded(retryAfter, "%d requests wait for news at the moment, the most that may.",
			p.limits.now().Requests)
	case shortForProvider:
		return waiting.ofProvider(p.who, "requests that wait for news")
	case shortForHolder:
		return Overloaded(retryAfter, "%s requests of user %q wait for news, the most for one user at once.",
			p.limits.now().userRequests(), p.who.Name)
	case noShortage:
	}
	p.leave()
	p.in = waiting
	return nil
}
