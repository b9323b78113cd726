package endpoint

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"
)

// FuzzParameters_ReadAsSentOrRefused reads any query and any path: the value is the one sent, or the refusal names the
// parameter.
func FuzzParameters_ReadAsSentOrRefused(f *testing.F) {
	for _, seed := range [][2]string{
		{"limit=1&on=true&list=a&list=b", "7"},
		{"limit=9223372036854775808", "-1"},
		{"%zz", "x"},
		{"a;b", "%2f"},
		{"limit=&page_size=3", "0x1"},
		{"pageSize=1&page_size=2", " "},
		{"list=\xff", "%ff"},
		{"limit=1e3", "٣"},
		{"list=a%00b", "1%00"},
	} {
		f.Add(seed[0], seed[1])
	}
	type parameters struct {
		Limit    *int64   `query:"limit"`
		PageSize int32    `query:"pageSize" alias:"page_size"`
		On       *bool    `query:"on"`
		List     []string `query:"list"`
		Offset   int64    `path:"offset"`
	}
	require.NoError(f, checkParams(reflect.TypeFor[parameters]()))
	f.Fuzz(func(t *testing.T, query, offset string) {
		route := chi.NewRouteContext()
		route.URLParams.Add("offset", offset)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		request.URL.RawQuery = query
		request = request.WithContext(context.WithValue(request.Context(), chi.RouteCtxKey, route))
		var read parameters
		err := decodeParams(request, reflect.ValueOf(&read).Elem(), true)
		if err != nil {
			require.Regexp(t, `^Invalid value for: (query|query parameter \w+|path parameter offset)$`, err.Error())
			return
		}
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, values["list"], read.List)
		require.True(t, utf8.ValidString(strings.Join(read.List, "")))
		require.NotContains(t, strings.Join(read.List, ""), "\x00")
		require.Equal(t, len(values["limit"]) > 0, read.Limit != nil)
	})
}

// FuzzTraceContext_IsWellFormed reads any trace headers: the trace is well-formed, and the client's if that is valid.
func FuzzTraceContext_IsWellFormed(f *testing.F) {
	const good = "00-6b0c3f0d8e5a4c1f9d2b7a6e5c4d3b2a-1122334455667788-01"
	for _, seed := range []string{
		"", good, strings.ToUpper(good), good + "-x", "ff" + good[2:], "00-" + zeroTrace + "-1122334455667788-01", "é",
		"\x00",
	} {
		f.Add(seed, "vendor=1")
	}
	f.Add(good, strings.Repeat("a", maxTracestate+1))
	f.Fuzz(func(t *testing.T, parent, state string) {
		current := &call{}
		asked := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		asked.Header = http.Header{"Traceparent": {parent}, "Tracestate": {state}}
		(&Server{}).trace(t.Context(), asked, current)
		trace := current.trace
		require.Regexp(t, traceparentPattern, trace.Traceparent)
		require.Len(t, trace.TraceID(), 32)
		require.LessOrEqual(t, len(trace.Tracestate), maxTracestate)
		if trace.Traceparent != parent {
			require.Empty(t, trace.Tracestate, "the state belongs to an invalid trace")
		}
	})
}

// FuzzTexts_RoundTrip reads any text as a time and as binary data: a valid value is written with the same meaning.
func FuzzTexts_RoundTrip(f *testing.F) {
	for _, seed := range []string{
		"", "AAAA", "AA==", "AA=", "A\nAAA", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00.1234567+01:00",
		"0000-01-01T00:00:00+23:59", "9999-12-31T23:59:60Z", "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var bytes, bytesAgain Bytes
		if err := bytes.UnmarshalText([]byte(text)); err == nil {
			written, err := bytes.MarshalText()
			require.NoError(t, err)
			require.Equal(t, strings.TrimRight(text, "="), strings.TrimRight(string(written), "="), "padding may be left out")
			require.NoError(t, bytesAgain.UnmarshalText(written))
		} else {
			require.True(t, utf8.ValidString(err.Error()) || !utf8.ValidString(text))
		}
		var instant, instantAgain Timestamp
		if instant.UnmarshalText([]byte(text)) == nil {
			require.NoError(t, instantAgain.UnmarshalText([]byte(instant.String())), instant.String())
			require.True(t, time.Time(instant).Equal(time.Time(instantAgain)), "%q is %s", text, instant)
		}
	})
}
