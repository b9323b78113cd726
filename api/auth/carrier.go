package auth

import (
	"errors"
	"net/http"
	"strings"
)

// The WebSocket subprotocol element that carries a token, and the subprotocol that a server chooses.
const (
	websocketTokenPrefix = "jwt.token."
	// WebsocketProtocol is the subprotocol that clients offer beside the token and servers answer with.
	WebsocketProtocol = "daml.ws.auth"
)

// ErrEmptyBearer says that the Authorization header names the bearer scheme and nothing else. It is a malformed
// request, not a missing token.
var ErrEmptyBearer = errors.New("the Authorization header has no token after Bearer")

// ErrTwoAuthorizations says that a request has several Authorization headers. A proxy may read another of them than
// this node would.
var ErrTwoAuthorizations = errors.New("there are several Authorization headers; send one")

// isToken reports whether a subprotocol is a token by itself (contract, "Authentication": the same JWT). A token's
// header is a JSON object, whose encoding begins like that.
func isToken(element string) bool {
	return strings.HasPrefix(element, "eyJ") && strings.Count(element, ".") == 2
}

// TokenFrom reads the token from the Authorization header or, when that holds none, from Sec-WebSocket-Protocol
// (contract, "Authentication"). It returns "" when there is no token, and [ErrEmptyBearer] or
// [ErrTwoAuthorizations] for headers that are malformed.
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
