package auth

import (
	"context"
	"slices"
	"sync"

	"github.com/florinledger/florin/ledger/fault"
)

// maxVerifying is how many tokens of one identity provider that one address sends may wait for their turn.
const maxVerifying = 64

// sender is who sends a token.
type sender struct {
	address string
	// spent reports whether the address sends too much that does not verify.
	spent func() bool
}

type senderKey struct{}

// WithSender is a context for tokens that come from an address. While spent reports true, no signature of an identity
// provider is verified for it: only tokens that were verified before count.
func WithSender(ctx context.Context, address string, spent func() bool) context.Context {
	return context.WithValue(ctx, senderKey{}, sender{address: address, spent: spent})
}

// verifying gives each identity provider one turn at a time to have a signature verified. Whoever configures a provider
// chooses how dear its keys are, and anybody can send tokens that name it: with one turn they take one processor at
// most, and the users of other providers do not wait. The addresses that send a provider's tokens take turns, so that
// one that sends many keeps none waiting for more than one of its own. The zero value is ready. It is safe for
// concurrent use.
type verifying struct {
	mu    sync.Mutex
	lines map[string]*verifyingLine
}

// verifyingLine is who waits for a provider's turn, which somebody has.
type verifyingLine struct {
	// addresses are those that wait, in the order of their turns, and waiting what each waits for: each is closed when
	// its turn comes.
	addresses []string
	waiting   map[string][]chan struct{}
}

// take waits for the provider's turn and returns what ends it. It refuses when too many of the address wait, and gives
// up with ctx: no signature is verified for a client that is gone.
func (v *verifying) take(ctx context.Context, provider string) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from, _ := ctx.Value(senderKey{}).(sender)
	if from.spent != nil && from.spent() {
		return nil, fault.ServerOverloaded.New("Too many tokens of the address do not verify.")
	}
	release = func() { v.pass(provider) }
	turn, err := v.line(provider, from.address)
	if turn == nil || err != nil {
		return release, err
	}
	select {
	case <-turn:
		return release, nil
	case <-ctx.Done():
		v.leave(provider, from.address, turn)
		return nil, ctx.Err()
	}
}

// line takes the provider's turn if it is free, or queues up for it: turn is closed when it comes.
func (v *verifying) line(provider, address string) (turn chan struct{}, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	line := v.lines[provider]
	if line == nil {
		if v.lines == nil {
			v.lines = make(map[string]*verifyingLine)
		}
		v.lines[provider] = &verifyingLine{waiting: make(map[string][]chan struct{})}
		return nil, nil // the turn was free
	}
	own := line.waiting[address]
	switch len(own) {
	case maxVerifying:
		return nil, fault.ServerOverloaded.New("%d tokens of the same issuer and address wait to be verified.",
			maxVerifying)
	case 0:
		line.addresses = append(line.addresses, address)
	}
	turn = make(chan struct{})
	line.waiting[address] = append(own, turn)
	return turn, nil
}

// pass gives the turn to the first of the address that is next.
func (v *verifying) pass(provider string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	line := v.lines[provider]
	if len(line.addresses) == 0 {
		delete(v.lines, provider)
		return
	}
	address := line.addresses[0]
	line.addresses = line.addresses[1:]
	own := line.waiting[address]
	close(own[0])
	if own = own[1:]; len(own) == 0 {
		delete(line.waiting, address)
		return
	}
	line.waiting[address] = own
	line.addresses = append(line.addresses, address)
}

// leave takes somebody out of the line, or passes the turn on that has come meanwhile.
func (v *verifying) leave(provider, address string, turn chan struct{}) {
	v.mu.Lock()
	line := v.lines[provider]
	own := line.waiting[address]
	place := slices.Index(own, turn)
	if place < 0 {
		v.mu.Unlock()
		v.pass(provider)
		return
	}
	defer v.mu.Unlock()
	if own = slices.Delete(own, place, place+1); len(own) > 0 {
		line.waiting[address] = own
		return
	}
	delete(line.waiting, address)
	line.addresses = slices.DeleteFunc(line.addresses, func(other string) bool { return other == address })
}
