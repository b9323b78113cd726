package endpoint

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
)

// ForParties is a body that names the parties that the caller acts or reads as (see [Info].AsParty).
type ForParties interface {
	// RequestedParties yields the parties of the request, or none if it cannot tell. It is cheap: it decodes nothing else.
	RequestedParties() iter.Seq[ledger.Party]
}

// checkAsParty checks that AsParty is set exactly if the body names parties.
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

// checkParties refuses a caller without the right for any of the body's parties. The endpoint checks the others,
// because it may find mistakes in the body first.
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
