package endpoint

import "sync"

// places are for what is under way at once: so many in all, and so many for each caller, so that no caller takes all.
// They are counted in requests, streams or bytes. They are safe for concurrent use.
type places struct {
	all, each int64

	mu       sync.Mutex
	count    int64
	byCaller map[string]int64
}

func newPlaces(all, each int64) *places {
	return &places{all: all, each: each, byCaller: make(map[string]int64)}
}

// full reports whether so many more are too many, in all and of the caller. The caller "" stands for those that are not
// told apart: they may have all.
func (p *places) full(caller string, more int64) (all, each bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isFull(caller, more)
}

// isFull is full for those who hold the lock.
func (p *places) isFull(caller string, more int64) (all, each bool) {
	return p.count+more > p.all, caller != "" && p.byCaller[caller]+more > p.each
}

// take takes so many places, unless that is too many in all or for the caller. Give them back.
func (p *places) take(caller string, more int64) (all, each bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if all, each = p.isFull(caller, more); all || each {
		return all, each
	}
	p.count += more
	if caller != "" {
		p.byCaller[caller] += more
	}
	return false, false
}

// give gives places back.
func (p *places) give(caller string, back int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count -= back
	if caller == "" {
		return
	}
	if p.byCaller[caller] -= back; p.byCaller[caller] == 0 {
		delete(p.byCaller, caller)
	}
}
