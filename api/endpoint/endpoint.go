package endpoint

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"

	"github.com/florinledger/florin/ledger"
)

// Access is the right that the server checks before it calls an endpoint.
type Access int

const (
	// ByRequest endpoints check the right themselves, because it depends on what the request names. It is the zero value:
	// whoever forgets to choose gets an endpoint that at least needs a user.
	ByRequest Access = iota
	// Open endpoints need no token. One that is sent must still belong to an active user. Callers without one share a part
	// of the node ([LimitOptions].AnonymousShare).
	Open
	// Public endpoints need any authenticated user.
	Public
	// Admin endpoints need ParticipantAdmin.
	Admin
)

// Info describes an endpoint.
type Info struct {
	Method string
	// Path has parameters in braces: /v2/users/{user-id}.
	Path string
	// OperationID names the operation in the document; unique.
	OperationID string
	// Summary is one line; Description the rest, in Markdown.
	Summary     string
	Description string
	Tag         string
	Deprecated  bool
	Access      Access
	// AsParty is the right that the caller needs as the parties that the body names, which is then [ForParties]: who has
	// it as no party has no long body decoded, and who has it as none of those named is refused before the endpoint looks
	// at anything.
	AsParty ledger.RightKind
	// Authorize, if set, checks what Access cannot say, before anything is read or written for the request: it refuses the
	// caller, or adds to the context what it found out. Endpoints that change something need it, unless they are for
	// administrators, where something is around them (see [Options.Around]).
	Authorize func(ctx context.Context) (context.Context, error)
	// Rights says in words what the caller needs, for the document. Leave it empty unless Access is ByRequest.
	Rights string
	// Vital endpoints are served however many requests there are: they tell how the node is. They must cost little.
	Vital bool
	// Reads means that the endpoint changes nothing though its method is one that does.
	Reads bool
	// Long endpoints have all the time that it takes: their answers are as long as the record.
	Long bool
	// Undocumented leaves the endpoint out of the document.
	Undocumented bool
	// Bodies are those of successful answers, for an endpoint that answers with [Content]; none for one without a body.
	Bodies []Body
	// Refusals are values of the type of refusals whose body is not that of the family's errors, by status.
	Refusals map[int]any
}

// Body describes the body of an answer that is [Content].
type Body struct {
	// Type is the Content-Type, without parameters.
	Type string
	// JSON is a value of the type of the body; nil for text and bytes.
	JSON any
}

// TextBody is plain text.
func TextBody() Body { return Body{Type: "text/plain"} }

// BinaryBody is bytes that are not text.
func BinaryBody() Body { return Body{Type: binaryType} }

// BinaryContent is an answer of bytes that are not text.
func BinaryContent(body []byte, header http.Header) Content {
	return Content{Type: binaryType, Header: header, Body: body}
}

// JSONBody is JSON of the type of a value.
func JSONBody(value any) Body { return Body{Type: jsonType, JSON: value} }

// Endpoint is one operation of the API. Make it with [New].
type Endpoint struct {
	Info

	request, response reflect.Type
	handle            func(ctx context.Context, request reflect.Value) (any, error)
	// preview is what the endpoint would do; nil for those that cannot be asked.
	preview func(ctx context.Context, request reflect.Value) (any, error)
}

// New makes an endpoint from its description and its function. Req is a struct as the package comment says; Resp is a
// wire type, or [Content] for answers that are not JSON.
func New[Req, Resp any](info Info, handle func(context.Context, Req) (Resp, error)) Endpoint {
	return Endpoint{
		Info:     info,
		request:  reflect.TypeFor[Req](),
		response: reflect.TypeFor[Resp](),
		handle:   adapt(info, handle),
	}
}

// WithPreview is an endpoint that can be asked what it would do: preview finds it out, and changes nothing. What it
// returns is for what is around the endpoints ([Exchange].Preview).
func WithPreview[Req, Preview any](e Endpoint, preview func(context.Context, Req) (Preview, error)) Endpoint {
	e.preview = adapt(e.Info, preview)
	return e
}

// adapt calls a function of an endpoint with a request of its type.
func adapt[Req, Resp any](
	info Info, function func(context.Context, Req) (Resp, error),
) func(context.Context, reflect.Value) (any, error) {
	return func(ctx context.Context, request reflect.Value) (any, error) {
		decoded, ok := reflect.TypeAssert[Req](request)
		if !ok {
			return nil, fmt.Errorf("endpoint %s was called with a %s", info.OperationID, request.Type())
		}
		return function(ctx, decoded)
	}
}

// NoRequest is the request type of endpoints that take nothing.
type NoRequest struct{}

// Empty is the response {}.
type Empty struct{}

// Content is a response that is not JSON.
type Content struct {
	// Status is the HTTP status; zero means 200.
	Status int
	// Type is the Content-Type; "" sends none.
	Type string
	// Header are further headers; nil for none.
	Header http.Header
	Body   []byte
	// Stream, if set, writes the body bit by bit, for one that is too long to hold. When it fails, the connection is
	// closed before the end of the answer.
	Stream func(to io.Writer) error
}

// TextContent is a plain text answer.
func TextContent(status int, text string) Content {
	return Content{Status: status, Type: textType, Body: []byte(text)}
}

const (
	textType   = "text/plain; charset=UTF-8"
	jsonType   = "application/json"
	binaryType = "application/octet-stream"
)

// Changes reports whether the endpoint may change something.
func (i Info) Changes() bool { return i.Method != http.MethodGet && !i.Reads }

// String names the endpoint in errors.
func (e Endpoint) String() string { return e.Method + " " + e.Path }

// body is the field of the request that holds the body; ok is false for requests without one.
func (e Endpoint) body() (field reflect.StructField, ok bool) {
	for field := range e.request.Fields() {
		if _, tagged := field.Tag.Lookup(bodyTag); tagged {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

// isRawBody reports whether the body is not JSON but bytes.
func isRawBody(field reflect.StructField) bool { return field.Tag.Get(bodyTag) == rawBody }

// check finds the mistakes that the type system cannot.
func (e Endpoint) check() error {
	switch {
	case e.handle == nil:
		return fmt.Errorf("endpoint %s was not made with New", e)
	case e.OperationID == "" || e.Summary == "" || e.Tag == "":
		return fmt.Errorf("endpoint %s lacks an operation id, a summary or a tag", e)
	case e.request.Kind() != reflect.Struct:
		return fmt.Errorf("endpoint %s: the request type %s is not a struct", e, e.request)
	case e.Method != http.MethodGet && e.Method != http.MethodPost && e.Method != http.MethodPatch &&
		e.Method != http.MethodDelete && e.Method != http.MethodPut:
		return fmt.Errorf("endpoint %s: unknown method", e)
	}
	return e.checkAsParty()
}
