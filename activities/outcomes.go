package activities

import (
	"sync"

	"github.com/florinledger/florin/ledger"
)

// Outcomes passes completions from a commit to the requests of the same process that wait for them, without the
// database or Temporal. It is only a shortcut: a request must also look for the completion in the record, because
// another process may have written it.
type Outcomes struct {
	mu      sync.Mutex
	waiting map[string]expectation
}

type expectation struct {
	deliver func(ledger.Completion)
	running func()
}

// NewOutcomes makes an empty Outcomes.
func NewOutcomes() *Outcomes {
	return &Outcomes{waiting: map[string]expectation{}}
}

// Expect registers deliver, which is called at most once, with the completion of the submission with the key, and
// running, which may be called before, when its code takes long. They must not block.
func (o *Outcomes) Expect(key string, deliver func(ledger.Completion), running func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[key] = expectation{deliver, running}
}

// PublishRunning tells that the code of a submission takes long.
func (o *Outcomes) PublishRunning(key string) {
	if o == nil {
		return
	}
	o.mu.Lock()
	expected, ok := o.waiting[key]
	o.mu.Unlock()
	if ok && expected.running != nil {
		expected.running()
	}
}

// Forget removes the registration of a key, if it is still there.
func (o *Outcomes) Forget(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.waiting, key)
}

// Expected lists the registered keys.
func (o *Outcomes) Expected() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	keys := make([]string, 0, len(o.waiting))
	for key := range o.waiting {
		keys = append(keys, key)
	}
	return keys
}

// Publish delivers completions to the registered functions.
func (o *Outcomes) Publish(completions ...ledger.Completion) {
	if o == nil {
		return
	}
	for _, completion := range completions {
		o.mu.Lock()
		expected, ok := o.waiting[completion.Key]
		delete(o.waiting, completion.Key)
		o.mu.Unlock()
		if ok {
			expected.deliver(completion)
		}
	}
}
