package endpoint

import (
	"context"
	"net"
	"net/http"
	"strings"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// inCallersName returns the context for an endpoint that changes something. Each transaction of the record waits for
// the caller's turn and checks, inside the transaction, the rights that permitted the request. Submissions have their
// own turns, and their commit checks the rights.
func inCallersName(ctx context.Context, current *call) context.Context {
	if !current.claims.Known() {
		return db.ForCaller(ctx, db.Caller{Identity: current.claims.Identity(), Origin: Origin(ctx), Turn: commitTurn})
	}
	return db.ForCaller(ctx, db.Caller{
		Identity: current.claims.Identity(),
		Origin:   Origin(ctx),
		Turn:     commitTurn,
		Check: func(user ledger.User, rights []ledger.Right) error {
			if user.IsDeactivated || !auth.NewClaims(user, rights).Permits(current.claims) {
				return rightLost(current.claims)
			}
			return nil
		},
	})
}

// maxForwarded limits what the audit log keeps of the addresses that proxies report. The last ones are those of the
// proxies nearest to the node; a client can invent the first ones.
const maxForwarded = 200

// Origin says where the request comes from, for the audit log.
func Origin(ctx context.Context) ledger.Origin {
	current := callOf(ctx)
	return ledger.Origin{
		Addresses: addressesOf(current.request),
		Operation: strings.TrimSpace(current.request.Method + " " + current.pattern), TraceID: current.trace.TraceID(),
	}
}

func addressesOf(request *http.Request) string {
	address, _, err := net.SplitHostPort(request.RemoteAddr)
	if err != nil {
		address = request.RemoteAddr
	}
	forwarded := strings.Join(request.Header.Values("X-Forwarded-For"), ", ")
	forwarded = forwarded[max(0, len(forwarded)-maxForwarded):]
	return strings.Join(strings.FieldsFunc(forwarded+","+address, func(char rune) bool {
		return char == ',' || char == ' '
	}), ", ")
}
