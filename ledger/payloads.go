package ledger

import "sync"

// payloadGeneration is how many payloads a generation of the cache holds.
const payloadGeneration = 512

// Payloads remembers the decoded payloads of contracts that many submissions use: the coin's rules and rounds are named
// by every transfer, and decoding them would be a good part of its cost. A contract id stands for its content, so what
// is remembered never becomes wrong; what has not been used for long is forgotten. It is safe for concurrent use, and a
// nil one remembers nothing. Templates must not change payloads that they are given.
type Payloads struct {
	mu          sync.Mutex
	young, aged map[ContractID]any
}

// NewPayloads makes an empty cache.
func NewPayloads() *Payloads { return &Payloads{young: map[ContractID]any{}} }

func (p *Payloads) get(id ContractID) (any, bool) {
	if p == nil {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if payload, ok := p.young[id]; ok {
		return payload, true
	}
	payload, ok := p.aged[id]
	if ok {
		p.keep(id, payload)
	}
	return payload, ok
}

func (p *Payloads) put(id ContractID, payload any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(id, payload)
}

// keep puts a payload into the young generation; a full one becomes the aged one, and the aged one is forgotten.
func (p *Payloads) keep(id ContractID, payload any) {
	if len(p.young) >= payloadGeneration {
		p.young, p.aged = map[ContractID]any{}, p.young
	}
	p.young[id] = payload
}
