package api_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// unreadable matches the refusal of a missing field, or of a null.
var unreadable = regexp.MustCompile(
	`got null|null is not allowed|Missing required field|constructors where exactly one of`)

// The test sends null for each field of each schema, at any depth. The server must accept it exactly if it accepts a
// body without the field. The result of the request does not matter here.
//
// contract: version-optional
func TestJSON_NullMeansLeftOut(t *testing.T) {
	t.Parallel()
	s := hostileServer(t)
	for _, document := range loadDocuments(t, s) {
		fields := nullFields{seen: map[*openapi3.Schema]map[string]bool{}}
		for _, path := range slices.Sorted(maps.Keys(document.Paths.Map())) {
			for method, operation := range document.Paths.Value(path).Operations() {
				schema, example := mountedRoute{operation: operation}.json()
				if schema == nil {
					continue
				}
				send := func(body any) apitest.Answer { return s.Call(caller, method, fill(path, "alice"), body) }
				for pick := range 4 {
					fields.check(t, send, method+" "+path, schema, fullExample(schema, example, pick, 0))
				}
			}
		}
		t.Logf("%s: %d fields may be null, %d may not", document.Info.Title, fields.optional, fields.demanded)
		require.Greater(t, fields.optional, 40)
		require.Positive(t, fields.demanded)
	}
}

// nullFields are the fields that were sent as null. Each needs one test: a schema is decoded the same way everywhere.
type nullFields struct {
	seen               map[*openapi3.Schema]map[string]bool
	optional, demanded int
}

func (f *nullFields) check(
	t *testing.T, send func(body any) apitest.Answer, route string, schema *openapi3.SchemaRef, body any,
) {
	t.Helper()
	whole := false
	walkFields(nil, body, schema, func(owner *openapi3.Schema, path []any) {
		name, _ := path[len(path)-1].(string)
		if f.seen[owner][name] {
			return
		}
		if !whole {
			whole = true
			require.NotRegexp(t, "Invalid value for: body|The request content was malformed", send(body).Text,
				"%s %v", route, body)
		}
		if f.seen[owner] == nil {
			f.seen[owner] = map[string]bool{}
		}
		f.seen[owner][name] = true
		without, null := send(with(body, path, nil, true)), send(with(body, path, nil, false))
		require.Less(t, null.Status, http.StatusInternalServerError, "%s %v: %s", route, path, null.Text)
		if unreadable.MatchString(without.Text) {
			f.demanded++
			return
		}
		f.optional++
		require.NotRegexp(t, unreadable, null.Text, "%s: null at %v of %v", route, path, body)
	})
}

// walkFields visits the fields of an example with their schemas.
func walkFields(path []any, value any, ref *openapi3.SchemaRef, visit func(owner *openapi3.Schema, path []any)) {
	schema := plainSchema(ref)
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			below := append(slices.Clone(path), key)
			if schema.Properties[key] != nil || len(schema.OneOf) > 0 {
				visit(schema, below)
			}
			if property := propertyOf(schema, key); property != nil {
				walkFields(below, value[key], property, visit)
			}
		}
	case []any:
		for i := range value {
			walkFields(append(slices.Clone(path), i), value[i], schema.Items, visit)
		}
	}
}

// plainSchema resolves a reference with a description or with null.
func plainSchema(ref *openapi3.SchemaRef) *openapi3.Schema {
	schema := ref.Value
	for len(schema.AllOf) == 1 {
		schema = schema.AllOf[0].Value
	}
	return schema
}

// deepest is the number of generated levels below an example.
const deepest = 8

// fullExample returns an example with all fields, and with an element in each list and map. Of alternatives it has the
// example's, or another one for another pick. It returns nil for a too deep place.
func fullExample(ref *openapi3.SchemaRef, example any, pick, depth int) any {
	schema := plainSchema(ref)
	switch given, _ := example.(map[string]any); {
	case depth > deepest:
		return nil
	case len(schema.OneOf) > 0:
		if key := slices.Collect(maps.Keys(given)); pick == 0 && len(key) == 1 {
			return map[string]any{key[0]: fullExample(propertyOf(schema, key[0]), given[key[0]], pick, depth+1)}
		}
		key := schema.OneOf[pick%len(schema.OneOf)].Value.Required[0]
		return map[string]any{key: fullExample(propertyOf(schema, key), given[key], pick, depth+1)}
	case schema.Type.Is(openapi3.TypeObject):
		object := maps.Clone(given)
		if object == nil {
			object = map[string]any{}
		}
		for name, property := range schema.Properties {
			if value := fullExample(property, given[name], pick, depth+1); value != nil {
				object[name] = value
			}
		}
		if values := schema.AdditionalProperties.Schema; values != nil && len(object) == 0 {
			object["key"] = fullExample(values, nil, pick, depth+1)
		}
		return object
	case schema.Type.Is(openapi3.TypeArray):
		var first any
		if list, _ := example.([]any); len(list) > 0 {
			first = list[0]
		}
		if element := fullExample(schema.Items, first, pick, depth+1); element != nil {
			return []any{element}
		}
		return []any{}
	case example != nil:
		return example
	default:
		return anyScalar(schema)
	}
}

func anyScalar(schema *openapi3.Schema) any {
	switch {
	case schema.Type.Is(openapi3.TypeBoolean):
		return true
	case schema.Type.Is(openapi3.TypeInteger):
		return 1
	case !schema.Type.Is(openapi3.TypeString):
		return map[string]any{} // any JSON
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Format == "date-time":
		return "2026-03-01T10:00:00Z"
	case schema.Format == "byte":
		return "AA=="
	default:
		return "#splice-amulet:Splice.Amulet:Amulet" // a text, and the name of a template
	}
}
