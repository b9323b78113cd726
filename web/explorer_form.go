package web

import (
	"errors"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/outline"
)

// Limits of a form made from a type. What is deeper is one field with JSON.
const maxFormDepth, maxFormInputs = 4, 200

// inputKind is how a form asks for a value.
type inputKind string

// The kinds of inputs.
const (
	inputText   inputKind = "text"
	inputParty  inputKind = "party"
	inputNumber inputKind = "number"
	inputBool   inputKind = "bool"
	inputDate   inputKind = "date"
	inputTime   inputKind = "time"
	inputID     inputKind = "contract"
	inputEnum   inputKind = "enum"
	// A list of simple values has one on each line, a map a pair of key and value in JSON.
	inputLines   inputKind = "lines"
	inputTextMap inputKind = "textmap"
	inputMap     inputKind = "map"
	inputJSON    inputKind = "json"
	inputUnit    inputKind = "unit"
	// Records and variants have parts.
	inputRecord  inputKind = "record"
	inputVariant inputKind = "variant"
)

// input is a field of a form made from a type.
type input struct {
	// Name is the name of the form's field, Label that of the record's, Type the type in words.
	Name, Label, Type string
	Kind              inputKind
	// Element is the kind of the lines of a list.
	Element inputKind
	// IsOptional is true if there may be no value. A record or variant that may be missing has a field for that; Has
	// is its value.
	IsOptional, Has bool
	Value           string
	// Options are the names of an enum or of the constructors of a variant.
	Options []string
	// Parts are the fields of a record, or the values of a variant's constructors.
	Parts []*input
}

// Is reports whether the input is of a kind, for the template.
func (i *input) Is(kinds ...string) bool {
	return slices.Contains(kinds, string(i.Kind))
}

// HasParts reports whether the input is a fieldset.
func (i *input) HasParts() bool { return i.Kind == inputRecord || i.Kind == inputVariant }

// presence is the name of the field that says whether a record or variant is there.
func (i *input) presence() string { return i.Name + "?" }

// Presence is [input.presence], for the template.
func (i *input) Presence() string { return i.presence() }

// formMaker makes forms from types.
type formMaker struct {
	site  *site
	visit *visit
	made  int
}

// simpleKinds are the kinds of types that one line holds.
var simpleKinds = map[outline.Kind]inputKind{
	outline.Text: inputText, outline.Party: inputParty, outline.Int: inputNumber, outline.Numeric: inputNumber,
	outline.Bool: inputBool, outline.Date: inputDate, outline.Time: inputTime, outline.ContractID: inputID,
}

// input makes the input of a type, which is depth levels inside the form.
func (m *formMaker) input(name, label string, of outline.Type, depth int) (*input, error) {
	m.made++
	out := &input{Name: name, Label: label, Type: of.String(), Kind: inputJSON}
	if kind, isSimple := simpleKinds[of.Kind]; isSimple {
		out.Kind = kind
		return out, nil
	}
	switch of.Kind {
	case outline.Unit:
		out.Kind = inputUnit
	case outline.Optional:
		return m.optional(out, of, depth)
	case outline.List:
		return m.list(out, of, depth)
	case outline.TextMap:
		out.Kind = inputTextMap
	case outline.GenMap:
		out.Kind = inputMap
	case outline.Named:
		return m.named(out, of, depth)
	default:
	}
	return out, nil
}

func (m *formMaker) optional(out *input, of outline.Type, depth int) (*input, error) {
	out.IsOptional = true
	if len(of.Args) != 1 {
		return out, nil
	}
	inner, err := m.input(out.Name, out.Label, of.Args[0], depth)
	if err != nil || inner.IsOptional || inner.Kind == inputUnit || inner.Kind == inputJSON {
		return out, err
	}
	inner.IsOptional, inner.Type = true, out.Type
	return inner, nil
}

func (m *formMaker) list(out *input, of outline.Type, depth int) (*input, error) {
	if len(of.Args) != 1 {
		return out, nil
	}
	element, err := m.input(out.Name, out.Label, of.Args[0], depth)
	if err != nil || element.IsOptional {
		return out, err
	}
	switch element.Kind {
	case inputText, inputParty, inputNumber, inputBool, inputDate, inputTime, inputID, inputEnum:
		out.Kind, out.Element = inputLines, element.Kind
	default:
	}
	return out, nil
}

func (m *formMaker) named(out *input, of outline.Type, depth int) (*input, error) {
	if depth > maxFormDepth || m.made > maxFormInputs {
		return out, nil
	}
	data, isKnown, err := m.site.dataOf(m.visit, of)
	if errors.Is(err, errUnreadable) || errors.Is(err, errLongAnswer) {
		return out, nil
	}
	if err != nil || !isKnown {
		return out, err
	}
	parts := data.Fields
	switch {
	case data.Alias != nil:
		return m.input(out.Name, out.Label, *data.Alias, depth+1)
	case len(data.Names) > 0:
		out.Kind, out.Options = inputEnum, data.Names
		return out, nil
	case len(data.Constructors) > 0:
		out.Kind, parts = inputVariant, data.Constructors
		for _, constructor := range parts {
			out.Options = append(out.Options, constructor.Name)
		}
	default:
		out.Kind = inputRecord
	}
	for _, part := range parts {
		inner, err := m.input(out.Name+"."+part.Name, part.Name, part.Type, depth+1)
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, inner)
	}
	return out, nil
}

// take takes what the visitor typed.
func (i *input) take(v *visit) {
	i.Value = strings.ReplaceAll(v.r.PostFormValue(i.Name), "\r\n", "\n")
	i.Has = v.r.PostFormValue(i.presence()) == "yes"
	for _, part := range i.Parts {
		part.take(v)
	}
}
