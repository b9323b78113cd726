package v0

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/fault"
)

// Unreadable begins the plain text for unreadable requests under /v0.
const Unreadable = "The request content was malformed:\n"

// WrongMethod begins the plain text for a wrong method under /v0.
const WrongMethod = "HTTP method not allowed, supported methods: "

// ErrorResponse is the body of every error that is not plain text.
type ErrorResponse struct {
	Error string `json:"error" required:"true" doc:"What is wrong"`
}

// Error is a refusal with its own status and text, without a ledger code.
type Error struct {
	Status int
	Text   string
	// Body is the answer of refusals with more than a text; nil for an [ErrorResponse] with the text.
	Body any
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Refuse makes a refusal.
func Refuse(status int, format string, args ...any) *Error {
	return &Error{Status: status, Text: fmt.Sprintf(format, args...)}
}

// NotFound is the 404.
func NotFound(format string, args ...any) *Error { return Refuse(http.StatusNotFound, format, args...) }

// BadRequest is the 400.
func BadRequest(format string, args ...any) *Error {
	return Refuse(http.StatusBadRequest, format, args...)
}

// The texts for callers without a usable token.
const (
	noneSent = "The resource requires authentication, which was not supplied with the request"
	notValid = "The supplied authentication is invalid"
)

// Failures makes the errors of a family of endpoints. Callers without a token get the realm, such as "splice wallet
// realm".
func Failures(realm string) endpoint.FailureEncoder {
	return func(ctx context.Context, err error) (int, any) {
		if refusal, ok := errors.AsType[*Error](err); ok {
			if refusal.Body != nil {
				return refusal.Status, refusal.Body
			}
			return refusal.Status, ErrorResponse{Error: refusal.Text}
		}
		if timeout, ok := errors.AsType[*endpoint.TimeoutError](err); ok {
			return http.StatusServiceUnavailable, ErrorResponse{Error: tooLong(ctx, timeout.Advice)}
		}
		switch refusal := fault.From(err); {
		case fault.Unauthenticated.Matches(refusal):
			return http.StatusUnauthorized, unauthorized(ctx, realm)
		case fault.PermissionDenied.Matches(refusal):
			name := endpoint.Claims(ctx).UserID()
			if refused, ok := errors.AsType[*auth.RefusedUserError](err); ok {
				name = refused.UserID
			}
			return http.StatusForbidden, ErrorResponse{Error: "Authorization Failed for " + name}
		case refusal.Redacted():
			return http.StatusInternalServerError, ErrorResponse{Error: "An unexpected error occurred."}
		default:
			return statusOf(refusal), ErrorResponse{Error: textOf(refusal)}
		}
	}
}

// tooLong is the text of a timeout.
func tooLong(ctx context.Context, advice string) string {
	method, uri := endpoint.Requested(ctx)
	advice = cmp.Or(advice, "A change continues in the background: ask for its status, or send it again with the same "+
		"tracking id or Idempotency-Key.")
	return fmt.Sprintf("The server is taking too long to respond to the (%s) request at %s. %s", method, uri, advice)
}

// unauthorized is the answer to callers without a usable token.
func unauthorized(ctx context.Context, realm string) endpoint.Content {
	content := endpoint.TextContent(http.StatusUnauthorized, notValid)
	if !endpoint.Claims(ctx).Presented() {
		content = endpoint.TextContent(http.StatusUnauthorized, noneSent)
	}
	content.Header = http.Header{"Www-Authenticate": {fmt.Sprintf("Bearer realm=%q", realm)}}
	return content
}

// textOf returns the code, the cause and the hint of a refusal.
func textOf(refusal *fault.Fault) string {
	said := refusal.Error()
	if refusal.Hint == "" {
		return said
	}
	if !strings.ContainsAny(said[len(said)-1:], ".!?:") {
		said += "."
	}
	return said + " " + refusal.Hint
}

// statusOf is the HTTP status of a refusal by the ledger. It differs from the JSON Ledger API's: this family separates
// "busy" (429) from "conflict" (409).
func statusOf(refusal *fault.Fault) int {
	if slices.Contains(conflictCodes(), refusal.Code) {
		return http.StatusConflict
	}
	if fault.AnswerTooLarge.Matches(refusal) {
		return http.StatusRequestEntityTooLarge
	}
	switch refusal.Category {
	case fault.TransientServerFailure:
		return http.StatusServiceUnavailable
	case fault.ContentionOnSharedResources:
		return http.StatusTooManyRequests
	case fault.InvalidIndependentOfSystemState, fault.InvalidGivenCurrentSystemStateSeekAfterEnd,
		fault.InvalidGivenCurrentSystemStateOther:
		return http.StatusBadRequest
	case fault.InvalidGivenCurrentSystemStateResourceExists:
		return http.StatusConflict
	case fault.InvalidGivenCurrentSystemStateResourceMissing:
		return http.StatusNotFound
	default:
		return http.StatusInternalServerError
	}
}

// conflictCodes are the ledger errors that clients of this family expect as conflicts.
func conflictCodes() []string {
	return []string{
		"DAML_INTERPRETATION_ERROR", "UNHANDLED_EXCEPTION", "INTERPRETATION_USER_ERROR",
		"TEMPLATE_PRECONDITION_VIOLATED", fault.NotConnectedToSynchronizer.ID,
		// The signed transaction has expired: it can never succeed.
		fault.LocalVerdictLedgerTimeOutOfBound.ID, fault.LocalVerdictPreparationTimeOutOfBound.ID,
		fault.LocalVerdictMaxRecordTimeExceeded.ID,
	}
}

// NotFoundPath answers paths under /v0 that do not exist.
func NotFoundPath(server *endpoint.Server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		server.Refuse(w, r, NotFound("The requested resource could not be found: %s", r.URL.EscapedPath()))
	}
}
