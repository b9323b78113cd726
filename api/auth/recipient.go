package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// DefaultScope is the scope of ledger API tokens without an audience.
const DefaultScope = "daml_ledger_api"

// participantAudience is the prefix of an audience that names a participant id.
const participantAudience = "https://daml.com/jwt/aud/participant/"

// recipient says which tokens are meant for this node: they name the audience or the participant, or have the scope
// (upstream's audience-based, participant-based and scope-based tokens).
type recipient struct {
	audience string
	// scope is "" if a scope is not enough.
	scope string
	// participantID is "" if tokens cannot name the participant.
	participantID string
}

// check returns the token, or refuses tokens for other nodes: with 403 if they name another participant, else with 401.
func (r recipient) check(claims *tokenClaims, ledgerClaimCounts bool) (Token, error) {
	token, err := claims.token(ledgerClaimCounts)
	if err != nil {
		return Token{}, err
	}
	if err := r.checkAudience(claims); err != nil {
		return Token{}, refuseUser(token.UserID, err)
	}
	return token, nil
}

func (r recipient) checkAudience(claims *tokenClaims) error {
	if slices.Contains(claims.Audience, r.audience) {
		return nil
	}
	if named := claims.participants(); len(named) == 1 && r.participantID != "" {
		return r.checkParticipant(named[0])
	}
	byScope := r.scope != "" && slices.Contains(claims.scopes(), r.scope) && len(claims.participants()) == 0
	switch {
	case byScope && len(claims.Audience) == 0:
		return nil
	case byScope && len(claims.Audience) == 1:
		return r.checkParticipant(claims.Audience[0])
	default:
		return unauthenticated(fmt.Errorf("the token's audience %q does not contain %q", claims.Audience, r.audience))
	}
}

// checkParticipant checks that a token names this participant.
func (r recipient) checkParticipant(participantID string) error {
	if participantID == r.participantID {
		return nil
	}
	return denied("the token is for the participant %q, which is not this node, %q", participantID, r.participantID)
}

func (c *tokenClaims) participants() []string {
	var named []string
	for _, audience := range c.Audience {
		if id, ok := strings.CutPrefix(audience, participantAudience); ok && id != "" {
			named = append(named, id)
		}
	}
	return named
}

// scopes returns `scope`, or `scp` if that is empty.
func (c *tokenClaims) scopes() []string {
	if len(c.Scope) > 0 {
		return c.Scope
	}
	return c.ScopeList
}

// scopeClaim is a list of scopes: a text with blanks between them, or an array. Other values are ignored: providers put
// many things there, and most tokens do not need it.
type scopeClaim []string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *scopeClaim) UnmarshalJSON(raw []byte) error {
	*s = nil
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*s = strings.Fields(text)
		return nil
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		*s = list
	}
	return nil
}

var (
	errNoSubject  = errors.New("the token has no sub claim")
	errNoKeyID    = errors.New("the token's header has no kid")
	errNoAudience = errors.New("the token audience is empty: set the audience that tokens for this node carry")
)
