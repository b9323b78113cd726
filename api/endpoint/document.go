package endpoint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/getkin/kin-openapi/openapi3"
)

// DocumentInfo describes a document.
type DocumentInfo struct {
	Title       string
	Version     string
	Description string
	// Failure is a value of the type of error bodies.
	Failure any
	// KeyHeader is the idempotency header of changes; "" for none.
	KeyHeader, KeyDescription string
	// DryRun is a value of the answer type of dry runs; nil for none.
	DryRun any
	// Examples are JSON values of requests, answers and elements by type name.
	Examples map[string]json.RawMessage
}

// The names of the two ways to send a token (contract, "Authentication").
const (
	schemeBearer = "httpAuth"
	schemeAPIKey = "apiKeyAuth"
)

// ReadExamples reads JSON values by type name, for a document.
func ReadExamples(content []byte) (map[string]json.RawMessage, error) {
	var byType map[string]json.RawMessage
	if err := json.Unmarshal(content, &byType); err != nil {
		return nil, fmt.Errorf("reading the examples of an API: %w", err)
	}
	return byType, nil
}

// Describe makes the OpenAPI document of the endpoints.
func Describe(info DocumentInfo, endpoints []Endpoint) (*openapi3.T, error) {
	types := newSchemas(info.Examples)
	failure, err := types.of(reflect.TypeOf(info.Failure))
	if err != nil {
		return nil, err
	}
	refusal := openapi3.NewMediaType().WithSchemaRef(failure)
	refusal.Example = types.example(reflect.TypeOf(info.Failure))
	document := &openapi3.T{
		OpenAPI: "3.0.3",
		Info:    &openapi3.Info{Title: info.Title, Version: info.Version, Description: info.Description},
		Paths:   openapi3.NewPaths(),
	}
	for _, e := range endpoints {
		if e.Undocumented {
			continue
		}
		operation, err := types.operation(e, refusal)
		if err == nil {
			err = types.extend(operation, info, e)
		}
		if err != nil {
			return nil, fmt.Errorf("describing endpoint %s: %w", e, err)
		}
		document.AddOperation(e.Path, e.Method, operation)
	}
	document.Components = &openapi3.Components{
		Schemas: types.components,
		SecuritySchemes: openapi3.SecuritySchemes{
			schemeBearer: &openapi3.SecuritySchemeRef{Value: openapi3.NewJWTSecurityScheme().
				WithDescription("A JWT in the Authorization header")},
			schemeAPIKey: &openapi3.SecuritySchemeRef{Value: openapi3.NewSecurityScheme().WithType("apiKey").
				WithIn("header").WithName("Sec-WebSocket-Protocol").
				WithDescription("The same JWT, as jwt.token.<JWT>, for WebSockets")},
		},
	}
	return resolve(document)
}

// resolve loads the document again, which resolves its references.
func resolve(document *openapi3.T) (*openapi3.T, error) {
	text, err := document.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("writing the document: %w", err)
	}
	loader := openapi3.NewLoader()
	loaded, err := loader.LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("reading the document back: %w", err)
	}
	return loaded, nil
}

func (s *schemas) operation(e Endpoint, refusal *openapi3.MediaType) (*openapi3.Operation, error) {
	operation := openapi3.NewOperation()
	operation.OperationID = e.OperationID
	operation.Summary = e.Summary
	operation.Description = describeRights(e)
	operation.Tags = []string{e.Tag}
	operation.Deprecated = e.Deprecated
	if e.Access != Open {
		operation.Security = &openapi3.SecurityRequirements{{schemeBearer: {}}, {schemeAPIKey: {}}}
	}
	err := s.parameters(operation, e)
	if err != nil {
		return nil, err
	}
	if body, ok := e.body(); ok {
		if operation.RequestBody, err = s.requestBody(body); err != nil {
			return nil, err
		}
	}
	success, err := s.success(e)
	if err != nil {
		return nil, err
	}
	operation.AddResponse(http.StatusOK, success)
	operation.AddResponse(http.StatusBadRequest, openapi3.NewResponse().
		WithDescription("The request cannot be read: a parameter or the body is malformed. "+
			"Requests that can be read but are refused with 400 have the body of the default answer.").
		WithContent(textOr(refusal)))
	operation.AddResponse(0, openapi3.NewResponse().
		WithDescription("The request was refused, or the server failed.").
		WithContent(textOr(refusal)))
	for status, body := range e.Refusals {
		schema, err := s.of(reflect.TypeOf(body))
		if err != nil {
			return nil, err
		}
		content := openapi3.NewMediaType().WithSchemaRef(schema)
		operation.AddResponse(status, openapi3.NewResponse().
			WithDescription("The request was refused.").WithContent(textOr(content)))
	}
	return operation, nil
}

// extend adds the idempotency header and the dry run to endpoints that have them.
func (s *schemas) extend(operation *openapi3.Operation, info DocumentInfo, e Endpoint) error {
	if info.KeyHeader != "" && e.Changes() {
		operation.AddParameter(openapi3.NewHeaderParameter(info.KeyHeader).
			WithDescription(info.KeyDescription).WithSchema(openapi3.NewStringSchema()))
	}
	if info.DryRun == nil || e.preview == nil {
		return nil
	}
	operation.AddParameter(openapi3.NewQueryParameter(DryRunParameter).
		WithDescription("Show what would change, but change nothing").WithSchema(openapi3.NewBoolSchema()))
	schema, err := s.of(reflect.TypeOf(info.DryRun))
	if err != nil {
		return err
	}
	success := operation.Responses.Status(http.StatusOK).Value
	content := success.Content
	if content[jsonType] == nil { // a client that expects the body of dry runs would fail on the change itself
		success.WithDescription(fmt.Sprintf("Success, without a body. With %s=true the body is a %s, as %s.",
			DryRunParameter, reflect.TypeOf(info.DryRun).Name(), jsonType))
		return nil
	}
	either := &openapi3.Schema{AnyOf: openapi3.SchemaRefs{content[jsonType].Schema, schema}}
	content[jsonType].Schema = openapi3.NewSchemaRef("", either)
	return nil
}

func (s *schemas) requestBody(body reflect.StructField) (*openapi3.RequestBodyRef, error) {
	if isRawBody(body) {
		return &openapi3.RequestBodyRef{Value: openapi3.NewRequestBody().WithRequired(true).
			WithDescription(body.Tag.Get(docTag)).
			WithContent(openapi3.NewContentWithSchemaRef(binary(), []string{binaryType}))}, nil
	}
	schema, err := s.of(body.Type)
	if err != nil {
		return nil, err
	}
	request := openapi3.NewRequestBody().WithRequired(s.needsBody(body.Type)).WithJSONSchemaRef(schema)
	request.Content[jsonType].Example = s.example(body.Type)
	return &openapi3.RequestBodyRef{Value: request}, nil
}

// binary is the schema of bytes that are not text.
func binary() *openapi3.SchemaRef {
	return openapi3.NewSchemaRef("", openapi3.NewStringSchema().WithFormat("binary"))
}

func textOr(refusal *openapi3.MediaType) openapi3.Content {
	content := openapi3.NewContentWithSchema(openapi3.NewStringSchema(), []string{"text/plain"})
	content[jsonType] = refusal
	return content
}

// example returns the example of a type; for a list, that of its elements. nil for none.
func (s *schemas) example(t reflect.Type) any {
	if t.Kind() == reflect.Slice {
		if element := s.example(t.Elem()); element != nil {
			return []any{element}
		}
		return nil
	}
	if example, ok := s.examples[t.Name()]; ok {
		return example
	}
	return nil
}

func (s *schemas) success(e Endpoint) (*openapi3.Response, error) {
	response := openapi3.NewResponse().WithDescription("Success.")
	if e.response == contentType {
		return s.bodies(response, e.Bodies)
	}
	if err := s.shapes.add(e.response); err != nil {
		return nil, err
	}
	schema, err := s.of(e.response)
	if err != nil {
		return nil, err
	}
	content := openapi3.NewContentWithJSONSchemaRef(schema)
	content[jsonType].Example = s.example(e.response)
	return response.WithContent(content), nil
}

// bodies adds the bodies of an endpoint that answers with [Content].
func (s *schemas) bodies(response *openapi3.Response, bodies []Body) (*openapi3.Response, error) {
	if len(bodies) == 0 {
		return response, nil
	}
	content := openapi3.Content{}
	for _, body := range bodies {
		schema := openapi3.NewSchemaRef("", openapi3.NewStringSchema())
		if body.Type == binaryType {
			schema = binary()
		}
		example := any(nil)
		if body.JSON != nil {
			described := reflect.TypeOf(body.JSON)
			if err := s.shapes.add(described); err != nil {
				return nil, err
			}
			var err error
			if schema, err = s.of(described); err != nil {
				return nil, err
			}
			example = s.example(described)
		}
		content[body.Type] = openapi3.NewMediaType().WithSchemaRef(schema)
		content[body.Type].Example = example
	}
	return response.WithContent(content), nil
}

func (s *schemas) needsBody(t reflect.Type) bool {
	for _, field := range s.shapes[t].fields {
		if field.required {
			return true
		}
	}
	return false
}

func (s *schemas) parameters(operation *openapi3.Operation, e Endpoint) error {
	for field := range e.request.Fields() {
		var parameter *openapi3.Parameter
		if name, ok := field.Tag.Lookup(pathTag); ok {
			parameter = openapi3.NewPathParameter(name)
		} else if name, ok := field.Tag.Lookup(queryTag); ok {
			parameter = openapi3.NewQueryParameter(name)
		} else {
			continue
		}
		t := field.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem() // an absent parameter is absent, not null
		}
		schema, err := s.of(t)
		if err != nil {
			return err
		}
		parameter.Schema = schema
		parameter.Description = field.Tag.Get(docTag)
		operation.AddParameter(parameter)
	}
	return nil
}

// describeRights adds the required rights to the description.
func describeRights(e Endpoint) string {
	rights := e.Rights
	switch e.Access {
	case Open:
		rights = "none"
	case Public:
		rights = "any authenticated user"
	case Admin:
		rights = "ParticipantAdmin"
	case ByRequest:
	}
	text := "Required authorization: " + rights + "."
	if e.Description != "" {
		text = e.Description + "\n\n" + text
	}
	return text
}
