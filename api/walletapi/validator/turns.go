package validator

import (
	"context"
	"sync"

	"github.com/florinledger/florin/ledger"
)

// Alone waits until no other request of this process deals with the party, or until ctx ends.
func (b *Base) Alone(ctx context.Context, party ledger.Party) (leave func(), err error) {
	return b.turns.enter(ctx, party)
}

// turns lets one request at a time deal with a party. The zero value is ready.
type turns struct {
	mu   sync.Mutex
	held map[ledger.Party]chan struct{}
}

// enter waits for the party's turn, until ctx ends.
func (t *turns) enter(ctx context.Context, party ledger.Party) (leave func(), err error) {
	for {
		t.mu.Lock()
		current, busy := t.held[party]
		if !busy {
			if t.held == nil {
				t.held = map[ledger.Party]chan struct{}{}
			}
			mine := make(chan struct{})
			t.held[party] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				delete(t.held, party)
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-current:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
