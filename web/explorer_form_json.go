package web

import (
	"bytes"
	"encoding/json"
	"strings"
)

// none is the value of an optional that is empty, and unit that of (), in JSON.
var none, unit = json.RawMessage("null"), json.RawMessage("{}")

// json converts what was typed to the API's JSON. The error is a *[problem].
func (i *input) json(as reader) (json.RawMessage, error) {
	typed := strings.TrimSpace(i.Value)
	if i.IsOptional && (i.HasParts() && !i.Has || !i.HasParts() && typed == "") {
		return none, nil
	}
	switch i.Kind {
	case inputText:
		return quoted(i.Value), nil
	case inputUnit:
		return unit, nil
	case inputRecord:
		return i.recordJSON(as)
	case inputVariant:
		return i.variantJSON(as)
	case inputLines:
		return i.linesJSON(as)
	case inputTextMap, inputMap:
		return i.pairsJSON()
	case inputJSON:
		if !json.Valid([]byte(typed)) {
			return nil, unprocessable("The field "+i.Label+" is not JSON.", "Write a value of the type "+i.Type+" as JSON.")
		}
		return json.RawMessage(typed), nil
	default:
		if typed == "" {
			return nil, unprocessable("The field "+i.Label+" is empty.", "Write a value of the type "+i.Type+".")
		}
		return simpleJSON(i.Kind, typed, as), nil
	}
}

// simpleJSON converts one line. Numbers are texts in the API's JSON.
func simpleJSON(kind inputKind, typed string, as reader) json.RawMessage {
	switch {
	case kind == inputParty:
		return quoted(as.partyOf(typed))
	case kind == inputBool && (typed == "true" || typed == "false"):
		return json.RawMessage(typed)
	default:
		return quoted(typed)
	}
}

func quoted(text string) json.RawMessage {
	out, err := json.Marshal(text)
	if err != nil { // texts have JSON
		return none
	}
	return out
}

// object writes fields in their order: sentences show the first ones.
func object(fields []namedValue) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, field := range fields {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(quoted(field.Name))
		out.WriteByte(':')
		out.Write(field.Value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func (i *input) recordJSON(as reader) (json.RawMessage, error) {
	fields := make([]namedValue, 0, len(i.Parts))
	for _, part := range i.Parts {
		value, err := part.json(as)
		if err != nil {
			return nil, err
		}
		fields = append(fields, namedValue{part.Label, value})
	}
	return object(fields), nil
}

func (i *input) variantJSON(as reader) (json.RawMessage, error) {
	for _, part := range i.Parts {
		if part.Label != i.Value {
			continue
		}
		value, err := part.json(as)
		return object([]namedValue{{"tag", quoted(i.Value)}, {"value", value}}), err
	}
	return nil, unprocessable("The field "+i.Label+" has no constructor.", "Choose one of "+strings.Join(i.Options, ", ")+".")
}

// lines are the lines of a text that are not empty.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

func (i *input) linesJSON(as reader) (json.RawMessage, error) {
	values := []json.RawMessage{}
	for _, line := range lines(i.Value) {
		values = append(values, simpleJSON(i.Element, line, as))
	}
	return json.Marshal(values)
}

// pairsJSON reads lines such as ["key", "value"].
func (i *input) pairsJSON() (json.RawMessage, error) {
	pairs, fields := []json.RawMessage{}, []namedValue{}
	for _, line := range lines(i.Value) {
		var pair []json.RawMessage
		var key string
		isPair := json.Unmarshal([]byte(line), &pair) == nil && len(pair) == 2
		if !isPair || i.Kind == inputTextMap && json.Unmarshal(pair[0], &key) != nil {
			return nil, unprocessable("The field "+i.Label+" has the line "+line+", which is not a key with a value.",
				`Write each pair on a line of its own as JSON: ["key", "value"].`)
		}
		pairs, fields = append(pairs, json.RawMessage(line)), append(fields, namedValue{key, pair[1]})
	}
	if i.Kind == inputTextMap {
		return object(fields), nil
	}
	return json.Marshal(pairs)
}

// set fills the input with a value in the API's JSON.
func (i *input) set(value json.RawMessage) {
	i.Has = len(value) > 0 && string(value) != "null"
	if !i.Has {
		return
	}
	switch i.Kind {
	case inputRecord:
		for _, part := range i.Parts {
			part.set(valueAt(value, part.Label))
		}
	case inputVariant:
		i.Value = textOf(valueAt(value, "tag"))
		for _, part := range i.Parts {
			if part.Label == i.Value {
				part.set(valueAt(value, "value"))
			}
		}
	case inputLines, inputMap:
		var all []json.RawMessage
		_ = json.Unmarshal(value, &all) // a value of another form leaves the field empty
		for _, one := range all {
			i.Value += textOf(one) + "\n"
		}
	case inputTextMap:
		for _, field := range fieldsIn(value) {
			i.Value += "[" + string(quoted(field.Name)) + ", " + string(field.Value) + "]\n"
		}
	case inputJSON:
		i.Value = string(value)
	default:
		i.Value = textOf(value)
	}
}

// textOf is the content of a text, or a value on one line.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var line bytes.Buffer
	if json.Compact(&line, value) != nil {
		return ""
	}
	return line.String()
}
