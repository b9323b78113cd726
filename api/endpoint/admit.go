package endpoint

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
)

type countForKey struct{}

// CountFor makes requests count for the owner of another token (a visitor) instead of their own. Without that token
// they count as anonymous. All limits of callers then apply to the visitor. The request's own token still decides what
// it may do.
func CountFor(ctx context.Context, visitor string) context.Context {
	return context.WithValue(ctx, countForKey{}, visitor)
}

// admit authenticates the caller and counts the request for it, or as [CountFor] says. A caller whose token is refused
// counts as anonymous. busy refuses a request above a limit; refused refuses its token.
func (f *Server) admit(
	ctx context.Context, current *call, r *http.Request,
) (caller admission.Caller, busy, refused error) {
	refused = f.authenticate(ctx, current, r)
	caller = f.countedFor(ctx, current.claims)
	return caller, f.options.Limits.Admit(caller), refused
}

// countedFor treats a visitor with an invalid token as anonymous.
func (f *Server) countedFor(ctx context.Context, claims auth.Claims) admission.Caller {
	if visitor, ok := ctx.Value(countForKey{}).(string); ok {
		var err error
		if claims, err = f.again(ctx, visitor); err != nil {
			claims = auth.Claims{}
		}
	}
	return admission.CallerOf(claims.Identity(), claims.Authenticated())
}
