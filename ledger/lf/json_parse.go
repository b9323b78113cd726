package lf

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// errMore means that there is text after the JSON value.
var errMore = errors.New("there is text after the JSON value")

// jsonParser is a reusable decoder: most values are short, and its buffer is not.
type jsonParser struct {
	source  bytes.Reader
	decoder jsontext.Decoder
}

var jsonParsers = sync.Pool{New: func() any { return new(jsonParser) }}

// parseJSON reads one JSON value as encoding/json does: invalid UTF-8 is replaced, of equal names the last counts, and
// numbers keep their text.
func parseJSON(raw []byte) (any, error) {
	parser := jsonParsers.Get().(*jsonParser) //nolint:forcetypeassert // only this function puts
	defer jsonParsers.Put(parser)
	parser.source.Reset(raw)
	parser.decoder.Reset(&parser.source, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	value, err := parseNext(&parser.decoder)
	if err != nil {
		return nil, err
	}
	if _, err := parser.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errMore
	}
	return value, nil
}

func parseNext(decoder *jsontext.Decoder) (any, error) {
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return json.Number(token.String()), nil
	case jsontext.KindBeginObject:
		return parseObject(decoder)
	case jsontext.KindBeginArray:
		return parseArray(decoder)
	case jsontext.KindNull:
		return nil, nil //nolint:nilnil // null
	default:
		return token.Bool(), nil
	}
}

func parseObject(decoder *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		text := name.String()
		if object[text], err = parseNext(decoder); err != nil {
			return nil, err
		}
	}
	_, err := decoder.ReadToken()
	return object, err
}

func parseArray(decoder *jsontext.Decoder) (any, error) {
	array := []any{}
	for decoder.PeekKind() != jsontext.KindEndArray {
		element, err := parseNext(decoder)
		if err != nil {
			return nil, err
		}
		array = append(array, element)
	}
	_, err := decoder.ReadToken()
	return array, err
}
