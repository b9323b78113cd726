package ledger

import (
	"fmt"
	"sync"

	"github.com/florinledger/florin/ledger/lf"
)

const (
	// payloadGeneration is the most payloads of a generation of the cache, and payloadBytes their most bytes as JSON;
	// decoded they take a few times as much.
	payloadGeneration = 512
	payloadBytes      = 4 << 20
	// maxPayload is the most bytes of a payload in the cache: rules and rounds have a few thousand.
	maxPayload = 64 << 10
)

// Payloads caches the decoded payloads of contracts that many submissions use: every transfer names the coin's rules
// and rounds, and to decode them is a large part of its cost. A contract id fixes the content, so an entry never
// becomes wrong. The cache drops entries that were not used for long; the caller should Forget archived ones. It is
// safe for concurrent use, and a nil one caches nothing. Templates must not change the payloads that they get.
type Payloads struct {
	mu          sync.Mutex
	young, aged payloads
}

type payloads struct {
	byID  map[ContractID]cachedPayload
	bytes int
}

type cachedPayload struct {
	payload any
	bytes   int
}

// NewPayloads makes an empty cache.
func NewPayloads() *Payloads { return &Payloads{young: payloads{byID: map[ContractID]cachedPayload{}}} }

func (p *Payloads) get(id ContractID) (any, bool) {
	if p == nil {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if found, ok := p.young.byID[id]; ok {
		return found.payload, true
	}
	found, ok := p.aged.byID[id]
	if ok {
		p.aged.drop(id)
		p.keep(id, found)
	}
	return found.payload, ok
}

// put caches the payload of a contract, unless it is long; bytes is its size as JSON.
func (p *Payloads) put(id ContractID, payload any, bytes int) {
	if p == nil || bytes > maxPayload {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(id, cachedPayload{payload, bytes})
}

// Forget drops archived contracts.
func (p *Payloads) Forget(ids ...ContractID) {
	if p == nil || len(ids) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		p.young.drop(id)
		p.aged.drop(id)
	}
}

// Held is the number of payloads in the cache, and their bytes as JSON.
func (p *Payloads) Held() (count, bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.young.byID) + len(p.aged.byID), p.young.bytes + p.aged.bytes
}

// keep puts a payload into the young generation. A full one becomes the aged one, and replaces it.
func (p *Payloads) keep(id ContractID, one cachedPayload) {
	p.young.drop(id)
	if len(p.young.byID) >= payloadGeneration || p.young.bytes+one.bytes > payloadBytes {
		p.young, p.aged = payloads{byID: map[ContractID]cachedPayload{}}, p.young
	}
	p.young.byID[id] = one
	p.young.bytes += one.bytes
}

func (g *payloads) drop(id ContractID) {
	g.bytes -= g.byID[id].bytes
	delete(g.byID, id)
}

func (t *template) decodePayload(c Contract) (any, error) {
	value, err := lf.DecodeJSON(t.payload.lfType, c.Payload)
	if err != nil {
		return nil, fmt.Errorf("payload of contract %s: %w", c.ID, err)
	}
	return t.payload.toGo(value)
}
