package endpoint

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
)

// ForParties are bodies that name the parties that the caller asks as (see [Info].AsParty).
type ForParties interface {
	// RequestedParties yields them as the request has them. Finding them is cheap: nothing else of the body is decoded.
	// It yields none where that cannot be said.
	RequestedParties() iter.Seq[ledger.Party]
}

// checkAsParty is the check of endpoints that say which right they need as the parties of their body: it is the body
// that names those.
func (e Endpoint) checkAsParty() error {
	body, ok := e.body()
	names := ok && body.Type.Implements(reflect.TypeFor[ForParties]())
	switch {
	case names && !e.AsParty.HasParty():
		return fmt.Errorf("endpoint %s: its body names parties, but AsParty does not say which right the caller needs", e)
	case !names && e.AsParty != "":
		return fmt.Errorf("endpoint %s: its body names no parties, but AsParty is %s", e, e.AsParty)
	default:
		return nil
	}
}

// checkParties refuses who has the right as none of the parties that the body names. Whether the caller has it as all
// of them is for the endpoint, which may find mistakes in the body before.
func (s *endpointHandler) checkParties(claims auth.Claims, request reflect.Value) error {
	if s.AsParty == "" {
		return nil
	}
	body, ok := reflect.TypeAssert[ForParties](request.Field(s.bodyIndex))
	if !ok {
		return fmt.Errorf("endpoint %s: its body names no parties", s.Endpoint)
	}
	return claims.RequireAsOneOf(s.AsParty, body.RequestedParties())
}
