package endpoint

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
)

// decodeParams fills the path and query parameters of a request. Its errors are texts for the client. With plainTexts
// it refuses values with NUL and invalid UTF-8, which PostgreSQL does not accept.
func decodeParams(r *http.Request, request reflect.Value, plainTexts bool) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badRequest("query", "")
	}
	isUsable := func(value string) bool {
		return !plainTexts || utf8.ValidString(value) && !strings.Contains(value, "\x00")
	}
	for i := range request.NumField() {
		field := request.Type().Field(i)
		if name, ok := field.Tag.Lookup(pathTag); ok {
			if err := decodePath(r, name, request.Field(i), isUsable); err != nil {
				return err
			}
			continue
		}
		if name, ok := field.Tag.Lookup(queryTag); ok {
			values := query[name]
			for alias := range strings.FieldsSeq(field.Tag.Get(aliasTag)) {
				values = append(values, query[alias]...)
			}
			unusable := slices.ContainsFunc(values, func(value string) bool { return !isUsable(value) })
			if len(values) > 0 && (unusable || fillParam(request.Field(i), values) != nil) {
				return badRequest("query parameter "+name, "")
			}
		}
	}
	return nil
}

func decodePath(r *http.Request, name string, target reflect.Value, isUsable func(string) bool) error {
	value, err := chi.URLParam(r, name), error(nil)
	if r.URL.RawPath != "" { // then the router matches the escaped path, and else the one that is decoded already
		value, err = url.PathUnescape(value)
	}
	if err != nil || !isUsable(value) || fillParam(target, []string{value}) != nil {
		return badRequest("path parameter "+name, "")
	}
	return nil
}

// fillParam reads the values of one parameter. A list takes all values, other types the first.
func fillParam(target reflect.Value, values []string) error {
	switch target.Kind() {
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		return fillParam(target.Elem(), values)
	case reflect.Slice:
		for _, value := range values {
			element := reflect.New(target.Type().Elem()).Elem()
			if err := fillParam(element, []string{value}); err != nil {
				return err
			}
			target.Set(reflect.Append(target, element))
		}
		return nil
	case reflect.String:
		target.SetString(values[0])
		return nil
	case reflect.Bool:
		value, err := strconv.ParseBool(values[0])
		target.SetBool(value)
		return err
	default:
		value, err := strconv.ParseInt(values[0], 10, target.Type().Bits())
		target.SetInt(value)
		return err
	}
}

// checkParams finds request fields of unsupported types.
func checkParams(request reflect.Type) error {
	for field := range request.Fields() {
		_, isPath := field.Tag.Lookup(pathTag)
		_, isQuery := field.Tag.Lookup(queryTag)
		_, isBody := field.Tag.Lookup(bodyTag)
		switch {
		case isBody:
		case !isPath && !isQuery:
			return fmt.Errorf("field %s of %s is neither path, query nor body", field.Name, request)
		case !isParam(field.Type):
			return fmt.Errorf("field %s of %s cannot be a parameter", field.Name, request)
		}
	}
	return nil
}

func isParam(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return true
	default:
		return false
	}
}
