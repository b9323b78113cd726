package endpoint

import (
	"fmt"
	"net/http"
)

// RefusedError adds facts of the HTTP layer to an error.
type RefusedError struct {
	Err error
	// CorrelationID is the submission id of the error, "" for none.
	CorrelationID string
	// AtEdge marks errors that the HTTP layer found itself; their context stays empty.
	AtEdge bool
}

// Error implements error.
func (r *RefusedError) Error() string { return r.Err.Error() }

func (r *RefusedError) Unwrap() error { return r.Err }

// TimeoutError is the error of a request that took longer than the server allows. Advice tells the client the next
// step; "" for none.
type TimeoutError struct{ Advice string }

// Error implements error.
func (t *TimeoutError) Error() string {
	return "the request took longer than the server waits: " + t.Advice
}

// textError is a plain text answer to an unreadable request.
type textError struct {
	status int
	text   string
}

func (t *textError) Error() string { return t.text }

// invalidValue begins the texts for unreadable parts of a request.
const invalidValue = "Invalid value for: "

// badRequest is the 400 for an unreadable part of the request, such as "query parameter limit".
func badRequest(part, detail string) *textError {
	text := invalidValue + part
	if detail != "" {
		text += " (" + detail + ")"
	}
	return &textError{status: http.StatusBadRequest, text: text}
}

// InvalidParameter is the plain text 400 for a query parameter of the right type but without a meaning.
func InvalidParameter(name, detail string) error { return badRequest("query parameter "+name, detail) }

// unsupportedEncoding is the 415 for a body with a Content-Encoding.
func unsupportedEncoding(encoding string) *textError {
	return &textError{
		status: http.StatusUnsupportedMediaType,
		text:   fmt.Sprintf("The request's Content-Encoding %q is not supported: send the body without one.", encoding),
	}
}

// foreignPage is the 403 for a stream of a page from another origin.
func foreignPage(r *http.Request) *textError {
	return &textError{
		status: http.StatusForbidden,
		text: fmt.Sprintf("A page of the origin %.253q may not open a stream of the node at %.253q. To allow it, add the "+
			"origin to --cors-origins.", r.Header.Get("Origin"), r.Host),
	}
}

func timeoutAnswer(advice string) *textError {
	text := "The server was not able to produce a timely response to your request.\r\n"
	if advice != "" {
		text += advice + "\r\n"
	}
	return &textError{status: http.StatusServiceUnavailable, text: text}
}
