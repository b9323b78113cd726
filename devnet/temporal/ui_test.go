package temporal

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"

	"github.com/florinledger/florin/internal/hosts"
)

// The requests are those of a page with a foreign host name that resolves to this machine, and of another origin.
func TestUI_RefusesForeignHostsAndOrigins(t *testing.T) {
	t.Parallel()
	names, err := hosts.Parse([]string{"box.example"}, "127.0.0.1:8233")
	require.NoError(t, err)
	ui, err := uiHandler(&uiconfig.Config{
		TemporalGRPCAddress: "127.0.0.1:1", Host: "127.0.0.1", Port: 8233, EnableUI: true, DefaultNamespace: "default",
		CORS: uiconfig.CORS{CookieInsecure: true}, HideLogs: true,
	}, names)
	require.NoError(t, err)
	ask := func(method, path, host string, header map[string]string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(method, path, http.NoBody)
		request.Host = host
		for key, value := range header {
			request.Header.Set(key, value)
		}
		answer := httptest.NewRecorder()
		ui.ServeHTTP(answer, request)
		return answer
	}
	const workflows = "/api/v1/namespaces/default/workflows/forged"
	for _, path := range []string{
		"/", "/healthz", "/render", "/_app/version.json", "/api/v1/settings", "/api/v1/namespaces", workflows, "/nothing",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions, http.MethodHead} {
			answer := ask(method, path, "evil.example:8233", map[string]string{
				"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example:8233",
			})
			require.Equal(t, http.StatusMisdirectedRequest, answer.Code, "%s %s", method, path)
		}
		answer := ask(http.MethodPost, path, "127.0.0.1:8233", map[string]string{"Origin": "http://evil.example"})
		require.Equal(t, http.StatusForbidden, answer.Code, path)
	}
	for _, host := range []string{"127.0.0.1:8233", "localhost:8233", "box.example"} {
		require.Equal(t, http.StatusOK, ask(http.MethodGet, "/healthz", host, nil).Code, host)
		answer := ask(http.MethodGet, "/", host, nil)
		require.Equal(t, http.StatusOK, answer.Code, host)
		require.Contains(t, answer.Body.String(), "<html")
		// the page's own token passes; the error is that of the missing frontend
		cookie := answer.Result().Cookies()[0]
		answer = ask(http.MethodPost, workflows, host, map[string]string{
			"Sec-Fetch-Site": "same-origin", "X-CSRF-Token": cookie.Value, "Cookie": cookie.Name + "=" + cookie.Value,
		})
		require.Equal(t, http.StatusServiceUnavailable, answer.Code, answer.Body.String())
	}
}
