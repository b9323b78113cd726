package daml

import (
	"runtime"
	"runtime/metrics"
	"sync"
)

// pool limits the memory of a run: its scripts and their packages together. It asks the garbage collector for the
// memory in use, so memory that a script no longer needs does not count.
type pool struct {
	limit      int64
	collecting sync.Mutex
}

// collectorShare: a fifth of a run's memory is for the garbage collector. With less it would run almost all the time.
const collectorShare = 5

func newPool(memory size) *pool { return &pool{limit: int64(memory - memory/collectorShare)} }

// more reports whether this number of bytes is available. Before it says no, it runs the garbage collector.
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

// held is the number of bytes in use after the last garbage collection.
func held() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
