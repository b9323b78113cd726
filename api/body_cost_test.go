package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// The limits of the bytes that serving a request allocates in all, most of them for a moment: for each byte of its
// body, and for any body. docs/security.md tells operators.
const (
	maxForEachByte = 100
	maxForAny      = 2 << 20
)

// costly serves a user with all rights, with the default limits.
func costly(tb testing.TB) *apitest.Server {
	tb.Helper()
	s := apitest.NewWithCoin(tb, apitest.Options{})
	s.Rights(caller, ledger.Right{Kind: ledger.ParticipantAdmin}, ledger.Right{Kind: ledger.CanReadAsAnyParty},
		ledger.Right{Kind: ledger.CanExecuteAsAnyParty}, ledger.Right{Kind: ledger.CanActAsAnyParty})
	return s
}

// bodies are the routes of both documents with a body.
func bodies(tb testing.TB, s *apitest.Server) []mountedRoute {
	tb.Helper()
	var all []mountedRoute
	for _, path := range []string{"/docs/openapi", "/docs/openapi/validator"} {
		answer := s.Send(http.MethodGet, path, http.Header{"Accept": {"application/json"}}, nil)
		document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
		require.NoError(tb, err)
		for _, pattern := range slices.Sorted(maps.Keys(document.Paths.Map())) {
			item := document.Paths.Value(pattern)
			for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
				if operation := item.GetOperation(method); operation.RequestBody != nil {
					all = append(all, mountedRoute{method: method, pattern: pattern, operation: operation})
				}
			}
		}
	}
	require.Greater(tb, len(all), 60)
	return all
}

// heavy are expensive bodies for a decoder within the default limits: they have the maximum of elements, values, levels
// and fields, without content.
func heavy(route mountedRoute) map[string]string {
	long := func(element string) string {
		const most = endpoint.DefaultMaxElements
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", most), ",") + "]"
	}
	wide := func(element string) string { // the maximum of values, in lists of lists
		const lists = endpoint.DefaultMaxValues/endpoint.DefaultMaxElements - 1
		return "[" + strings.TrimSuffix(strings.Repeat(long(element)+",", lists), ",") + "]"
	}
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	var fields strings.Builder
	for i := range endpoint.DefaultMaxElements - 1 {
		fmt.Fprintf(&fields, `%q:0,`, fmt.Sprintf("%x", i))
	}
	found := map[string]string{
		"many fields":  `{` + fields.String() + `"x":0}`,
		"many values":  `{"x":` + wide("0") + `}`,
		"deep":         `{"x":` + deep(endpoint.DefaultMaxDepth-1) + `}`,
		"many escapes": `{"x":"` + strings.Repeat(`\u0001`, 1<<14) + `"}`,
	}
	schema, example := route.json()
	if schema == nil {
		return found
	}
	for _, place := range leaves(nil, example, schema) {
		at := fmt.Sprint(place.path)
		put := func(name, value string) {
			encoded, err := json.Marshal(with(example, place.path, json.RawMessage(value), false))
			if err == nil {
				found[name+" at "+at] = string(encoded)
			}
		}
		switch {
		case place.schema.Type.Is(openapi3.TypeArray):
			for _, element := range []string{"{}", `""`, "null", "[]"} {
				put("elements "+element, long(element))
			}
			if list, ok := place.value.([]any); ok && len(list) > 0 {
				least, err := json.Marshal(least(list[0], place.schema.Items))
				if err == nil {
					put("least elements", long(string(least)))
				}
			}
		case place.schema.Type.Is(openapi3.TypeString):
			put("a long text", `"`+strings.Repeat("A", 1<<17)+`"`)
			if place.schema.Format == "byte" {
				for name, message := range emptyMessages() {
					put(name, `"`+message+`"`)
				}
			}
		case place.schema.AdditionalProperties.Schema != nil:
			put("many entries", `{`+fields.String()+`"x":0}`)
			put("many empty entries", `{`+strings.ReplaceAll(fields.String(), ":0", ":{}")+`"x":{}}`)
		case place.schema.Type == nil && len(place.schema.OneOf) == 0:
			put("any values", wide("0"))
			put("any objects", long("{}"))
		}
	}
	return found
}

// least is an example without its optional fields.
func least(example any, ref *openapi3.SchemaRef) any {
	value := example
	for _, place := range leaves(nil, example, ref) {
		if place.optional && len(place.path) == 1 {
			value = with(value, place.path, nil, true)
		}
	}
	return value
}

// costOf is the memory that serving a request takes in all.
func costOf(tb testing.TB, s *apitest.Server, token, method, path, body string) uint64 {
	tb.Helper()
	request := httptest.NewRequestWithContext(tb.Context(), method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.Handler.ServeHTTP(recorder, request)
	runtime.ReadMemStats(&after)
	require.Less(tb, recorder.Code, http.StatusInternalServerError, "%s %s: %.300s", method, path, recorder.Body)
	return after.TotalAlloc - before.TotalAlloc
}

// emptyMessages are protobuf messages in base64 with the maximum of empty fields, at the top and one level below.
func emptyMessages() map[string]string {
	const numbers = 6
	found := map[string]string{}
	for number := protowire.Number(1); number <= numbers; number++ {
		empty := protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), nil)
		many := bytes.Repeat(empty, signing.MaxElements-2)
		found[fmt.Sprintf("empty fields %d", number)] = base64.StdEncoding.EncodeToString(many)
		for outer := protowire.Number(1); outer <= 2; outer++ {
			inside := protowire.AppendBytes(protowire.AppendTag(nil, outer, protowire.BytesType), many)
			found[fmt.Sprintf("empty fields %d in %d", number, outer)] = base64.StdEncoding.EncodeToString(inside)
		}
	}
	return found
}

// mostExpensive is the most expensive body for its size, with its name and its cost.
func mostExpensive(tb testing.TB, s *apitest.Server, token string, route mountedRoute) (
	body, name string, multiple float64,
) {
	tb.Helper()
	for which, candidate := range heavy(route) {
		cost := costOf(tb, s, token, route.method, fill(route.pattern, "alice"), candidate)
		if each := (float64(cost) - maxForAny) / float64(len(candidate)); body == "" || each > multiple {
			body, name, multiple = candidate, which, each
		}
	}
	return body, name, multiple
}

//nolint:paralleltest // what others allocate would count
func TestBodies_AllocateAtMostAMultipleOfTheirSize(t *testing.T) {
	s := costly(t)
	token := apitest.Token(t, caller)
	for _, route := range bodies(t, s) {
		body, name, multiple := mostExpensive(t, s, token, route)
		t.Logf("%6.1f %s %s: %s, %d bytes", multiple, route.method, route.pattern, name, len(body))
		require.LessOrEqual(t, multiple, float64(maxForEachByte), "%s %s costs too much: %s, %d bytes", route.method,
			route.pattern, name, len(body))
	}
}

// BenchmarkBodies_MostCostly sends each endpoint its most expensive body.
func BenchmarkBodies_MostCostly(b *testing.B) {
	s := costly(b)
	token := apitest.Token(b, caller)
	for _, route := range bodies(b, s) {
		body, name, _ := mostExpensive(b, s, token, route)
		b.Run(route.method+" "+route.pattern, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			var cost uint64
			for b.Loop() {
				cost = costOf(b, s, token, route.method, fill(route.pattern, "alice"), body)
			}
			b.ReportMetric(float64(cost)/float64(len(body)), "allocated/byte")
			b.Log(name)
		})
	}
}
