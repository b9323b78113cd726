package endpoint

import (
	"sync"

	"github.com/florinledger/florin/ledger"
)

// holder is who has places.
type holder struct {
	// name tells holders apart. The name "" stands for those that are not told apart: they may have all.
	name string
	// provider is the identity provider that shares with all others, "" for the default one, whose users are the node's
	// own.
	provider string
}

func holderOf(who ledger.Identity) holder {
	return holder{name: ledger.IdentityText(who), provider: who.SharedProvider()}
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

// limits are how many there are in all, for the users of one identity provider, and for each holder.
func (p *places) limits() (all, together, each int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all, p.together, p.each
}

// shortage is why there is no place for one more; noShortage when there is one.
func (p *places) shortage(who holder) shortage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shortageOf(who, 1)
}

// shortageOf is why there are not so many more places. The caller holds the lock.
func (p *places) shortageOf(who holder, more int64) shortage {
	switch {
	case p.count+more > p.all:
		return shortForAll
	case who.name != "" && p.byHolder[who.name]+more > p.each:
		return shortForHolder
	case who.provider != "" && p.byProvider[who.provider]+more > p.together:
		return shortForProvider
	default:
		return noShortage
	}
}

// take takes so many places, unless that is too many. Give them back.
func (p *places) take(who holder, more int64) shortage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if short := p.shortageOf(who, more); short != noShortage {
		return short
	}
	p.add(who, more)
	return noShortage
}

// give gives places back.
func (p *places) give(who holder, back int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(who, -back)
}

// add counts more places, or fewer. The caller holds the lock.
func (p *places) add(who holder, more int64) {
	p.count += more
	addTo(p.byHolder, who.name, more)
	addTo(p.byProvider, who.provider, more)
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
func (p *places) ofProvider(who holder, what string) error {
	_, together, _ := p.limits()
	return Overloaded(retryAfter, "The users of identity provider %q have %d %s, the most for all of them at once.",
		who.provider, together, what)
}

// place is where a request with a user counts while it is served.
type place struct {
	limits *Limits
	who    holder
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
			p.limits.now().userRequests(), p.who.name)
	case noShortage:
	}
	p.leave()
	p.in = waiting
	return nil
}
