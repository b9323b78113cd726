package api_test

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// The tests of this file send HTTP like load balancers, health checks and generated clients.

type rawAnswer struct {
	status int
	header http.Header
}

// sendRaw sends the bytes of a request, and returns the answers.
func sendRaw(t *testing.T, address, method, request string) []rawAnswer {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer func() { _ = connection.Close() }()
	require.NoError(t, connection.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(connection, method+" "+request)
	require.NoError(t, err)
	var answers []rawAnswer
	reader := bufio.NewReader(connection)
	for {
		answer, err := http.ReadResponse(reader, &http.Request{Method: method})
		require.NoError(t, err)
		answers = append(answers, rawAnswer{answer.StatusCode, answer.Header})
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, errors.Join(err, answer.Body.Close()))
		if answer.StatusCode != http.StatusContinue {
			return answers
		}
	}
}

// The test sends HEAD to every GET path of every document.
//
// contract: http-head
func TestHTTP_HeadAnswersLikeGetWithoutBody(t *testing.T) {
	t.Parallel()
	coin := apitest.NewWithCoin(t, apitest.Options{})
	coin.OperatorWallet()
	coin.Onboard("alice")
	for path, user := range map[string]string{
		"/v2/version": "", "/v2/users": apitest.LedgerUser, "/v2/state/ledger-end": apitest.LedgerUser,
		"/v2/users/nobody": apitest.LedgerUser, "/v2/parties?pageSize=x": apitest.LedgerUser, "/livez": "", "/readyz": "",
		"/v0/wallet/balance": "alice", "/v0/wallet/user-status": "alice", "/v0/admin/users": "alice",
		"/api/scan/v0/dso-party-id": "", "/registry/metadata/v1/info": "", "/v0/scan-proxy/dso": "alice", "/version": "",
		"/nowhere": "", "/v0/nowhere": "",
	} {
		var header http.Header
		if user != "" {
			header = http.Header{"Authorization": {"Bearer " + apitest.Token(t, user)}}
		}
		get := coin.Send(http.MethodGet, path, header, nil)
		server := httptest.NewServer(coin.Handler)
		authorization := ""
		if user != "" {
			authorization = "Authorization: " + header.Get("Authorization") + "\r\n"
		}
		head := sendRaw(t, server.Listener.Addr().String(),
			http.MethodHead, path+" HTTP/1.1\r\nHost: node\r\n"+authorization+"Connection: close\r\n\r\n")[0]
		server.Close()
		require.Equal(t, get.Status, head.status, path)
		require.Equal(t, get.Header.Get("Content-Type"), head.header.Get("Content-Type"), path)
	}
}

// contract: http-paths
func TestHTTP_AcceptsEquivalentPaths(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.OperatorWallet()
	token := http.Header{"Authorization": {"Bearer " + apitest.Token(t, apitest.LedgerUser)}}
	party := string(s.Node.Operator)
	for path, same := range map[string][]string{
		"/v2/users": {"//v2/users", "///v2/users", "/v2/users/", "//v2/users/", "/v2/us%65rs", "/%76%32/users", "/v2/users?"},
		"/v2/users/" + apitest.LedgerUser: {
			"/v2/users/" + apitest.LedgerUser + "/", "/v2/users/ledger%2Dapi%2Duser", "/v2/users/%6cedger-api-user",
		},
		"/v2/parties/" + party: {
			"/v2/parties/" + strings.ReplaceAll(party, ":", "%3A"), "/v2/parties/" + strings.ReplaceAll(party, ":", "%3a") + "/",
		},
		"/livez":  {"/livez/", "//livez", "/liv%65z"},
		"/readyz": {"/readyz/"},
		"/v0/validator-user": {
			"//v0/validator-user", "/api/validator/v0/validator-user", "/api/validat%6Fr/v0/validator-user",
		},
		"/api/scan/v0/dso":                         {"//api/scan/v0/dso", "/api/scan/v0/ds%6f"},
		"/registry/metadata/v1/instruments/Amulet": {"/registry/metadata/v1/instruments/%41mulet"},
	} {
		want := s.Send(http.MethodGet, path, token, nil)
		require.Equal(t, http.StatusOK, want.Status, path)
		for _, other := range same {
			recorder := httptest.NewRecorder()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://node"+other, nil)
			request.Header = token.Clone()
			s.Handler.ServeHTTP(recorder, request)
			require.Equal(t, want.Status, recorder.Code, "%s: %s", other, recorder.Body)
			require.Equal(t, want.Text, recorder.Body.String(), other)
		}
	}
	for path, text := range map[string]string{
		"/v0/validator-user/":     `{"error":"The requested resource could not be found: /v0/validator-user/"}`,
		"/api/scan/v0/dso/":       `{"error":"The requested resource could not be found: /api/scan/v0/dso/"}`,
		"/v2//users":              `"ledgerApiError":null`,
		"/v2/users//":             `"ledgerApiError":null`,
		"/v2%2Fusers":             `"ledgerApiError":null`,
		"/v2/users/../parties":    `"ledgerApiError":null`,
		"/v2/users/%2e%2e/rights": "USER_NOT_FOUND",
	} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://node"+path, nil)
		request.Header = token.Clone()
		s.Handler.ServeHTTP(recorder, request)
		require.Equal(t, http.StatusNotFound, recorder.Code, "%s: %s", path, recorder.Body)
		require.Contains(t, recorder.Body.String(), text, path)
	}
}

// The test sends one body in every framing of HTTP.
//
// contract: http-bodies
func TestHTTP_AcceptsEveryBodyFraming(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	server := httptest.NewServer(s.Handler)
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	var zipped strings.Builder
	writer := gzip.NewWriter(&zipped)
	const body = `{"cached_amulet_rules_contract_id":"x"}`
	_, err := io.WriteString(writer, body)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	send := func(headers, body string) []rawAnswer {
		return sendRaw(t, address, http.MethodPost,
			"/api/scan/v0/amulet-rules HTTP/1.1\r\nHost: node\r\nConnection: close\r\n"+headers+"\r\n"+body)
	}
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	chunked := fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", 5, body[:5], len(body)-5, body[5:])
	for headers, test := range map[string]struct {
		body   string
		status []int
		form   string
	}{
		length: {body, []int{200}, "application/json"},
		length + "Content-Type: application/json; charset=utf-8\r\n": {body, []int{200}, "application/json"},
		length + "Content-Type: text/plain\r\n":                      {body, []int{200}, "application/json"},
		length + "Content-Type: nonsense\r\n":                        {body, []int{200}, "application/json"},
		length + "Accept: text/html\r\n":                             {body, []int{200}, "application/json"},
		length + "Accept: application/json;q=0\r\n":                  {body, []int{200}, "application/json"},
		length + "Accept-Encoding: gzip\r\n":                         {body, []int{200}, "application/json"},
		length + "Content-Encoding: identity\r\n":                    {body, []int{200}, "application/json"},
		length + "Expect: 100-continue\r\n":                          {body, []int{100, 200}, "application/json"},
		"Transfer-Encoding: chunked\r\n":                             {chunked, []int{200}, "application/json"},
		"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n":     {chunked, []int{100, 200}, "application/json"},
		"Content-Length: 0\r\n":                                      {"", []int{200}, "application/json"},
		length + "Expect: magic\r\n":                                 {body, []int{417}, ""},
		"Transfer-Encoding: gzip, chunked\r\n":                       {chunked, []int{501}, "text/plain; charset=utf-8"},
		fmt.Sprintf("Content-Length: %d\r\nContent-Encoding: gzip\r\n", zipped.Len()): {
			zipped.String(), []int{415}, "text/plain; charset=UTF-8",
		},
	} {
		var status []int
		answers := send(headers, test.body)
		for _, answer := range answers {
			status = append(status, answer.status)
		}
		require.Equal(t, test.status, status, headers)
		last := answers[len(answers)-1]
		require.Equal(t, test.form, last.header.Get("Content-Type"), headers)
		var coding string
		if strings.Contains(headers, "Accept-Encoding: gzip") {
			coding = "gzip"
		}
		require.Equal(t, coding, last.header.Get("Content-Encoding"), headers)
	}
}

// OPTIONS is refused unless it is a preflight of a browser.
func TestHTTP_OptionsIsRefusedLikeOtherMethods(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	for path, want := range map[string]struct {
		status int
		text   string
		allow  []string
	}{
		"/v2/users":          {405, "Method Not Allowed", []string{"GET", "POST"}},
		"/v2/users/":         {405, "Method Not Allowed", []string{"GET", "POST"}},
		"/v0/wallet/balance": {405, "HTTP method not allowed, supported methods: GET", []string{"GET"}},
		"/livez":             {405, "Method Not Allowed", []string{"GET"}},
		"/v2/nowhere":        {404, "HttpMethod(OPTIONS)", nil},
		"/v0/nowhere":        {404, "could not be found", nil},
		"*":                  {404, "HttpMethod(OPTIONS)", nil},
	} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "http://node/", nil)
		request.URL.Path = path
		s.Handler.ServeHTTP(recorder, request)
		require.Equal(t, want.status, recorder.Code, path)
		require.Contains(t, recorder.Body.String(), want.text, path)
		require.Equal(t, want.allow, recorder.Header().Values("Allow"), path)
	}
}
