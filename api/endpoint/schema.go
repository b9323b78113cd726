package endpoint

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// schemas makes schemas from wire types. Each named struct becomes one component.
type schemas struct {
	shapes     shapes
	components openapi3.Schemas
	named      map[string]reflect.Type
	examples   map[string]json.RawMessage
}

func newSchemas(examples map[string]json.RawMessage) *schemas {
	return &schemas{
		shapes: shapes{}, components: openapi3.Schemas{}, named: map[string]reflect.Type{}, examples: examples,
	}
}

func (s *schemas) of(t reflect.Type) (*openapi3.SchemaRef, error) {
	switch {
	case t == rawType || t == anyType:
		return openapi3.NewSchemaRef("", &openapi3.Schema{Description: "Any JSON value", Nullable: true}), nil
	case t == bytesType:
		return openapi3.NewSchemaRef("", openapi3.NewBytesSchema()), nil
	case t == timestampType:
		return openapi3.NewSchemaRef("", openapi3.NewDateTimeSchema()), nil
	case isText(t):
		return openapi3.NewSchemaRef("", openapi3.NewStringSchema()), nil
	}
	if values, ok := orderedValues(t); ok {
		return s.mapOf(values)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.nullable(t.Elem())
	case reflect.Slice:
		return s.list(t)
	case reflect.Map:
		return s.mapOf(t.Elem())
	case reflect.Struct:
		return s.structure(t)
	default:
		return openapi3.NewSchemaRef("", scalar(t)), nil
	}
}

func (s *schemas) mapOf(t reflect.Type) (*openapi3.SchemaRef, error) {
	values, err := s.of(t)
	if err != nil {
		return nil, err
	}
	object := openapi3.NewObjectSchema()
	object.AdditionalProperties = openapi3.AdditionalProperties{Schema: values}
	return openapi3.NewSchemaRef("", object), nil
}

func scalar(t reflect.Type) *openapi3.Schema {
	switch t.Kind() {
	case reflect.Bool:
		return openapi3.NewBoolSchema()
	case reflect.Int32:
		return openapi3.NewInt32Schema()
	case reflect.Int64:
		return openapi3.NewInt64Schema()
	default:
		schema := openapi3.NewStringSchema()
		if enum, ok := reflect.TypeAssert[Enum](reflect.Zero(t)); ok {
			for _, name := range enum.Names() {
				schema.Enum = append(schema.Enum, name)
			}
		}
		return schema
	}
}

// nullable allows null. A reference cannot have a sibling key, so it is wrapped.
func (s *schemas) nullable(t reflect.Type) (*openapi3.SchemaRef, error) {
	schema, err := s.of(t)
	if err != nil {
		return nil, err
	}
	if schema.Ref != "" {
		wrapped := &openapi3.Schema{AllOf: openapi3.SchemaRefs{schema}, Nullable: true}
		return openapi3.NewSchemaRef("", wrapped), nil
	}
	schema.Value.Nullable = true
	return schema, nil
}

func (s *schemas) list(t reflect.Type) (*openapi3.SchemaRef, error) {
	items, err := s.of(t.Elem())
	if err != nil {
		return nil, err
	}
	list := openapi3.NewArraySchema()
	list.Items = items
	return openapi3.NewSchemaRef("", list), nil
}

// structure is a reference to the struct's component. Generic wrappers such as [Value] stay inline.
func (s *schemas) structure(t reflect.Type) (*openapi3.SchemaRef, error) {
	name := t.Name()
	if name == "" || strings.ContainsAny(name, "[]") {
		schema, err := s.object(t)
		return openapi3.NewSchemaRef("", schema), err
	}
	ref := openapi3.NewSchemaRef("#/components/schemas/"+name, nil)
	if other, known := s.named[name]; known {
		if other != t {
			return nil, fmt.Errorf("two types of the API are named %s: %s and %s", name, other, t)
		}
		return ref, nil
	}
	s.named[name] = t // before its fields, which may lead back here
	schema, err := s.object(t)
	if err != nil {
		return nil, err
	}
	s.components[name] = openapi3.NewSchemaRef("", schema)
	return ref, nil
}

func (s *schemas) object(t reflect.Type) (*openapi3.Schema, error) {
	if err := s.shapes.add(t); err != nil {
		return nil, err
	}
	shape := s.shapes[t]
	if shape.oneOf {
		return s.alternatives(shape)
	}
	object := openapi3.NewObjectSchema()
	for _, field := range shape.fields {
		property, err := s.describeField(field.typ, field.doc)
		if err != nil {
			return nil, err
		}
		object.WithPropertyRef(field.name, property)
		if field.required {
			object.Required = append(object.Required, field.name)
		}
	}
	return object, nil
}

func (s *schemas) alternatives(shape *shape) (*openapi3.Schema, error) {
	union := openapi3.NewSchema()
	for _, field := range shape.fields {
		property, err := s.describeField(field.typ.Elem(), field.doc)
		if err != nil {
			return nil, err
		}
		alternative := openapi3.NewObjectSchema().WithPropertyRef(field.name, property)
		alternative.Title = field.name
		alternative.Required = []string{field.name}
		union.OneOf = append(union.OneOf, openapi3.NewSchemaRef("", alternative))
	}
	return union, nil
}

// describeField is the schema of a field with its description, which needs a wrapper around a reference.
func (s *schemas) describeField(t reflect.Type, doc string) (*openapi3.SchemaRef, error) {
	schema, err := s.of(t)
	if err != nil || doc == "" {
		return schema, err
	}
	if schema.Ref != "" {
		schema = openapi3.NewSchemaRef("", &openapi3.Schema{AllOf: openapi3.SchemaRefs{schema}})
	}
	schema.Value.Description = doc
	return schema, nil
}
