package auth

import (
	"errors"
	"net/http"
	"strings"
)

// The subprotocol prefix that carries a token, and the subprotocol that a server chooses.
const (
	websocketTokenPrefix = "jwt.token."
	// WebsocketProtocol is the subprotocol that clients offer besides the token and servers choose.
	WebsocketProtocol = "daml.ws.auth"
)

// ErrEmptyBearer means that the Authorization header has no token after Bearer. It is a malformed request, not a
// missing token.
var ErrEmptyBearer = errors.New("the Authorization header has no token after Bearer")

// ErrTwoAuthorizations means that a request has several Authorization headers. A proxy may read another one than this
// node.
var ErrTwoAuthorizations = errors.New("there are several Authorization headers; send one")

// isToken reports whether a subprotocol is a plain token (contract, "Authentication": the same JWT). The JSON object of
// a token's header is encoded with this prefix.
func isToken(element string) bool {
	return strings.HasPrefix(element, "eyJ") && strings.Count(element, ".") == 2
}

// TokenFrom reads the token from the Authorization header or, without one, from Sec-WebSocket-Protocol (contract,
// "Authentication"). It returns "" without a token, and [ErrEmptyBearer] or [ErrTwoAuthorizations] for malformed
// headers.
func TokenFrom(header http.Header) (string, error) {
	if len(header.Values("Authorization")) > 1 {
		return "", ErrTwoAuthorizations
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(header.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") {
		if token = strings.TrimSpace(token); token == "" {
			return "", ErrEmptyBearer
		}
		return token, nil
	}
	for _, line := range header.Values("Sec-WebSocket-Protocol") {
		for element := range strings.SplitSeq(line, ",") {
			element = strings.TrimSpace(element)
			token, found := strings.CutPrefix(element, websocketTokenPrefix)
			if token = strings.TrimSpace(token); (found || isToken(element)) && token != "" {
				return token, nil
			}
		}
	}
	return "", nil
}
