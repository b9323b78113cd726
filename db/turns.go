package db

import "sync"

// lifecyclesServed is the name of the turns that accounts take with lifecycles; those with the tasks of a kind of
// automation have its name.
const lifecyclesServed = "\x00lifecycles"

// served remembers whose turn was the last one, so that the accounts after it are next. Each process goes around by
// itself.
type served struct {
	mu       sync.Mutex
	accounts map[string]string
}

// last is the account that was served last; "" before the first.
func (s *served) last(turns string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accounts[turns]
}

func (s *served) note(turns, account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts == nil {
		s.accounts = map[string]string{}
	}
	s.accounts[turns] = account
}
