package activities

import (
	"sync"

	"github.com/florinledger/florin/ledger"
)

// Outcomes passes completions from the commit that records them to the requests of the same process that wait for them,
// without a detour over the database or Temporal. It is a shortcut and nothing more: whoever waits must also be able to
// find the completion in the record, since another process may have written it.
type Outcomes struct {
	mu      sync.Mutex
	waiting map[string]func(ledger.Completion)
}

// NewOutcomes makes an empty one.
func NewOutcomes() *Outcomes {
	return &Outcomes{waiting: map[string]func(ledger.Completion){}}
}

// Expect has deliver called, at most once, with the completion of the submission that has the key. deliver must not
// block.
func (o *Outcomes) Expect(key string, deliver func(ledger.Completion)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[key] = deliver
}

// Forget withdraws an expectation; it is safe when the completion has arrived.
func (o *Outcomes) Forget(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.waiting, key)
}

// Expected lists the keys that are still waited for.
func (o *Outcomes) Expected() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	keys := make([]string, 0, len(o.waiting))
	for key := range o.waiting {
		keys = append(keys, key)
	}
	return keys
}

// Publish delivers completions to those who expect them.
func (o *Outcomes) Publish(completions ...ledger.Completion) {
	if o == nil {
		return
	}
	for _, completion := range completions {
		o.mu.Lock()
		deliver, ok := o.waiting[completion.Key]
		delete(o.waiting, completion.Key)
		o.mu.Unlock()
		if ok {
			deliver(completion)
		}
	}
}
