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

// unreadable is what the answer to a body says in which a field is missing, or is null and must not be.
var unreadable = regexp.MustCompile(
	`got null|null is not allowed|Missing required field|constructors where exactly one of`)

// TestJSON_NullMeansLeftOut sends null for each field of each schema, however deep, and requires that it is read like a body
// without the field: both are understood, or neither is. What comes of the request is for other tests.
//
// contract: version-optional
func TestJSON_NullMeansLeftOut(t *testing.T) {
	t.Parallel()
	s := hostileServer(t)
	for _, document := range loadDocuments(t, s) {
		fields := nullFields{seen: map[*openapi3.Schema]map[string]bool{}}
		for _, path := range slices.Sorted(maps.Keys(document.Paths.Map())) {
			for method, operation := range document.Paths.Value(path).Operations() {
				schema, example := mounted{described: operation}.json()
				if schema == nil {
					continue
				}
				send := func(body any) apitest.Answer { return s.Call(caller, method, fill(path, "alice"), body) }
				for pick := range 4 {
					fields.check(t, send, method+" "+path, schema, filled(schema, example, pick, 0))
				}
			}
		}
		t.Logf("%s: %d fields may be null, %d may not", document.Info.Title, fields.optional, fields.demanded)
		require.Greater(t, fields.optional, 40)
		require.Positive(t, fields.demanded)
	}
}

// nullFields are the fields that were sent as null, each once: those of a schema are read alike wherever it is used.
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

// walkFields visits the fields of an example that the schemas name, with the schema that names them.
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

// plainSchema is the schema that a reference with a description, or with null, leads to.
func plainSchema(ref *openapi3.SchemaRef) *openapi3.Schema {
	schema := ref.Value
	for len(schema.AllOf) == 1 {
		schema = schema.AllOf[0].Value
	}
	return schema
}

// deepest is how many levels below an example are made up.
const deepest = 8

// filled is an example in which no field is missing, and each list and map has an element. Of alternatives it has the
// one of the example, or another one for another pick. Nil is for what would be too deep.
func filled(ref *openapi3.SchemaRef, example any, pick, depth int) any {
	schema := plainSchema(ref)
	switch given, _ := example.(map[string]any); {
	case depth > deepest:
		return nil
	case len(schema.OneOf) > 0:
		if key := slices.Collect(maps.Keys(given)); pick == 0 && len(key) == 1 {
			return map[string]any{key[0]: filled(propertyOf(schema, key[0]), given[key[0]], pick, depth+1)}
		}
		key := schema.OneOf[pick%len(schema.OneOf)].Value.Required[0]
		return map[string]any{key: filled(propertyOf(schema, key), given[key], pick, depth+1)}
	case schema.Type.Is(openapi3.TypeObject):
		object := maps.Clone(given)
		if object == nil {
			object = map[string]any{}
		}
		for name, property := range schema.Properties {
			if value := filled(property, given[name], pick, depth+1); value != nil {
				object[name] = value
			}
		}
		if values := schema.AdditionalProperties.Schema; values != nil && len(object) == 0 {
			object["key"] = filled(values, nil, pick, depth+1)
		}
		return object
	case schema.Type.Is(openapi3.TypeArray):
		var first any
		if list, _ := example.([]any); len(list) > 0 {
			first = list[0]
		}
		if element := filled(schema.Items, first, pick, depth+1); element != nil {
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
		return "#splice-amulet:Splice.Amulet:Amulet" // which is text, and the name of a template
	}
}
