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

// call is the state of a request. The middleware makes and logs it; the server fills it.
type call struct {
	request *http.Request
	trace   ledger.TraceContext
	claims  auth.Claims
	// authenticate authenticates the same token again, from the cache or, with anew, from the record; nil in tests of
	// endpoint functions. lookAgain reads the record too, but few at a time: it runs for refused requests, which cost
	// their senders nothing.
	authenticate func(anew bool) (auth.Claims, error)
	lookAgain    func(ctx context.Context) (auth.Claims, error)
	// permits refuses callers without access to the endpoint; nil in such tests.
	permits func(context.Context) error
	// onNewRights receives claims with newly found rights; nil for none.
	onNewRights func(auth.Claims)
	// visit holds the request's places; nil for none. budget is the budget of its answer; nil for none.
	visit  *admission.Visit
	budget *budget.Budget
	// submitted means that the request has submitted something, so it must not run again from its start. Parts of one
	// request may submit at the same time.
	submitted atomic.Bool
	// pattern is the path of the endpoint, such as /v2/users; "" without an endpoint.
	pattern string
	// vital endpoints report health; load balancers call them every second.
	vital bool
	// failure is the error of the answer; nil for success.
	failure error
	// header are headers that the endpoint adds; nil for none.
	header  http.Header
	ignored ignoredFields
	// concerns is the submission that the request makes, as far as it is known; nil for none. isCommitRefusal means that the commit
	// refused it, and has logged that.
	concerns        func() ledger.Submission
	isCommitRefusal bool
	// sent are the bytes of the answers in another encoding than JSON.
	sent int
	// outcome is the status of the error that ended a stream, 0 for none; the handshake itself got 101.
	outcome int
}

// begin removes the state of an earlier answer to the request.
func (c *call) begin() {
	c.header, c.failure, c.isCommitRefusal = nil, nil, false
	c.ignore(c.ignored)
}

// IgnoredFieldsHeader lists the unknown fields of a body: misspelt ones, or fields of another version.
const IgnoredFieldsHeader = "Florin-Ignored-Fields"

// ignore tells the client which fields of its body are unknown.
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

// noRequest is the request in tests of endpoint functions.
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

// Requested returns the method and the URI of the request.
func Requested(ctx context.Context) (method, uri string) {
	asked := callOf(ctx).request
	return asked.Method, asked.URL.RequestURI()
}

// Claims returns the caller's claims.
func Claims(ctx context.Context) auth.Claims { return callOf(ctx).claims }

// CheckStill refuses callers who lost a needed right or whose token expired. Endpoints that wait call it. An additional
// right does not end a request; it does end a stream, whose client opens the next one.
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

// SetHeader sets a header of the answer, for success and error.
func SetHeader(ctx context.Context, name, value string) {
	current := callOf(ctx)
	if current.header == nil {
		current.header = http.Header{}
	}
	current.header.Set(name, value)
}

// Headers returns the headers that [SetHeader] set so far.
func Headers(ctx context.Context) http.Header { return callOf(ctx).header }

// Prefers reports whether Accept names the media type with at least the quality of the other one.
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

// JSON encodes a value, for endpoints with several answer formats.
func JSON(value any) (Content, error) {
	body, err := encodeBody(value)
	if err != nil {
		return Content{}, fault.Internal(err)
	}
	return Content{Type: jsonType, Body: body}, nil
}

// Settle removes the endpoint's error, for a request that gets a success answer anyway.
func Settle(ctx context.Context) { callOf(ctx).failure = nil }

// ForSubmission is a body that describes a submission.
type ForSubmission interface {
	// Requested is the submission as the log describes it.
	Requested() ledger.Submission
}

// Concerns notes the submission that the request makes, for the log.
func Concerns(ctx context.Context, submission ledger.Submission) {
	callOf(ctx).concerns = func() ledger.Submission { return submission }
}

// RefusedByCommit notes that the error of the request is the refusal of its commit, which has logged it.
func RefusedByCommit(ctx context.Context) { callOf(ctx).isCommitRefusal = true }

// WithClaims returns a context with these claims, for tests of endpoint functions.
func WithClaims(ctx context.Context, claims auth.Claims) context.Context {
	return context.WithValue(ctx, callKey{}, &call{request: noRequest, claims: claims, trace: newTrace()})
}
