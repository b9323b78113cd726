package auth

import (
	"context"
	"sync"

	"github.com/florinledger/florin/ledger/fault"
)

// maxVerifying is how many tokens of one identity provider may wait for their turn.
const maxVerifying = 256

// verifying gives each identity provider one turn at a time to have a signature verified. Whoever configures a provider
// chooses how dear its keys are, and anybody can send tokens that name it: with one turn they take one processor at
// most, and the users of other providers do not wait. The zero value is ready. It is safe for concurrent use.
type verifying struct {
	mu    sync.Mutex
	lines map[string]*verifyingLine
}

// verifyingLine is who has a provider's turn, or waits for it.
type verifyingLine struct {
	turn chan struct{}
	// count is how many they are.
	count int
}

// take waits for the provider's turn and returns what ends it. It refuses when too many tokens of the provider wait, and
// gives up with ctx: no signature is verified for a client that is gone.
func (v *verifying) take(ctx context.Context, provider string) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	line, err := v.join(provider)
	if err != nil {
		return nil, err
	}
	select {
	case line.turn <- struct{}{}:
		return func() {
			<-line.turn
			v.leave(provider)
		}, nil
	case <-ctx.Done():
		v.leave(provider)
		return nil, ctx.Err()
	}
}

func (v *verifying) join(provider string) (*verifyingLine, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	line := v.lines[provider]
	if line == nil {
		if v.lines == nil {
			v.lines = make(map[string]*verifyingLine)
		}
		line = &verifyingLine{turn: make(chan struct{}, 1)}
		v.lines[provider] = line
	}
	if line.count > maxVerifying {
		return nil, fault.ServerOverloaded.New("%d tokens of the same issuer wait to be verified.", maxVerifying)
	}
	line.count++
	return line, nil
}

func (v *verifying) leave(provider string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lines[provider].count--; v.lines[provider].count == 0 {
		delete(v.lines, provider)
	}
}
