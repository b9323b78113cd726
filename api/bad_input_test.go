package api_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// The tests of this file use the routes of the router, and the schemas and examples of the document. So every new
// endpoint gets invalid input, too.

const (
	caller = "ledger-api-user" // as in the examples
	// bodyLimit is the maximum body of the servers of these tests.
	bodyLimit = 50_000
)

// mountedRoute is one route of the ledger API, with its description in the document.
type mountedRoute struct {
	method, pattern string
	// operation is nil for streams.
	operation *openapi3.Operation
}

// hostileServer serves a user with all rights, so that no check of rights comes before the checks of the input.
func hostileServer(t *testing.T) *apitest.Server {
	t.Helper()
	s := apitest.New(t, apitest.Options{
		MaxBodyBytes: bodyLimit, Settings: ledgerapi.Settings{ListWait: time.Millisecond},
	})
	s.Rights(caller, ledger.Right{Kind: ledger.ParticipantAdmin}, ledger.Right{Kind: ledger.CanReadAsAnyParty},
		ledger.Right{Kind: ledger.CanExecuteAsAnyParty}, ledger.Right{Kind: ledger.CanActAs, Party: exampleParty(t)})
	return s
}

// exampleParty is the party of the examples.
func exampleParty(t *testing.T) ledger.Party {
	t.Helper()
	examples, err := ledgerapi.Examples()
	require.NoError(t, err)
	var request ledgerapi.JsCommands
	require.NoError(t, json.Unmarshal(examples["JsCommands"], &struct {
		ActAs *[]string `json:"actAs"`
	}{&request.ActAs}))
	return ledger.Party(request.ActAs[0])
}

// routes lists the routes of the ledger API.
func routes(t *testing.T, s *apitest.Server) []mountedRoute {
	t.Helper()
	document := loadDocument(t, s)
	router, ok := s.Handler.(chi.Routes)
	require.True(t, ok)
	var all []mountedRoute
	err := chi.Walk(router, func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if !strings.HasPrefix(pattern, "/v2/") || pattern == ledgerapi.EventsPath { // see TestEvents_NeedTheRightToRead
			return nil
		}
		route := mountedRoute{method: method, pattern: pattern}
		describedMethod, describedPath := apitest.Described(method, pattern)
		if item := document.Paths.Value(describedPath); item != nil {
			route.operation = item.GetOperation(describedMethod)
		}
		all = append(all, route)
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(all), 60)
	return all
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// path is the pattern with a value for each parameter.
func (m mountedRoute) path() string { return fill(m.pattern, "alice") }

func fill(pattern, value string) string {
	return parameter.ReplaceAllLiteralString(strings.ReplaceAll(pattern, "{offset}", "1"), value)
}

// matches reports whether a path matches the pattern.
func (m mountedRoute) matches(path string) bool {
	return regexp.MustCompile("^" + parameter.ReplaceAllString(m.pattern, "[^/]+") + "$").MatchString(path)
}

// json returns the schema and the example of the body, nil without one.
func (m mountedRoute) json() (*openapi3.SchemaRef, any) {
	if m.operation == nil || m.operation.RequestBody == nil {
		return nil, nil
	}
	media := m.operation.RequestBody.Value.Content.Get("application/json")
	if media == nil {
		return nil, nil
	}
	return media.Schema, media.Example
}

// eachRoute runs a test for every route.
func eachRoute(t *testing.T, test func(t *testing.T, s *apitest.Server, route mountedRoute)) {
	t.Helper()
	s := hostileServer(t)
	for _, route := range routes(t, s) {
		t.Run(route.method+" "+route.pattern, func(t *testing.T) {
			t.Parallel()
			test(t, s.In(t), route)
		})
	}
}

// eachBody runs a test for every route with a JSON body. The function send gets a body.
func eachBody(
	t *testing.T,
	test func(t *testing.T, send func(body any) apitest.Answer, schema *openapi3.SchemaRef, example any),
) {
	t.Helper()
	eachRoute(t, func(t *testing.T, s *apitest.Server, route mountedRoute) {
		t.Helper()
		if schema, example := route.json(); schema != nil {
			test(t, func(body any) apitest.Answer { return s.Call(caller, route.method, route.path(), body) }, schema, example)
		}
	})
}

// readable requires that the server could read a request. The client has compared the answer with the document.
func readable(t *testing.T, answer apitest.Answer, what any) {
	t.Helper()
	require.Less(t, answer.Status, http.StatusInternalServerError, "%.300s: %s", what, answer.Text)
	require.NotContains(t, answer.Text, "Invalid value for: ", "%.300s", what)
}

func TestBodies_RefuseMalformedJSON(t *testing.T) {
	t.Parallel()
	eachBody(t, func(t *testing.T, send func(any) apitest.Answer, _ *openapi3.SchemaRef, example any) {
		t.Helper()
		good, err := json.Marshal(example)
		require.NoError(t, err)
		readable(t, send(string(good)), string(good))
		for _, bad := range []string{
			"{", "[]", `"x"`, "7", "true", `{"a":}`, string(good) + "x", string(good[:len(good)-1]), "{'a':1}", "\xff\xfe",
			"{\"\xff\":1}", `{"a":"\x"}`, strings.Repeat(`{"a":`, 8_000), strings.Repeat("[", 20_000), "\x00", "\ufeff{}",
			string(good) + string(good),
		} {
			text := send(bad).Plain(http.StatusBadRequest)
			require.Contains(t, text, "Invalid value for: body (", "%.100q", bad)
			require.Less(t, len(text), 1000, "%.100q", bad)
		}
		require.Less(t, send("").Status, http.StatusInternalServerError)
	})
}

type leaf struct {
	path   []any
	value  any
	schema *openapi3.Schema
	// optional: the place is a field that may be missing.
	optional bool
}

// leaves lists all places of an example with their schemas, also inner ones.
func leaves(path []any, value any, ref *openapi3.SchemaRef) []leaf {
	schema := ref.Value
	nullable := schema.Nullable
	for len(schema.AllOf) == 1 { // a reference with a description or with null
		schema = schema.AllOf[0].Value
	}
	if nullable {
		schema = new(*schema)
		schema.Nullable = true
	}
	found := []leaf{{path: slices.Clone(path), value: value, schema: schema}}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if property := propertyOf(schema, key); property != nil {
				below := leaves(append(path, key), value[key], property)
				_, isField := schema.Properties[key]
				below[0].optional = isField && !slices.Contains(schema.Required, key)
				found = append(found, below...)
			}
		}
	case []any:
		for i := range value {
			found = append(found, leaves(append(path, i), value[i], schema.Items)...)
		}
	}
	return found
}

func propertyOf(schema *openapi3.Schema, key string) *openapi3.SchemaRef {
	for _, alternative := range schema.OneOf {
		if slices.Contains(alternative.Value.Required, key) {
			return alternative.Value.Properties[key]
		}
	}
	if property := schema.Properties[key]; property != nil {
		return property
	}
	return schema.AdditionalProperties.Schema
}

// with returns the example with another value at a place, or without the place if remove is true.
func with(root any, path []any, value any, remove bool) any {
	if len(path) == 0 {
		return value
	}
	switch key := path[0].(type) {
	case string:
		object, _ := root.(map[string]any)
		object = maps.Clone(object)
		if remove && len(path) == 1 {
			delete(object, key)
			return object
		}
		object[key] = with(object[key], path[1:], value, remove)
		return object
	case int:
		list, _ := root.([]any)
		list = slices.Clone(list)
		list[key] = with(list[key], path[1:], value, remove)
		return list
	default:
		return root
	}
}

// wrongValues are values that do not fit the schema.
func wrongValues(schema *openapi3.Schema) []any {
	var wrong []any
	object, list := map[string]any{}, []any{}
	switch {
	case schema.Type.Is(openapi3.TypeString):
		wrong = []any{7, true, object, list}
		if len(schema.Enum) > 0 || schema.Format == "date-time" || schema.Format == "byte" {
			wrong = append(wrong, "no such value!", strings.Repeat("!", 10_000))
		}
	case schema.Type.Is(openapi3.TypeInteger):
		wrong = []any{
			"x", "", true, object, list, 1.5, json.Number("1e400"), json.Number("15e-1"), "99999999999999999999",
			json.Number("99999999999999999999"), json.Number("-99999999999999999999"), "0x10", " 1", "٣",
		}
	case schema.Type.Is(openapi3.TypeBoolean):
		wrong = []any{"true", 0, object, list}
	case schema.Type.Is(openapi3.TypeArray):
		wrong = []any{"x", 7, true, object}
	case schema.Type.Is(openapi3.TypeObject), len(schema.OneOf) > 0:
		wrong = []any{"x", 7, true, list}
		if len(schema.OneOf) > 0 {
			wrong = append(wrong, object, map[string]any{"NoSuchAlternative": object})
		}
		return wrong // null is an absent message
	default:
		return nil // any JSON
	}
	if !schema.Nullable {
		wrong = append(wrong, nil)
	}
	return wrong
}

func TestBodies_RefuseWrongTypes(t *testing.T) {
	t.Parallel()
	eachBody(t, func(t *testing.T, send func(any) apitest.Answer, schema *openapi3.SchemaRef, example any) {
		t.Helper()
		for _, place := range leaves(nil, example, schema) {
			for _, wrong := range wrongValues(place.schema) {
				if wrong == nil {
					continue // see TestJSON_NullMeansLeftOut
				}
				answer := send(with(example, place.path, wrong, false))
				text := answer.Plain(http.StatusBadRequest)
				require.Contains(t, text, "Invalid value for: body (", "%v = %.100v", place.path, wrong)
				require.Less(t, len(text), 1000)
				if len(place.path) > 0 {
					require.Contains(t, text, " at '", "%v = %.100v: the text says where", place.path, wrong)
				}
			}
		}
	})
}

func TestBodies_MissingAndUnknownFields(t *testing.T) {
	t.Parallel()
	eachBody(t, func(t *testing.T, send func(any) apitest.Answer, schema *openapi3.SchemaRef, example any) {
		t.Helper()
		for _, place := range leaves(nil, example, schema) {
			if object, ok := place.value.(map[string]any); ok && len(place.schema.Properties) > 0 {
				unknown := maps.Clone(object)
				unknown["applicationId"], unknown[""] = []any{map[string]any{"x": nil}}, "unknown fields are ignored"
				readable(t, send(with(example, place.path, unknown, false)), place.path)
			}
			if len(place.path) == 0 {
				continue
			}
			if _, isField := place.path[len(place.path)-1].(string); isField {
				answer := send(with(example, place.path, nil, true))
				require.Less(t, answer.Status, http.StatusInternalServerError, "without %v: %s", place.path, answer.Text)
			}
		}
	})
}

// hostileTexts are invalid identifiers, and texts that would do harm if they were not treated as data.
var hostileTexts = []string{
	"", " ", "\x00", "a\nb", "../../etc/passwd", "'; DROP TABLE users; --", `"><script>`, "%s%n", "\u202etxt", "👩‍👩‍👧",
	strings.Repeat("a", 20_000), "#::::", "-1",
}

func TestBodies_HostileTextsCauseNoServerError(t *testing.T) {
	t.Parallel()
	eachBody(t, func(t *testing.T, send func(any) apitest.Answer, schema *openapi3.SchemaRef, example any) {
		t.Helper()
		for _, place := range leaves(nil, example, schema) {
			text, isText := place.value.(string)
			for _, hostile := range hostileTexts {
				if isText && hostile != text {
					answer := send(with(example, place.path, hostile, false))
					require.Less(t, answer.Status, http.StatusInternalServerError, "%v = %.50q: %s", place.path, hostile,
						answer.Text)
					require.Less(t, len(answer.Text), 10_000, "%v = %.50q is not repeated", place.path, hostile)
				}
			}
			if _, isNumber := place.value.(float64); isNumber {
				for _, absurd := range []string{"-1", "0", "2147483647", "-2147483648"} {
					answer := send(with(example, place.path, json.Number(absurd), false))
					require.Less(t, answer.Status, http.StatusInternalServerError, "%v = %s: %s", place.path, absurd, answer.Text)
				}
			}
		}
	})
}

func TestParameters_HostileTextsCauseNoServerError(t *testing.T) {
	t.Parallel()
	eachRoute(t, func(t *testing.T, s *apitest.Server, route mountedRoute) {
		t.Helper()
		if route.operation == nil {
			return
		}
		_, example := route.json()
		for _, hostile := range hostileTexts[1:] {
			if strings.Contains(route.pattern, "{") && len(hostile) < 10_000 {
				answer := s.Call(caller, route.method, fill(route.pattern, url.PathEscape(hostile)), example)
				require.Less(t, answer.Status, http.StatusInternalServerError, "%.50q: %s", hostile, answer.Text)
			}
		}
		for _, parameter := range route.operation.Parameters {
			if parameter.Value.In != openapi3.ParameterInQuery {
				continue
			}
			number := parameter.Value.Schema.Value.Type.Is(openapi3.TypeInteger)
			for _, hostile := range hostileTexts {
				path := route.path() + "?" + parameter.Value.Name + "=" + url.QueryEscape(hostile)
				answer := s.Call(caller, route.method, path, example)
				require.Less(t, answer.Status, http.StatusInternalServerError, "%.80s: %s", path, answer.Text)
				if number && hostile != "-1" {
					require.Equal(t, "Invalid value for: query parameter "+parameter.Value.Name,
						answer.Plain(http.StatusBadRequest), "%.80s", path)
				}
			}
		}
	})
}

func TestBodies_RefuseMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	eachRoute(t, func(t *testing.T, s *apitest.Server, route mountedRoute) {
		t.Helper()
		if route.operation == nil {
			return
		}
		large := strings.Repeat(" ", bodyLimit+1)
		text := s.Call(caller, route.method, route.path(), large).Plain(http.StatusRequestEntityTooLarge)
		require.Contains(t, text, "exceeded size limit (50000 bytes)")
	})
}

func TestBodies_AcceptAnyMediaType(t *testing.T) {
	t.Parallel()
	eachRoute(t, func(t *testing.T, s *apitest.Server, route mountedRoute) {
		t.Helper()
		_, example := route.json()
		if example == nil {
			return
		}
		for _, mediaType := range []string{
			"", "application/json; charset=utf-8", "text/xml; charset=latin1", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x", "no media type at all", strings.Repeat("x/", 1000),
		} {
			header := http.Header{"Authorization": {"Bearer " + apitest.Token(t, caller)}, "Accept": {mediaType}}
			if mediaType != "" {
				header.Set("Content-Type", mediaType)
			}
			readable(t, s.Send(route.method, route.path(), header, example), mediaType)
		}
	})
}

func TestRouter_RefusesWrongMethods(t *testing.T) {
	t.Parallel()
	s := hostileServer(t)
	all := routes(t, s)
	for _, route := range all {
		path, methods := route.path(), []string(nil)
		for _, other := range all { // /v2/parties/participant-id is also a /v2/parties/{party}
			if other.matches(path) && !slices.Contains(methods, other.method) {
				methods = append(methods, other.method)
			}
		}
		for _, method := range []string{
			http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost, http.MethodPut, http.MethodTrace,
		} {
			if slices.Contains(methods, method) {
				continue
			}
			answer := s.Call(caller, method, path, "{}")
			require.Equal(t, "Method Not Allowed", answer.Plain(http.StatusMethodNotAllowed), "%s %s", method, path)
			require.ElementsMatch(t, methods, answer.Header.Values("Allow"), "%s %s", method, path)
		}
	}
}

// The test sends a plain GET to every route that is only a stream.
func TestStreams_RefuseRequestWithoutUpgrade(t *testing.T) {
	t.Parallel()
	s := hostileServer(t)
	streams := 0
	for _, route := range routes(t, s) {
		if route.operation != nil {
			continue
		}
		streams++
		answer := s.Undocumented(caller, route.method, route.path())
		require.Contains(t, answer.Plain(http.StatusBadRequest), "Expected WebSocket Upgrade request", route.pattern)
	}
	require.Equal(t, 6, streams)
}

// FuzzEndpoints_AnyBody sends any body to any endpoint with a JSON body.
func FuzzEndpoints_AnyBody(f *testing.F) {
	examples, err := ledgerapi.Examples()
	require.NoError(f, err)
	s := apitest.New(f, apitest.Options{Settings: ledgerapi.Settings{ListWait: time.Millisecond}})
	s.Rights(caller, ledger.Right{Kind: ledger.ParticipantAdmin}, ledger.Right{Kind: ledger.CanReadAsAnyParty})
	document, err := openapi3.NewLoader().LoadFromData([]byte(s.Send(http.MethodGet, "/docs/openapi", nil, nil).Text))
	require.NoError(f, err)
	var targets [][2]string
	for _, path := range slices.Sorted(maps.Keys(document.Paths.Map())) {
		for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodPost} {
			operation := document.Paths.Value(path).GetOperation(method)
			if operation == nil || operation.RequestBody == nil {
				continue
			}
			media := operation.RequestBody.Value.Content.Get("application/json")
			if media == nil || !strings.HasPrefix(path, "/v2/") {
				continue
			}
			var example bytes.Buffer
			require.NoError(f, json.Compact(&example, examples[typeOf(media.Schema.Ref)]))
			f.Add(byte(len(targets)), example.String())
			targets = append(targets, [2]string{method, fill(path, "alice")})
		}
	}
	f.Fuzz(func(t *testing.T, target byte, body string) {
		endpoint := targets[int(target)%len(targets)]
		answer := s.In(t).Call(caller, endpoint[0], endpoint[1], body)
		require.Less(t, answer.Status, http.StatusInternalServerError, "%s: %s", endpoint[1], answer.Text)
	})
}
