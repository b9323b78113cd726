package endpoint

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// call is what is known of the request being served. The middleware makes it and logs it, the server fills it.
type call struct {
	// request is as it came.
	request *http.Request
	trace   ledger.TraceContext
	claims  auth.Claims
	// authenticate authenticates the same token again, by what is remembered of the user or anew by what the record has
	// now; nil in tests of endpoint functions. lookAgain does it anew in one of few places, for refusals, which are for
	// free.
	authenticate func(anew bool) (auth.Claims, error)
	lookAgain    func(ctx context.Context) (auth.Claims, error)
	// permits refuses a caller to whom the endpoint is not open; nil in such tests.
	permits func(context.Context) error
	// regranted is told of claims that were found so; nil tells nobody.
	regranted func(auth.Claims)
	// visit is what the request has of the node; nil for nothing. budget is that of its answer; nil for none.
	visit  *admission.Visit
	budget *budget.Budget
	// submitted: something was submitted for the request, which is not served again from its start. Parts of one request
	// may do so at the same time.
	submitted atomic.Bool
	// pattern is the path of the endpoint, such as /v2/users; "" where none serves the request.
	pattern string
	// vital reports whether the endpoint tells how the node is, which is asked every second.
	vital bool
	// failure is the error that was answered; nil for success.
	failure error
	// header is what the endpoint adds to its answer; nil for nothing.
	header http.Header
	// ignored are the fields of the body that nobody reads.
	ignored ignoredFields
	// outcome is the status of the error that a stream ended with, 0 without one: the stream itself was answered 101.
	outcome int
}

// begin forgets what an earlier answer to the request had.
func (c *call) begin() {
	c.header, c.failure = nil, nil
	c.ignore(c.ignored)
}

// IgnoredFieldsHeader names the fields of a body that mean nothing: misspelt ones, or those of another version.
const IgnoredFieldsHeader = "Florin-Ignored-Fields"

// ignore tells the client which fields of its body nobody reads.
func (c *call) ignore(fields ignoredFields) {
	c.ignored = fields
	if fields.count == 0 {
		return
	}
	if c.header == nil {
		c.header = http.Header{}
	}
	c.header.Set(IgnoredFieldsHeader, fields.String())
}

type callKey struct{}

// noRequest is asked for in tests of endpoint functions.
var noRequest = &http.Request{URL: &url.URL{}}

func callOf(ctx context.Context) *call {
	current, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return &call{request: noRequest}
	}
	return current
}

func visitOf(ctx context.Context) *admission.Visit { return callOf(ctx).visit }

// Trace is the trace context of the request: the client's, or a new one.
func Trace(ctx context.Context) ledger.TraceContext { return callOf(ctx).trace }

// Requested is the method and the URI of the request.
func Requested(ctx context.Context) (method, uri string) {
	asked := callOf(ctx).request
	return asked.Method, asked.URL.RequestURI()
}

// Claims are the caller's claims.
func Claims(ctx context.Context) auth.Claims { return callOf(ctx).claims }

// CheckStill refuses callers who have lost a right that the request needed, or whose token ended: for endpoints that
// wait for what comes later. A further right ends no request, unlike a stream, whose client opens the next one.
func CheckStill(ctx context.Context) error {
	current := callOf(ctx)
	if current.authenticate == nil {
		return nil
	}
	claims, err := current.authenticate(false)
	patience, cancel := context.WithTimeout(ctx, recheckTimeout)
	defer cancel()
	for fault.ServerOverloaded.Matches(err) && wait.For(patience, recheckPause) == nil {
		claims, err = current.authenticate(false) // too many tokens of the issuer waited for their turn
	}
	switch {
	case fault.ServerOverloaded.Matches(err):
		return &admission.OverloadedError{Err: err, After: admission.RetryAfter}
	case err != nil:
		return err
	case !claims.Authenticated():
		return claims.Require()
	case !claims.Permits(current.claims):
		return fault.StaleStreamAuthorization.New("The rights of user %q changed while the request waited.",
			current.claims.UserID())
	default:
		return nil
	}
}

// SetHeader adds a header to the answer of the request, be it an error or not.
func SetHeader(ctx context.Context, name, value string) {
	current := callOf(ctx)
	if current.header == nil {
		current.header = http.Header{}
	}
	current.header.Set(name, value)
}

// Headers are those that [SetHeader] added to the answer so far.
func Headers(ctx context.Context) http.Header { return callOf(ctx).header }

// Prefers reports whether the caller names a media type in Accept and would rather not have another one: the quality
// that Accept gives it is at least that of the other.
func Prefers(ctx context.Context, mediaType, other string) bool {
	const named, byClass, byAny = 2, 1, 0
	class, _, _ := strings.Cut(other, "/")
	quality, ofOther, specific := 0.0, 0.0, -1
	note := func(found float64, how int) {
		if how > specific {
			ofOther, specific = found, how
		}
	}
	for accepted := range strings.SplitSeq(strings.Join(callOf(ctx).request.Header.Values("Accept"), ","), ",") {
		name, parameters, err := mime.ParseMediaType(accepted)
		if err != nil {
			continue
		}
		found := 1.0
		if text, ok := parameters["q"]; ok {
			if found, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		switch name {
		case mediaType:
			quality = found
		case other:
			note(found, named)
		case class + "/*":
			note(found, byClass)
		case "*/*":
			note(found, byAny)
		}
	}
	return quality > 0 && quality >= ofOther
}

// JSON is an answer that is sent as it is, for endpoints whose answers have several forms.
func JSON(value any) (Content, error) {
	body, err := encodeBody(value)
	if err != nil {
		return Content{}, fault.Internal(err)
	}
	return Content{Type: jsonType, Body: body}, nil
}

// Settle forgets the error that the endpoint returned, because the request is answered as a success all the same.
func Settle(ctx context.Context) { callOf(ctx).failure = nil }

// WithClaims is a context in which [Claims] are these: for tests of endpoint functions.
func WithClaims(ctx context.Context, claims auth.Claims) context.Context {
	return context.WithValue(ctx, callKey{}, &call{request: noRequest, claims: claims, trace: newTrace()})
}
