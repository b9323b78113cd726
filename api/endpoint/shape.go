package endpoint

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// The struct tags of wire types.
const (
	bodyTag     = "body"
	queryTag    = "query"
	pathTag     = "path"
	aliasTag    = "alias"
	docTag      = "doc"
	requiredTag = "required"
	// rawBody is the value of bodyTag for bodies that are bytes.
	rawBody = "bytes"
)

var (
	rawType             = reflect.TypeFor[json.RawMessage]()
	anyType             = reflect.TypeFor[any]()
	bytesType           = reflect.TypeFor[Bytes]()
	timestampType       = reflect.TypeFor[Timestamp]()
	contentType         = reflect.TypeFor[Content]()
	strictType          = reflect.TypeFor[Strict]()
	oneOfType           = reflect.TypeFor[OneOf]()
	enumType            = reflect.TypeFor[Enum]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
)

// shape is the JSON form of a struct type, for the decoder and the document.
type shape struct {
	fields []wireField
	strict bool
	oneOf  bool
	// several means that a one-of takes the first of several keys.
	several bool
}

type wireField struct {
	name     string
	aliases  []string // other names under which clients may send it
	index    int
	typ      reflect.Type
	required bool // in the document
	demanded bool // by the decoder
	doc      string
}

func (s *shape) field(name string) (wireField, bool) {
	for _, field := range s.fields {
		if field.name == name || slices.Contains(field.aliases, name) {
			return field, true
		}
	}
	return wireField{}, false
}

// names lists the keys, for errors.
func (s *shape) names() string {
	names := make([]string, len(s.fields))
	for i, field := range s.fields {
		names[i] = field.name
	}
	return strings.Join(names, ", ")
}

// shapes holds the shapes of all reachable struct types. It is read-only after its construction.
type shapes map[reflect.Type]*shape

// add adds the shapes of t and of all types below it.
func (s shapes) add(t reflect.Type) error {
	if isText(t) || t == rawType || t == anyType {
		return nil
	}
	if values, ok := orderedValues(t); ok {
		return s.add(values)
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return nil
	case reflect.Pointer, reflect.Slice:
		return s.add(t.Elem())
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return fmt.Errorf("type %s: keys of maps must be strings", t)
		}
		return s.add(t.Elem())
	case reflect.Struct:
		return s.addStruct(t)
	default:
		return fmt.Errorf("type %s has no JSON form here", t)
	}
}

func (s shapes) addStruct(t reflect.Type) error {
	if _, known := s[t]; known {
		return nil
	}
	found := &shape{}
	s[t] = found
	for i := range t.NumField() {
		field := t.Field(i)
		switch field.Type {
		case strictType:
			found.strict = true
			continue
		case oneOfType:
			found.oneOf, found.several = true, field.Tag.Get("several") == "first"
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			return fmt.Errorf("field %s of %s has no json name", field.Name, t)
		}
		if found.oneOf && (field.Type.Kind() != reflect.Pointer || options != "omitempty") {
			return fmt.Errorf("field %s of the one-of %s must be a pointer with omitempty", field.Name, t)
		}
		required := field.Tag.Get(requiredTag) == "true"
		found.fields = append(found.fields, wireField{
			name: name, aliases: strings.Fields(field.Tag.Get(aliasTag)), index: i, typ: field.Type,
			doc: field.Tag.Get(docTag), required: required,
			demanded: (required && found.strict) || isEnum(field.Type),
		})
		if err := s.add(field.Type); err != nil {
			return err
		}
	}
	return nil
}

// isEnum reports whether the type needs a value; a pointer to an enum may be left out.
func isEnum(t reflect.Type) bool { return t.Kind() != reflect.Pointer && t.Implements(enumType) }

// isText reports whether values of the type encode themselves as JSON strings.
func isText(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		return false
	}
	return reflect.PointerTo(t).Implements(textUnmarshalerType) || t.Implements(textMarshalerType)
}
