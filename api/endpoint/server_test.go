package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// tokens authenticates by the token's text.
type tokens struct{}

func (tokens) Authenticate(_ context.Context, token string) (auth.Claims, error) {
	switch token {
	case "":
		return auth.Claims{}, nil
	case "unknown":
		return auth.Claims{}, fault.PermissionDenied.New("unknown user")
	case "admin":
		admin := []ledger.Right{{Kind: ledger.ParticipantAdmin}}
		return auth.NewClaims(ledger.User{ID: "admin"}, admin), nil
	default:
		return auth.NewClaims(ledger.User{ID: token}, nil), nil
	}
}

type failure struct {
	Code  string `json:"code"`
	Trace string `json:"trace"`
}

func encodeFailure(ctx context.Context, err error) (int, any) {
	refusal := fault.From(err)
	return refusal.HTTP(), failure{Code: refusal.Code, Trace: endpoint.Trace(ctx).TraceID()}
}

type echoBody struct {
	endpoint.Strict

	Text string `json:"text" required:"true"`
}

type echoRequest struct {
	ID    string   `path:"id"`
	Count int64    `query:"count" alias:"number n"`
	Maybe *int32   `query:"maybe"`
	Flag  bool     `query:"flag"`
	List  []string `query:"list"`
	Body  echoBody `body:"json"`
}

type echoResponse struct {
	ID    string   `json:"id"`
	Count int64    `json:"count"`
	Maybe *int32   `json:"maybe"`
	Flag  bool     `json:"flag"`
	List  []string `json:"list"`
	Text  string   `json:"text"`
	User  string   `json:"user"`
}

func echo(ctx context.Context, req echoRequest) (echoResponse, error) {
	return echoResponse{
		req.ID, req.Count, req.Maybe, req.Flag, req.List, req.Body.Text, endpoint.Claims(ctx).UserID(),
	}, nil
}

func info(method, path string, access endpoint.Access) endpoint.Info {
	return endpoint.Info{
		Method: method, Path: path, OperationID: path, Summary: "s", Tag: "t", Access: access, Rights: "r",
	}
}

type optionalBody struct {
	Text string `json:"text"`
}

// serve answers one request on a server with a few endpoints, and returns the log as well.
func serve(t *testing.T, r *http.Request) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	var log bytes.Buffer
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: jsonLog(&log), Now: time.Now,
		MaxBodyBytes: 64, RequestTimeout: 50 * time.Millisecond,
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(server.Observe, endpoint.CollapseSlashes, server.Limit)
	router.NotFound(server.NotFound)
	router.MethodNotAllowed(server.MethodNotAllowed)
	nothing := func(context.Context, endpoint.NoRequest) (endpoint.Empty, error) { return endpoint.Empty{}, nil }
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
		endpoint.New(info(http.MethodPost, "/echo/{id}", endpoint.ByRequest), echo),
		endpoint.New(info(http.MethodGet, "/open", endpoint.Open), nothing),
		endpoint.New(info(http.MethodGet, "/public", endpoint.Public), nothing),
		endpoint.New(info(http.MethodGet, "/admin", endpoint.Admin), nothing),
		endpoint.New(info(http.MethodPost, "/optional", endpoint.Open), func(
			_ context.Context, req struct {
				Body optionalBody `body:"json"`
			},
		) (optionalBody, error) {
			return req.Body, nil
		}),
		endpoint.New(info(http.MethodGet, "/panic", endpoint.Open), func(
			context.Context, endpoint.NoRequest,
		) (endpoint.Empty, error) {
			panic("at the disco")
		}),
		endpoint.New(info(http.MethodGet, "/broken", endpoint.Open), func(
			context.Context, endpoint.NoRequest,
		) (endpoint.Empty, error) {
			return endpoint.Empty{}, errors.New("disk on fire")
		}),
		endpoint.New(info(http.MethodGet, "/slow", endpoint.Open), func(
			ctx context.Context, _ endpoint.NoRequest,
		) (endpoint.Empty, error) {
			<-ctx.Done()
			return endpoint.Empty{}, ctx.Err()
		}),
		endpoint.New(info(http.MethodGet, "/slow-with-advice", endpoint.Open), func(
			ctx context.Context, _ endpoint.NoRequest,
		) (endpoint.Empty, error) {
			<-ctx.Done()
			return endpoint.Empty{}, &endpoint.TimeoutError{Advice: "Look there."}
		}),
		endpoint.New(info(http.MethodGet, "/text", endpoint.Open), func(
			context.Context, endpoint.NoRequest,
		) (endpoint.Content, error) {
			return endpoint.TextContent(http.StatusTeapot, "tea"), nil
		}),
	}))
	recorder := httptest.NewRecorder()
	router.ServeHTTP(recorder, r)
	var of []map[string]any
	for text := range strings.Lines(log.String()) {
		var line map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &line))
		if line["msg"] == "request" {
			of = append(of, line)
		}
	}
	require.Len(t, of, 1, "one line for each request: %s", log.String())
	return recorder, of[0]
}

func request(t *testing.T, method, target, token, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func TestServer_PassesParametersBodyAndCaller(t *testing.T) {
	t.Parallel()
	recorder, line := serve(t, request(t, http.MethodPost,
		"//echo/a%3A%3Ab%2Fc?number=7&maybe=-1&flag=true&list=x&list=y&unknown=1", "alice", `{"text":"hi"}`))
	require.Equal(t, http.StatusOK, recorder.Code)
	require.Equal(t, "application/json", recorder.Header().Get("Content-Type"))
	require.JSONEq(t, `{"id":"a::b/c","count":7,"maybe":-1,"flag":true,"list":["x","y"],"text":"hi","user":"alice"}`,
		recorder.Body.String())
	require.Equal(t, "/echo/{id}", line["pattern"])
	require.Equal(t, "POST", line["method"])
	require.InDelta(t, 200, line["status"], 0)
	require.Equal(t, "alice", line["user_id"])
	require.InDelta(t, recorder.Body.Len(), line["bytes"], 0)
	require.NotContains(t, line, "error")
	took, isNumber := line["duration_ms"].(float64)
	require.True(t, isNumber)
	require.Less(t, took, 60_000.0, "milliseconds, not nanoseconds")
}

func TestServer_DecodesPathParameterOnce(t *testing.T) {
	t.Parallel()
	for path, id := range map[string]string{
		"%2541": "%41", "%252Fx": "%2Fx", "%25zz": "%zz", "100%2560": "100%60", "a%2Fb%2541": "a/b%41", "a+b": "a+b",
		"%C3%A9": "é", "é": "é", "a%20b": "a b", "%3F%23": "?#",
	} {
		r := request(t, http.MethodPost, "/echo/x?number=7", "alice", `{"text":"hi"}`)
		target, err := url.Parse("/echo/" + path + "?number=7")
		require.NoError(t, err)
		r.URL = target
		recorder, _ := serve(t, r)
		require.Equal(t, http.StatusOK, recorder.Code, path)
		var echoed struct{ ID string }
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &echoed))
		require.Equal(t, id, echoed.ID, path)
	}
}

func TestServer_RefusesContentEncoding(t *testing.T) {
	t.Parallel()
	r := request(t, http.MethodPost, "/echo/x?number=7", "alice", "\x1f\x8b")
	r.Header.Set("Content-Encoding", "gzip")
	recorder, _ := serve(t, r)
	require.Equal(t, http.StatusUnsupportedMediaType, recorder.Code)
	require.Contains(t, recorder.Body.String(), "gzip")
}

func TestServer_RefusesUnreadableRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		target, token, body string
		status              int
		want                string
	}{
		"a query parameter": {"/echo/a?count=x", "", `{}`, 400, "Invalid value for: query parameter count"},
		"an alias of one":   {"/echo/a?n=", "", `{}`, 400, "Invalid value for: query parameter count"},
		"too large":         {"/echo/a?maybe=3000000000", "", `{}`, 400, "Invalid value for: query parameter maybe"},
		"a flag":            {"/echo/a?flag=maybe", "", `{}`, 400, "Invalid value for: query parameter flag"},
		"the query":         {"/echo/a?count=%zz", "", `{}`, 400, "Invalid value for: query"},
		"an empty bearer":   {"/echo/a", " ", `{}`, 400, "Invalid value for: header Authorization"},
		"a body without token": {
			"/echo/a", "", `{}`, 400, "Invalid value for: body (Missing required field at 'text')",
		},
		"no body where one is needed": {
			"/echo/a", "", ``, 400, "Invalid value for: body (malformed JSON at byte 0: it ends too early)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorder, line := serve(t, request(t, http.MethodPost, test.target, test.token, test.body))
			require.Equal(t, test.status, recorder.Code)
			require.Equal(t, "text/plain; charset=UTF-8", recorder.Header().Get("Content-Type"))
			require.Equal(t, test.want, recorder.Body.String())
			require.Equal(t, test.want, line["error"])
		})
	}
	t.Run("two tokens", func(t *testing.T) {
		t.Parallel()
		twice := request(t, http.MethodPost, "/echo/a", "alice", `{}`)
		twice.Header.Add("Authorization", "Bearer bob")
		recorder, _ := serve(t, twice)
		require.Equal(t, http.StatusBadRequest, recorder.Code)
		require.Equal(t, "Invalid value for: header Authorization (there are several Authorization headers; send one)",
			recorder.Body.String())
	})
	t.Run("the caller is found out before the body is read", func(t *testing.T) {
		t.Parallel()
		recorder, _ := serve(t, request(t, http.MethodPost, "/echo/a", "unknown", `{`))
		require.Equal(t, http.StatusForbidden, recorder.Code)
	})
}

func TestServer_ReadsEmptyBodyAsEmptyObject(t *testing.T) {
	t.Parallel()
	recorder, _ := serve(t, request(t, http.MethodPost, "/optional", "", ""))
	require.Equal(t, http.StatusOK, recorder.Code)
	require.JSONEq(t, `{"text":""}`, recorder.Body.String())
}

func TestServer_ChecksRights(t *testing.T) {
	t.Parallel()
	for path, statuses := range map[string]map[string]int{
		"/open":   {"": 200, "alice": 200, "admin": 200, "unknown": 403},
		"/public": {"": 401, "alice": 200, "admin": 200, "unknown": 403},
		"/admin":  {"": 401, "alice": 403, "admin": 200, "unknown": 403},
	} {
		for token, status := range statuses {
			recorder, _ := serve(t, request(t, http.MethodGet, path, token, ""))
			require.Equal(t, status, recorder.Code, "%s as %q", path, token)
		}
	}
}

func TestServer_RefusesBodyOverLimit(t *testing.T) {
	t.Parallel()
	large := `{"text":"` + strings.Repeat("x", 64) + `"}`
	t.Run("of known length are refused before anything else", func(t *testing.T) {
		t.Parallel()
		recorder, _ := serve(t, request(t, http.MethodPost, "/nowhere", "unknown", large))
		require.Equal(t, http.StatusRequestEntityTooLarge, recorder.Code)
		require.Contains(t, recorder.Body.String(), "size (75) exceeded size limit (64 bytes)")
	})
	t.Run("of unknown length are refused when they turn out to be", func(t *testing.T) {
		t.Parallel()
		r := request(t, http.MethodPost, "/echo/a", "alice", "")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(large)), -1
		recorder, _ := serve(t, r)
		require.Equal(t, http.StatusRequestEntityTooLarge, recorder.Code)
		require.Contains(t, recorder.Body.String(), "exceeded size limit (64 bytes)")
	})
	t.Run("that break off are not read", func(t *testing.T) {
		t.Parallel()
		r := request(t, http.MethodPost, "/echo/a", "alice", "")
		r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("{"), brokenReader{})), -1
		recorder, _ := serve(t, r)
		require.Equal(t, http.StatusBadRequest, recorder.Code)
		require.Equal(t, "Invalid value for: body (the body ended too early)", recorder.Body.String())
	})
}

// jsonLog is a log with all lines.
func jsonLog(to io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestServer_LogsButHidesInternalErrors(t *testing.T) {
	t.Parallel()
	for path, cause := range map[string]string{"/panic": "at the disco", "/broken": "disk on fire"} {
		recorder, line := serve(t, request(t, http.MethodGet, path, "", ""))
		require.Equal(t, http.StatusInternalServerError, recorder.Code)
		require.NotContains(t, recorder.Body.String(), cause)
		require.Equal(t, "ERROR", line["level"])
		require.Contains(t, fmt.Sprint(line["error"], line["cause"]), cause)
	}
}

func TestServer_EndsRequestAtTimeout(t *testing.T) {
	t.Parallel()
	const engine = "The server was not able to produce a timely response to your request.\r\n"
	for path, want := range map[string]string{"/slow": engine, "/slow-with-advice": engine + "Look there.\r\n"} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		recorder, _ := serve(t, request(t, http.MethodGet, path, "", "").WithContext(ctx))
		require.NoError(t, ctx.Err(), "it was the server that gave up")
		require.Equal(t, http.StatusServiceUnavailable, recorder.Code)
		require.Equal(t, want, recorder.Body.String())
	}
}

func TestServer_LogsClientDisconnectAs499(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, line := serve(t, request(t, http.MethodGet, "/slow", "", "").WithContext(ctx))
	require.InDelta(t, 499, line["status"], 0)
	require.Equal(t, "DEBUG", line["level"])
}

func TestServer_RefusesUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	recorder, _ := serve(t, request(t, http.MethodGet, "/nope?x=1", "", ""))
	require.Equal(t, http.StatusNotFound, recorder.Code)
	require.JSONEq(t, `{"errors":["HttpMethod(GET), uri: http://example.com/nope"],"status":404,"ledgerApiError":null}`,
		recorder.Body.String())

	recorder, _ = serve(t, request(t, http.MethodDelete, "/open", "", ""))
	require.Equal(t, http.StatusMethodNotAllowed, recorder.Code)
	require.Equal(t, "Method Not Allowed", recorder.Body.String())
	require.Equal(t, []string{"GET"}, recorder.Header().Values("Allow"))
}

func TestServer_SendsContentOtherThanJSON(t *testing.T) {
	t.Parallel()
	recorder, _ := serve(t, request(t, http.MethodGet, "/text", "", ""))
	require.Equal(t, http.StatusTeapot, recorder.Code)
	require.Equal(t, "tea", recorder.Body.String())
}

func TestServer_KeepsValidTraceContext(t *testing.T) {
	t.Parallel()
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, test := range map[string]struct {
		parent string
		kept   bool
	}{
		"the client's":       {parent, true},
		"none":               {"", false},
		"malformed":          {"00-xyz-1-01", false},
		"of zeros":           {"00-00000000000000000000000000000000-b7ad6b7169203331-01", false},
		"with a span of 0":   {"00-" + trace + "-0000000000000000-01", false},
		"of version 255":     {"ff" + parent[2:], false},
		"in capital letters": {strings.ToUpper(parent), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(t, http.MethodGet, "/public", "", "")
			r.Header.Set("Traceparent", test.parent)
			recorder, line := serve(t, r)
			var body failure
			require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &body))
			require.Regexp(t, `^[0-9a-f]{32}$`, body.Trace)
			require.Equal(t, test.kept, body.Trace == trace)
			require.Equal(t, body.Trace, line["trace_id"])
		})
	}
}

func TestServer_SetsSecurityHeaders(t *testing.T) {
	t.Parallel()
	recorder, _ := serve(t, request(t, http.MethodGet, "/open", "", ""))
	require.Equal(t, "nosniff", recorder.Header().Get("X-Content-Type-Options"))
	require.Equal(t, "no-store", recorder.Header().Get("Cache-Control"))
	require.Contains(t, recorder.Header().Get("Content-Security-Policy"), "default-src 'none'")
}

func TestMount_RefusesIncompleteEndpoints(t *testing.T) {
	t.Parallel()
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	named := info(http.MethodGet, "/x", endpoint.Open)
	unnamed := named
	unnamed.OperationID = ""
	odd := named
	odd.Method = "FETCH"
	for want, e := range map[string]endpoint.Endpoint{
		"was not made with New": {Info: named},
		"lacks an operation id": endpoint.New(unnamed, echo),
		"unknown method":        endpoint.New(odd, echo),
		"is not a struct":       endpoint.New(named, badRequestType),
		"neither path, query":   endpoint.New(named, badField),
		"cannot be a parameter": endpoint.New(named, badParameter),
		"has no JSON form":      endpoint.New(named, badBody),
	} {
		require.ErrorContains(t, server.Mount(chi.NewRouter(), []endpoint.Endpoint{e}), want)
	}
	_, err = endpoint.NewServer(endpoint.Options{})
	require.ErrorContains(t, err, "a server needs")
}

func badParameter(context.Context, struct {
	A map[string]string `query:"a"`
},
) (endpoint.Empty, error) {
	return endpoint.Empty{}, nil
}

func badBody(context.Context, struct {
	Body struct {
		A float32 `json:"a"`
	} `body:"json"`
},
) (endpoint.Empty, error) {
	return endpoint.Empty{}, nil
}

func badRequestType(context.Context, string) (endpoint.Empty, error) { return endpoint.Empty{}, nil }

func badField(context.Context, struct{ A string }) (endpoint.Empty, error) {
	return endpoint.Empty{}, nil
}
