package endpoint

import (
	"fmt"
	"net/http"
)

// RefusedError adds to an error what only the edge knows about it.
type RefusedError struct {
	Err error
	// CorrelationID is the submission id that the error belongs to, "" for none.
	CorrelationID string
	// AtEdge marks errors that the HTTP layer found itself, not the ledger behind it: their context is not filled.
	AtEdge bool
}

// Error implements error.
func (r *RefusedError) Error() string { return r.Err.Error() }

// Unwrap returns the error itself.
func (r *RefusedError) Unwrap() error { return r.Err }

// TimeoutError is the error of a request that took longer than the server allows. Advice tells the client how to go on;
// "" for nothing to say.
type TimeoutError struct{ Advice string }

// Error implements error.
func (t *TimeoutError) Error() string {
	return "the request took longer than the server waits: " + t.Advice
}

// textError is an answer in plain text: the request could not be read.
type textError struct {
	status int
	text   string
}

func (t *textError) Error() string { return t.text }

// invalidValue begins the texts for parts of a request that do not decode.
const invalidValue = "Invalid value for: "

// badRequest is the 400 for a part of the request that does not decode, such as "query parameter limit".
func badRequest(part, detail string) *textError {
	text := invalidValue + part
	if detail != "" {
		text += " (" + detail + ")"
	}
	return &textError{status: http.StatusBadRequest, text: text}
}

// InvalidParameter is the plain 400 for a query parameter that is of the right type but has no meaning.
func InvalidParameter(name, detail string) error { return badRequest("query parameter "+name, detail) }

// unsupportedEncoding is the 415 for a body in an encoding, which nothing here reads.
func unsupportedEncoding(encoding string) *textError {
	return &textError{
		status: http.StatusUnsupportedMediaType,
		text:   fmt.Sprintf("The request's Content-Encoding %q is not supported: send the body without one.", encoding),
	}
}

// foreignPage is the 403 for a stream that a page of another origin opens.
func foreignPage(r *http.Request) *textError {
	return &textError{
		status: http.StatusForbidden,
		text: fmt.Sprintf("A page of the origin %.253q may not open a stream of the node at %.253q. To allow it, add the "+
			"origin to --cors-origins.", r.Header.Get("Origin"), r.Host),
	}
}

// timeoutAnswer is the 503 for a request that took too long.
func timeoutAnswer(advice string) *textError {
	text := "The server was not able to produce a timely response to your request.\r\n"
	if advice != "" {
		text += advice + "\r\n"
	}
	return &textError{status: http.StatusServiceUnavailable, text: text}
}
