// Package mapping converts between the messages of the gRPC Ledger API and the wire types of the JSON Ledger API.
package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/protovalue"
)

// A plan pairs the fields of a message with those of a wire type, by their names in JSON. It is made once, so that a
// call pays for no search, and a field without a partner is found when the node starts.

// Conversion is what the values of one call need beside their plan.
type Conversion struct {
	Packages *ledger.Packages
	// Preference are the packages that the submission prefers for package names.
	Preference []lf.PackageID
	// Values writes values with or without labels.
	Values protovalue.Encoder
}

// Plan converts between a message and a struct.
type Plan struct {
	fields []fieldPlan
	// id leads to the id inside the message that is the parameter of the struct at idIndex; empty for none.
	id      []protoreflect.FieldDescriptor
	idIndex int
	// choice is set for a one-of: at most one of the fields has a value.
	choice bool
}

type fieldPlan struct {
	descriptor protoreflect.FieldDescriptor
	// index leads to the field of the struct; it has several steps for a field of the body.
	index []int
	// inner is set for a field that stands for a one-of of the message: its plan reads the same message.
	inner *Plan
	// demanded is set for a message whose absence the struct cannot say: a request must have it, and an answer has it.
	demanded bool
	// required is set for a field that the request must have, although JSON has another form of it.
	required bool
	codec    codec
	// typed finds the type of a value from the struct around it; nil for other fields.
	typed typeOf
}

// codec converts a field. append appends it with its tag, or several times for a list.
type codec struct {
	decode func(c *Conversion, from protoreflect.Value, to reflect.Value) error
	append func(to []byte, c *Conversion, from reflect.Value) ([]byte, error)
}

// Planner makes plans. It is used only while the node starts.
type Planner struct {
	known map[planKey]*Plan
}

type planKey struct {
	message protoreflect.FullName
	target  reflect.Type
}

// NewPlanner makes a planner without plans.
func NewPlanner() *Planner {
	return &Planner{known: map[planKey]*Plan{}}
}

// Request plans a request struct with parameters and a body. whole is the field of the message that is the whole body, ""
// for none. id is the way to the id that is a parameter of the path, such as user.id, or "".
func (p *Planner) Request(
	message protoreflect.MessageDescriptor, target reflect.Type, whole protoreflect.Name, id string,
) (*Plan, error) {
	places := map[string][]place{}
	for i := range target.NumField() {
		field := target.Field(i)
		if name := parameter(field); name != "" {
			places[name] = append(places[name], place{[]int{i}, field.Type})
			continue
		}
		if _, isBody := field.Tag.Lookup("body"); !isBody {
			continue
		}
		if whole != "" {
			name := message.Fields().ByName(whole).JSONName()
			places[name] = append(places[name], place{[]int{i}, field.Type})
			continue
		}
		if field.Type.Kind() != reflect.Struct {
			return nil, fmt.Errorf("%s: the body of %s is a %s", message.FullName(), target, field.Type)
		}
		for name, inner := range placesOf(field.Type) {
			places[name] = append(places[name], place{append([]int{i}, inner[0].index...), inner[0].typ})
		}
	}
	out := &Plan{}
	if err := out.findID(message, target, id); err != nil {
		return nil, err
	}
	return out, p.fill(out, message, places)
}

// findID notes the way to the id of the path.
func (p *Plan) findID(message protoreflect.MessageDescriptor, target reflect.Type, id string) error {
	if id == "" {
		return nil
	}
	for name := range strings.SplitSeq(id, ".") {
		field := message.Fields().ByName(protoreflect.Name(name))
		if field == nil {
			return fmt.Errorf("%s has no field %s", message.FullName(), name)
		}
		p.id = append(p.id, field)
		message = field.Message()
	}
	for i := range target.NumField() {
		if target.Field(i).Tag.Get("path") != "" {
			p.idIndex = i
			return nil
		}
	}
	return fmt.Errorf("%s has no parameter in its path", target)
}

// parameter is the name of a path or query parameter as a field of JSON; "" for none.
func parameter(field reflect.StructField) string {
	return camel(cmp.Or(field.Tag.Get("path"), field.Tag.Get("query")))
}

// camel turns user-id and page_size into userId and pageSize.
func camel(name string) string {
	var out strings.Builder
	upper := false
	for _, char := range name {
		switch {
		case char == '-' || char == '_':
			upper = true
		case upper:
			out.WriteRune(unicode.ToUpper(char))
			upper = false
		default:
			out.WriteRune(char)
		}
	}
	return out.String()
}

// place is a field of a struct.
type place struct {
	index []int
	typ   reflect.Type
}

// placesOf are the fields of a struct by their names in JSON.
func placesOf(t reflect.Type) map[string][]place {
	places := map[string][]place{}
	for i := range t.NumField() {
		field := t.Field(i)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			places[name] = []place{{[]int{i}, field.Type}}
		}
	}
	return places
}

// Message plans a struct.
func (p *Planner) Message(message protoreflect.MessageDescriptor, target reflect.Type) (*Plan, error) {
	key := planKey{message.FullName(), target}
	if known, ok := p.known[key]; ok {
		return known, nil
	}
	out := &Plan{}
	p.known[key] = out // before its parts, for messages may be recursive
	if isOneOf(target) && message.Oneofs().Len() == 1 && message.Oneofs().Get(0).Fields().Len() == message.Fields().Len() {
		return out, p.fillChoice(out, message.Oneofs().Get(0), target)
	}
	return out, p.fill(out, message, placesOf(target))
}

// fill pairs the fields of a message with places.
func (p *Planner) fill(out *Plan, message protoreflect.MessageDescriptor, places map[string][]place) error {
	for i := range message.Oneofs().Len() {
		choice := message.Oneofs().Get(i)
		if choice.IsSynthetic() {
			continue
		}
		found := places[camel(string(choice.Name()))]
		if len(found) == 0 && isLeftOut(choice.FullName()) {
			continue
		}
		if len(found) == 0 {
			return fmt.Errorf("%s has no place", choice.FullName())
		}
		target := found[0].typ
		if target.Kind() == reflect.Pointer {
			target = target.Elem()
		}
		if !isOneOf(target) {
			return fmt.Errorf("%s: %s is no one-of", choice.FullName(), target)
		}
		inner := &Plan{}
		if err := p.fillChoice(inner, choice, target); err != nil {
			return err
		}
		out.fields = append(out.fields, fieldPlan{index: found[0].index, inner: inner})
	}
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		if choice := field.ContainingOneof(); choice != nil && !choice.IsSynthetic() {
			continue
		}
		found := places[jsonName(field)]
		if len(found) == 0 && !isLeftOut(field.FullName()) {
			return fmt.Errorf("%s has no place", field.FullName())
		}
		for _, at := range found { // an id of the path may be in the body, too
			made, err := p.field(field, at)
			if err != nil {
				return fmt.Errorf("%s: %w", field.FullName(), err)
			}
			out.fields = append(out.fields, made)
		}
	}
	// Values come last, for their types depend on the other fields.
	slices.SortStableFunc(out.fields, func(a, b fieldPlan) int { return rank(a) - rank(b) })
	return nil
}

func (p *Planner) field(field protoreflect.FieldDescriptor, at place) (fieldPlan, error) {
	out := fieldPlan{descriptor: field, index: at.index, required: isRequired(field, at.typ)}
	if isValue(field) {
		typed, ok := valueTypes[field.FullName()]
		if !ok || at.typ != rawType {
			return out, errors.New("the type of its value is not known")
		}
		out.typed = typed
		return out, nil
	}
	var err error
	out.codec, err = p.codec(field, at.typ)
	isMessage := field.Kind() == protoreflect.MessageKind && !field.IsList() && !field.IsMap()
	out.demanded = isMessage && at.typ.Kind() == reflect.Struct && !isOneOf(at.typ) &&
		specialMessages[specialMessage{field.Message().FullName(), at.typ}].append == nil
	return out, err
}

func rank(field fieldPlan) int {
	if field.typed != nil {
		return 1
	}
	return 0
}

// fillChoice pairs the alternatives of a one-of.
func (p *Planner) fillChoice(out *Plan, choice protoreflect.OneofDescriptor, target reflect.Type) error {
	out.choice = true
	places := placesOf(target)
	for i := range choice.Fields().Len() {
		field := choice.Fields().Get(i)
		var found []place
		for _, name := range alternativeNames(field) {
			found = append(found, places[name]...)
		}
		if len(found) == 0 && isLeftOut(field.FullName()) {
			continue
		}
		if len(found) == 0 {
			return fmt.Errorf("%s has no place in %s", field.FullName(), target)
		}
		made, err := p.alternative(field, found[0].typ.Elem())
		if err != nil {
			return fmt.Errorf("%s: %w", field.FullName(), err)
		}
		out.fields = append(out.fields, fieldPlan{descriptor: field, index: found[0].index, codec: made})
	}
	return nil
}

// alternativeNames are the names that an alternative may have in JSON: its own, its type's, or the latter with Js.
func alternativeNames(field protoreflect.FieldDescriptor) []string {
	own := field.JSONName()
	names := []string{strings.ToUpper(own[:1]) + own[1:]}
	if message := field.Message(); message != nil {
		names = append(names, string(message.Name()), "Js"+string(message.Name()))
	}
	return names
}

// alternative is the codec of a pointer to an alternative, which may be wrapped as {"value": …}.
func (p *Planner) alternative(field protoreflect.FieldDescriptor, typ reflect.Type) (codec, error) {
	inner, isWrapped := typ, isWrapper(typ)
	if isWrapped {
		inner = typ.Field(0).Type
	}
	made, err := p.codec(field, inner)
	if err != nil {
		return codec{}, err
	}
	return codec{
		decode: func(c *Conversion, from protoreflect.Value, to reflect.Value) error {
			to.Set(reflect.New(typ))
			if isWrapped {
				return made.decode(c, from, to.Elem().Field(0))
			}
			return made.decode(c, from, to.Elem())
		},
		append: func(to []byte, c *Conversion, from reflect.Value) ([]byte, error) {
			if isWrapped {
				return made.append(to, c, from.Elem().Field(0))
			}
			return made.append(to, c, from.Elem())
		},
	}, nil
}

var oneOfType = reflect.TypeFor[endpoint.OneOf]()

func isOneOf(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type == oneOfType
}

// isWrapper reports whether a type is an [endpoint.Value].
func isWrapper(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == oneOfType.PkgPath() && strings.HasPrefix(t.Name(), "Value[")
}
