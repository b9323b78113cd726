package auth

import (
	"context"
	"errors"

	"github.com/golang-jwt/jwt/v5"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger/fault"
)

// publicKeyMethods are the accepted algorithms with public keys.
var publicKeyMethods = []jwt.SigningMethod{
	jwt.SigningMethodRS256, jwt.SigningMethodES256, jwt.SigningMethodES384, jwt.SigningMethodES512,
	jwt.SigningMethodEdDSA,
}

// maxVerifying is the maximum number of waiting tokens of one identity provider.
const maxVerifying = 256

// publicKeyTokens verifies tokens with public keys: one at a time for each identity provider, and each signature once.
// It is safe for concurrent use.
type publicKeyTokens struct {
	times      Times
	parser     *jwt.Parser
	turns      *turns.Turns
	signatures signatures
}

func newPublicKeyTokens(times Times) publicKeyTokens {
	return publicKeyTokens{
		times: times, parser: times.newParser(publicKeyMethods...),
		turns: turns.New(turns.Limits{Each: 1, Waiting: maxVerifying}),
	}
}

// take waits for the provider's turn to verify a signature. The owner of a provider chooses how expensive its keys are,
// and anybody can send tokens that name it: so a provider uses one processor at most, and users of other providers do
// not wait. take gives up with ctx, so a disconnected client costs no verification.
func (p *publicKeyTokens) take(ctx context.Context, provider string) (release func(), err error) {
	// Accounts without a name are not counted, and the default provider has none.
	release, err = p.turns.Take(ctx, turns.Account{Name: "provider:" + provider})
	if errors.Is(err, turns.ErrCrowded) {
		err = fault.ServerOverloaded.New("%d tokens of the same issuer are waiting for verification.", maxVerifying)
	}
	return release, err
}

// verify returns the claims of a token if a key of the provider has signed it and it is valid now.
func (p *publicKeyTokens) verify(
	ctx context.Context, provider, token string, keys KeySource,
) (*tokenClaims, error) {
	return p.times.verify(p.parser, token, func(header *jwt.Token) (any, error) {
		method := header.Method
		header.Method = signingMethod{SigningMethod: method, verify: func(text string, signature []byte, key any) error {
			if p.signatures.hold(provider, token, key) {
				return nil
			}
			release, err := p.take(ctx, provider)
			if err != nil {
				return err
			}
			defer release()
			if err := method.Verify(text, signature, key); err != nil {
				return err
			}
			p.signatures.add(provider, token, key)
			return nil
		}}
		keyID, _ := header.Header["kid"].(string)
		return keys.KeyFor(ctx, keyID)
	})
}

// verificationFault is the fault of a token that did not verify: 401, or an overload of the issuer's queue.
func verificationFault(reason error) *fault.Fault {
	if overloaded, ok := fault.As(reason); ok && fault.ServerOverloaded.Matches(overloaded) {
		return overloaded
	}
	return unauthenticated(reason)
}

// signingMethod replaces the verification of a signing method.
type signingMethod struct {
	jwt.SigningMethod

	verify func(text string, signature []byte, key any) error
}

// Verify implements [jwt.SigningMethod].
func (m signingMethod) Verify(text string, signature []byte, key any) error {
	return m.verify(text, signature, key)
}
