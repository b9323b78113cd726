package endpoint

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/getkin/kin-openapi/openapi3"
)

type object = map[string]any

// DescribeStreams makes the AsyncAPI 2.6 document of the streams, as a JSON object. It has the schemas of the OpenAPI
// document as JSON Schema.
func DescribeStreams(info DocumentInfo, streams []Stream) (map[string]any, error) {
	types := newSchemas(info.Examples)
	messages, channels := object{}, object{}
	failure, err := types.message(messages, reflect.TypeOf(info.Failure))
	if err != nil {
		return nil, err
	}
	for _, stream := range streams {
		if stream.Undocumented {
			continue
		}
		request, err := types.message(messages, stream.request)
		if err != nil {
			return nil, fmt.Errorf("describing %s: %w", stream, err)
		}
		element, err := types.message(messages, stream.element)
		if err != nil {
			return nil, fmt.Errorf("describing %s: %w", stream, err)
		}
		channels[stream.Path] = stream.channel(request, element, failure)
	}
	schemas, err := jsonSchemas(types.components)
	if err != nil {
		return nil, err
	}
	return object{
		"asyncapi":           "2.6.0",
		"info":               object{"title": info.Title, "version": info.Version, "description": info.Description},
		"defaultContentType": jsonType,
		"channels":           channels,
		"components": object{
			"schemas":  schemas,
			"messages": messages,
			"securitySchemes": object{
				schemeBearer: object{
					"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "A JWT in the Authorization header",
				},
				schemeAPIKey: object{
					"type": "httpApiKey", "name": "Sec-WebSocket-Protocol", "in": "header",
					"description": "The same JWT, as jwt.token.<JWT>, together with daml.ws.auth",
				},
			},
		},
	}, nil
}

func (s Stream) channel(request, element, failure object) object {
	description := describeRights(Endpoint{Info: s.Info})
	if s.Deprecated {
		description = "Deprecated. " + description
	}
	return object{
		"description": s.Summary,
		"bindings":    object{"ws": object{"method": s.Method, "bindingVersion": "0.1.0"}},
		"publish": object{
			"operationId": "send" + s.OperationID, "tags": []object{{"name": s.Tag}},
			"summary": "The request: the first and only message of the client.",
			"message": request,
		},
		"subscribe": object{
			"operationId": "on" + s.OperationID, "tags": []object{{"name": s.Tag}},
			"summary": s.Summary, "description": description,
			"message":  object{"oneOf": []object{element, failure}},
			"security": []object{{schemeBearer: []string{}}, {schemeAPIKey: []string{}}},
		},
	}
}

// message adds the message of a type, unless it is there, and returns a reference to it.
func (s *schemas) message(messages object, t reflect.Type) (object, error) {
	if err := s.shapes.add(t); err != nil {
		return nil, err
	}
	schema, err := s.of(t)
	if err != nil {
		return nil, err
	}
	if schema.Ref == "" {
		return nil, fmt.Errorf("the type %s of messages has no name", t)
	}
	message := object{
		"name": t.Name(), "contentType": jsonType, "payload": object{"$ref": schema.Ref},
	}
	if example := s.example(t); example != nil {
		message["examples"] = []object{{"payload": example}}
	}
	messages[t.Name()] = message
	return object{"$ref": "#/components/messages/" + t.Name()}, nil
}

// jsonSchemas converts the components to JSON Schema, which has no nullable.
func jsonSchemas(components openapi3.Schemas) (object, error) {
	text, err := json.Marshal(components)
	if err != nil {
		return nil, fmt.Errorf("writing the schemas: %w", err)
	}
	var schemas object
	if err := json.Unmarshal(text, &schemas); err != nil {
		return nil, fmt.Errorf("reading the schemas back: %w", err)
	}
	for name, schema := range schemas {
		schemas[name] = withNull(schema)
	}
	return schemas, nil
}

func withNull(schema any) any {
	switch schema := schema.(type) {
	case []any:
		for i := range schema {
			schema[i] = withNull(schema[i])
		}
		return schema
	case object:
		for key := range schema {
			schema[key] = withNull(schema[key])
		}
		if schema["nullable"] != true { // which a property of that name, an object, is not either
			return schema
		}
		delete(schema, "nullable")
		null := object{"type": "null"}
		if parts, ok := schema["allOf"]; ok { // the wrapping of a reference
			delete(schema, "allOf")
			schema["anyOf"] = []any{object{"allOf": parts}, null}
			return schema
		}
		return object{"anyOf": []any{schema, null}}
	default:
		return schema
	}
}
