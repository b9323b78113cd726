package endpoint

import "sync"

// places are for what is under way at once: so many in all, and so many for each caller, so that no caller takes all.
// They are safe for concurrent use.
type places struct {
	all, each int

	mu       sync.Mutex
	count    int
	byCaller map[string]int
}

func newPlaces(all, each int) *places {
	return &places{all: all, each: each, byCaller: make(map[string]int)}
}

// full reports whether all places are taken, and whether the caller has as many as one may have. The caller "" stands
// for those that are not told apart: they may have all.
func (p *places) full(caller string) (all, each bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isFull(caller)
}

// isFull is full for those who hold the lock.
func (p *places) isFull(caller string) (all, each bool) {
	return p.count >= p.all, caller != "" && p.byCaller[caller] >= p.each
}

// take takes a place, unless all are taken or all that the caller may have. Call leave, once, when it is free again; it
// is nil when there was none.
func (p *places) take(caller string) (leave func(), all, each bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if all, each = p.isFull(caller); all || each {
		return nil, all, each
	}
	p.count++
	if caller != "" {
		p.byCaller[caller]++
	}
	return func() { p.leave(caller) }, false, false
}

func (p *places) leave(caller string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count--
	if caller == "" {
		return
	}
	if p.byCaller[caller]--; p.byCaller[caller] == 0 {
		delete(p.byCaller, caller)
	}
}
