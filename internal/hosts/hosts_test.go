package hosts_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/hosts"
)

func TestNames_ServeOnlyListedHosts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		list    []string
		listen  string
		served  []string
		refused []string
	}{
		"on this machine": {
			listen: "127.0.0.1:8233",
			served: []string{
				"127.0.0.1:8233", "127.0.0.1", "localhost", "localhost:1", "LocalHost:8233", "wallet.localhost", "[::1]:8233",
				"[::1]", "127.0.0.2", "localhost.",
			},
			refused: []string{
				"", "evil.example", "evil.example:8233", "localhost.evil.example", "evillocalhost", "10.0.0.1", "127.0.0.1.evil",
				"localhost@evil.example", "[::2]", "0.0.0.0:8233", "127.1", "2130706433", "evil.example.",
			},
		},
		"on one address": {
			listen: "10.0.0.7:80", served: []string{"10.0.0.7", "10.0.0.7:80", "localhost"},
			refused: []string{"10.0.0.8", "node.example"},
		},
		"on every address": {
			listen: "0.0.0.0:80", served: []string{"10.0.0.7", "[fe80::1]:80"}, refused: []string{"node.example"},
		},
		"on every address, in short": {listen: ":80", served: []string{"10.0.0.7"}, refused: []string{"node.example"}},
		"on a name": {
			listen: "node.example:80", served: []string{"node.example"}, refused: []string{"10.0.0.7"},
		},
		"on a loopback address of v6": {
			listen: "[::1]:80", served: []string{"[::1]:80", "127.0.0.1"}, refused: []string{"[::2]"},
		},
		"under further names": {
			list: []string{" Node.Example", "", "10.1.1.1"}, listen: "127.0.0.1:80",
			served:  []string{"node.example", "NODE.example:80", "10.1.1.1"},
			refused: []string{"other.example", "x.node.example"},
		},
		"under every name": {list: []string{"*"}, listen: "127.0.0.1:80", served: []string{"evil.example", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names, err := hosts.Parse(test.list, test.listen)
			require.NoError(t, err)
			for _, host := range test.served {
				require.True(t, names.Serve(host), host)
			}
			for _, host := range test.refused {
				require.False(t, names.Serve(host), host)
			}
		})
	}
	require.True(t, hosts.Names{}.Serve("any.example"), "the zero value allows every name")
	for _, wrong := range []string{"http://node.example", "node.example:80", "*.example", "a b"} {
		_, err := hosts.Parse([]string{wrong}, "127.0.0.1:80")
		require.ErrorContains(t, err, "is not a host name")
	}
	_, err := hosts.Parse(nil, "127.0.0.1")
	require.ErrorContains(t, err, "not an address to listen on")
}

func TestGuardPages_RefusesChangesFromOtherPages(t *testing.T) {
	t.Parallel()
	names, err := hosts.Parse(nil, "127.0.0.1:8233")
	require.NoError(t, err)
	server := names.GuardPages(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}), "--names")
	const host = "127.0.0.1:8233"
	for name, test := range map[string]struct {
		method, host string
		header       map[string]string
		status       int
	}{
		"a page is loaded":        {http.MethodGet, host, map[string]string{"Sec-Fetch-Site": "cross-site"}, 204},
		"no page":                 {http.MethodPost, host, nil, 204},
		"its own page":            {http.MethodPost, host, map[string]string{"Sec-Fetch-Site": "same-origin"}, 204},
		"its own page, by origin": {http.MethodPost, host, map[string]string{"Origin": "http://127.0.0.1:8233"}, 204},
		"another page":            {http.MethodPost, host, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"another port":            {http.MethodPost, host, map[string]string{"Origin": "http://127.0.0.1:3000"}, 403},
		"another origin":          {http.MethodPut, host, map[string]string{"Origin": "https://evil.example"}, 403},
		"no origin":               {http.MethodDelete, host, map[string]string{"Origin": "null"}, 403},
		"a name that leads here": {
			http.MethodPost, "evil.example:8233", map[string]string{
				"Origin": "http://evil.example:8233", "Sec-Fetch-Site": "same-origin",
			}, 421,
		},
		"reading under such a name": {http.MethodGet, "evil.example:8233", nil, 421},
		"asking under such a name":  {http.MethodOptions, "evil.example:8233", nil, 421},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequest(test.method, "/x", http.NoBody)
			request.Host = test.host
			for key, value := range test.header {
				request.Header.Set(key, value)
			}
			answer := httptest.NewRecorder()
			server.ServeHTTP(answer, request)
			require.Equal(t, test.status, answer.Code)
			if test.status == http.StatusMisdirectedRequest {
				require.Contains(t, answer.Body.String(), "--names")
			}
		})
	}
}
