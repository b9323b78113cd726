package auth

import (
	"context"
	"sync"

	"github.com/florinledger/florin/fault"
)

// maxVerifying is how many tokens of one identity provider may wait for their turn to be verified.
const maxVerifying = 64

// verifying gives each identity provider one turn at a time to have a signature verified. Whoever configures a provider
// chooses how dear its keys are, and anybody can send tokens that name it: with one turn they take one processor at
// most, and the users of other providers do not wait. The zero value is ready. It is safe for concurrent use.
type verifying struct {
	mu    sync.Mutex
	lines map[string]*verifyingLine
}

type verifyingLine struct {
	turn chan struct{}
	// inLine counts who has the turn or waits for it.
	inLine int
}

// take waits for the provider's turn and returns what ends it. It refuses when too many wait, and gives up with ctx:
// no signature is verified for a client that is gone.
func (v *verifying) take(ctx context.Context, provider string) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	line := v.lines[provider]
	if line == nil {
		line = &verifyingLine{turn: make(chan struct{}, 1)}
		if v.lines == nil {
			v.lines = make(map[string]*verifyingLine)
		}
		v.lines[provider] = line
	}
	if line.inLine > maxVerifying {
		return nil, fault.ServerOverloaded.New("%d tokens of the same issuer wait to be verified.", maxVerifying)
	}
	line.inLine++
	v.mu.Unlock()
	select {
	case line.turn <- struct{}{}:
	case <-ctx.Done():
		err = ctx.Err()
	}
	v.mu.Lock()
	if err != nil {
		v.leave(provider, line)
		return nil, err
	}
	return func() {
		<-line.turn
		v.mu.Lock()
		defer v.mu.Unlock()
		v.leave(provider, line)
	}, nil
}

func (v *verifying) leave(provider string, line *verifyingLine) {
	if line.inLine--; line.inLine == 0 {
		delete(v.lines, provider)
	}
}
