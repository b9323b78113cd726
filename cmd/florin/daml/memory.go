package daml

import (
	"runtime"
	"runtime/metrics"
	"sync"
)

// pool is the memory of a run: what all its scripts hold, and the packages that they are of. The garbage collector says
// how much of it is taken, so that what a script no longer needs costs nothing, and what it keeps costs what it takes.
type pool struct {
	limit      int64
	collecting sync.Mutex
}

// collectorShare is the part of a run's memory that the garbage collector has to work in: a fifth. With less it would
// do little else than look for what is left.
const collectorShare = 5

func newPool(memory size) *pool { return &pool{limit: int64(memory - memory/collectorShare)} }

// more reports whether there are as many bytes. What was given up since the garbage collector ran is not held against
// anybody.
func (p *pool) more(bytes int64) bool {
	if held()+bytes <= p.limit {
		return true
	}
	p.collecting.Lock()
	defer p.collecting.Unlock()
	if held()+bytes > p.limit { // and not because others gave up
		runtime.GC()
	}
	return held()+bytes <= p.limit
}

// held is how many bytes were in use when the garbage collector ran last.
func held() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
