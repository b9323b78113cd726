package endpoint

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
)

type countForKey struct{}

// CountFor has requests count for whoever has another token than the one they carry, and without one in the share of
// callers without a token: they are made for that visitor, and with the rights of a user who knows nothing of it. All
// that bounds callers bounds the visitor then. What a request may do is decided by its own token.
func CountFor(ctx context.Context, visitor string) context.Context {
	return context.WithValue(ctx, countForKey{}, visitor)
}

// admit finds out who calls and counts the request, for its caller or as [CountFor] says. One whose token names nobody
// who may call counts as one without a token. busy is the refusal of a request that is one too many; refused is that of
// its token.
func (f *Server) admit(
	ctx context.Context, current *call, r *http.Request,
) (who admission.Caller, busy, refused error) {
	refused = f.authenticate(ctx, current, r)
	who = f.countedFor(ctx, current.claims)
	return who, f.options.Limits.Admit(who), refused
}

// countedFor is who a request counts for. A visitor whose token is not good is one without.
func (f *Server) countedFor(ctx context.Context, claims auth.Claims) admission.Caller {
	if visitor, ok := ctx.Value(countForKey{}).(string); ok {
		var err error
		if claims, err = f.again(ctx, visitor); err != nil {
			claims = auth.Claims{}
		}
	}
	return admission.CallerOf(claims.Identity(), claims.Authenticated())
}
