package admission

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// burstSeconds is the burst of a caller's limiter, in seconds of its rate.
	burstSeconds = 2
	// maxRates limits the number of callers with a rate of their own. Other callers share one rate.
	maxRates = 10_000
	// sweepInterval is the minimum time between two sweeps of idle limiters.
	sweepInterval = time.Second
)

// Rates limit how often each caller may do something, with a burst of two seconds. They are safe for concurrent use;
// nil limits nobody.
type Rates struct {
	now func() time.Time

	mu       sync.Mutex
	limit    rate.Limit
	burst    int
	byCaller map[string]*rate.Limiter
	swept    time.Time
}

// NewRates makes rates of perSecond; 0 for no limit. Without a clock it returns nil.
func NewRates(perSecond float64, now func() time.Time) *Rates {
	if now == nil {
		return nil
	}
	rates := &Rates{now: now, byCaller: make(map[string]*rate.Limiter)}
	rates.Set(perSecond)
	return rates
}

// Set changes the rate; recent calls still count.
func (r *Rates) Set(perSecond float64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limit, r.burst = rate.Limit(perSecond), max(1, int(perSecond*burstSeconds))
	if perSecond <= 0 {
		r.limit = rate.Inf
		clear(r.byCaller)
		return
	}
	now := r.now()
	for _, limiter := range r.byCaller {
		limiter.SetBurstAt(now, r.burst)
		limiter.SetLimitAt(now, r.limit)
	}
}

// Take counts one call and returns 0. If the caller has to wait, it counts nothing and returns the time.
func (r *Rates) Take(caller string) time.Duration {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limit == rate.Inf {
		return 0
	}
	now := r.now()
	taken := r.of(caller, now).ReserveN(now, 1)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}

// of finds the limiter of a caller. The calling function holds the lock.
func (r *Rates) of(caller string, now time.Time) *rate.Limiter {
	if known, ok := r.byCaller[caller]; ok {
		return known
	}
	if len(r.byCaller) >= maxRates && now.Sub(r.swept) >= sweepInterval {
		r.swept = now
		for name, limiter := range r.byCaller {
			if limiter.TokensAt(now) >= float64(r.burst) { // as good as a new one
				delete(r.byCaller, name)
			}
		}
	}
	if len(r.byCaller) >= maxRates {
		caller = ""
		if shared, ok := r.byCaller[caller]; ok {
			return shared
		}
	}
	limiter := rate.NewLimiter(r.limit, r.burst)
	r.byCaller[caller] = limiter
	return limiter
}
