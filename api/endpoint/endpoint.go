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
	// ByRequest endpoints check the right themselves, because it depends on the request. It is the zero value, so an
	// endpoint without a choice still needs a user.
	ByRequest Access = iota
	// Open endpoints need no token. A token must still belong to an active user. Callers without a token share a part of
	// the node ([admission.Options].AnonymousShare).
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
	// OperationID is the unique name of the operation in the document.
	OperationID string
	// Summary is one line; Description has the details, in Markdown.
	Summary     string
	Description string
	Tag         string
	Deprecated  bool
	Access      Access
	// AsParty is the right that the caller needs for the parties in the body, which implements [ForParties]. A caller
	// without it for any party gets an error before the server decodes a long body; a caller without it for the named
	// parties gets an error before the endpoint runs.
	AsParty ledger.RightKind
	// Authorize, if set, checks more than Access, before the request reads or writes anything. It refuses the caller, or
	// adds its findings to the context. Endpoints that change something need it if [Options.Around] is set, unless only
	// administrators may call them.
	Authorize func(ctx context.Context) (context.Context, error)
	// Rights describes the required rights in the document. Leave it empty unless Access is ByRequest.
	Rights string
	// Vital endpoints report health and have no limit. They must be cheap.
	Vital bool
	// Reads means that the endpoint changes nothing in spite of its method.
	Reads bool
	// Long endpoints have no timeout, because their answers are as long as the record.
	Long bool
	// Undocumented leaves the endpoint out of the document.
	Undocumented bool
	// Bodies are the successful answers of an endpoint that returns [Content]; none without a body.
	Bodies []Body
	// Refusals are values of the types of error bodies that differ from the API family's, by status.
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
	// preview runs a dry run; nil for endpoints without one.
	preview func(ctx context.Context, request reflect.Value) (any, error)
}

// New makes an endpoint from its description and its function. Req is a struct as in the package comment; Resp is a
// wire type, or [Content] for answers that are not JSON.
func New[Req, Resp any](info Info, handle func(context.Context, Req) (Resp, error)) Endpoint {
	return Endpoint{
		Info:     info,
		request:  reflect.TypeFor[Req](),
		response: reflect.TypeFor[Resp](),
		handle:   adapt(info, handle),
	}
}

// WithPreview adds a dry run to an endpoint: preview finds out what a change would do, and changes nothing.
// [Exchange].Preview gets its result.
func WithPreview[Req, Preview any](e Endpoint, preview func(context.Context, Req) (Preview, error)) Endpoint {
	e.preview = adapt(e.Info, preview)
	return e
}

// adapt converts a typed function to one that takes any request.
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

// NoRequest is the request type of endpoints without input.
type NoRequest struct{}

// Empty is the response {}.
type Empty struct{}

// Content is a response that is not JSON.
type Content struct {
	// Status is the HTTP status; zero means 200.
	Status int
	// Type is the Content-Type; "" sends none.
	Type string
	// Header are more headers; nil for none.
	Header http.Header
	Body   []byte
	// Stream, if set, writes a long body part by part. If it fails, the connection closes before the end of the answer.
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

// body is the field with the body; ok is false without one.
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

// check finds mistakes that the type system cannot find.
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

// Types are the types of the request and the answer.
func (e Endpoint) Types() (request, response reflect.Type) { return e.request, e.response }
