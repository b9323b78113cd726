package db

import "sync"

// lifecycleTurns is the key of the turns that accounts take with lifecycles. The key of the turns with automation tasks
// is the kind.
const lifecycleTurns = "\x00lifecycles"

// lastTurns remembers the account that had the last turn, so that the accounts after it are next. Each process has its
// own order.
type lastTurns struct {
	mu       sync.Mutex
	accounts map[string]string
}

// last is the account that had the last turn; "" before the first.
func (s *lastTurns) last(turns string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accounts[turns]
}

func (s *lastTurns) note(turns, account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts == nil {
		s.accounts = map[string]string{}
	}
	s.accounts[turns] = account
}
