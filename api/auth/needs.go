package auth

import (
	"maps"
	"sync"

	"github.com/florinledger/florin/ledger"
)

// needs are the rights that a request has used so far: the loss of other rights does not affect it. It is safe for
// concurrent use; nil records nothing.
type needs struct {
	mu sync.Mutex
	// rights without a party, of a kind with parties, are rights as any party.
	rights map[ledger.Right]bool
	// kinds are rights that the request needs for at least one party.
	kinds map[ledger.RightKind]bool
	// readable are the parties of lists of everything that the caller may read.
	readable map[ledger.Party]bool
}

// Noting returns claims that record the rights that permit something, in all their copies.
func (c Claims) Noting() Claims {
	c.needs = &needs{
		rights: map[ledger.Right]bool{}, kinds: map[ledger.RightKind]bool{}, readable: map[ledger.Party]bool{},
	}
	return c
}

// InPlaceOf returns the current claims for a request that was permitted by earlier ones: they continue the same record
// of used rights, without the lost ones.
func (c Claims) InPlaceOf(before Claims) Claims {
	if before.needs == nil {
		return c
	}
	c.needs = before.needs // copies of those of before note there
	c.needs.mu.Lock()
	defer c.needs.mu.Unlock()
	maps.DeleteFunc(c.needs.rights, func(right ledger.Right, _ bool) bool { return !c.has(right) })
	maps.DeleteFunc(c.needs.kinds, func(kind ledger.RightKind, _ bool) bool { return !c.hasSome(kind) })
	maps.DeleteFunc(c.needs.readable, func(party ledger.Party, _ bool) bool { return !c.reads(party) })
	return c
}

// Permits reports whether this is the same caller with all rights that the earlier claims used; without a record of
// these, with all their rights.
func (c Claims) Permits(before Claims) bool {
	if before.needs == nil || c.Covers(before) {
		return c.Covers(before)
	}
	if c.Authenticated() != before.Authenticated() || c.wildcard != before.wildcard || c.Identity() != before.Identity() {
		return false
	}
	before.needs.mu.Lock()
	defer before.needs.mu.Unlock()
	for right := range before.needs.rights {
		if !c.has(right) {
			return false
		}
	}
	for kind := range before.needs.kinds {
		if !c.hasSome(kind) {
			return false
		}
	}
	for party := range before.needs.readable {
		if !c.reads(party) {
			return false
		}
	}
	return true
}

// has reports whether the caller has a right, directly or by a greater one.
func (c Claims) has(right ledger.Right) bool {
	switch right.Kind {
	case ledger.ParticipantAdmin:
		return c.admin
	case ledger.IdentityProviderAdmin:
		return c.admin || c.idpAdmin
	default:
		every, parties := c.partyRight(right.Kind)
		return every || right.Party != "" && parties[right.Party]
	}
}

func (c Claims) hasSome(kind ledger.RightKind) bool {
	every, parties := c.partyRight(kind)
	return every || len(parties) > 0
}

func (c Claims) reads(party ledger.Party) bool {
	return c.has(ledger.Right{Kind: ledger.CanReadAs, Party: party})
}

// holds reports whether the caller has a right, and records it.
func (c Claims) holds(kind ledger.RightKind, party ledger.Party) bool {
	right := ledger.Right{Kind: kind, Party: party}
	has := c.has(right)
	if has && c.needs != nil {
		c.needs.mu.Lock()
		defer c.needs.mu.Unlock()
		c.needs.rights[right] = true
	}
	return has
}

// holdsSome reports whether the caller has the right for at least one party, and records it.
func (c Claims) holdsSome(kind ledger.RightKind) bool {
	has := c.hasSome(kind)
	if has && c.needs != nil {
		c.needs.mu.Lock()
		defer c.needs.mu.Unlock()
		c.needs.kinds[kind] = true
	}
	return has
}

// noteReadable returns the parties that the caller may read as, and records them.
func (c Claims) noteReadable() map[ledger.Party]bool {
	if c.needs != nil {
		c.needs.mu.Lock()
		defer c.needs.mu.Unlock()
		maps.Copy(c.needs.readable, c.readAs)
	}
	return c.readAs
}
