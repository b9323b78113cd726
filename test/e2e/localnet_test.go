//go:build long

package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// localnetPorts are the ports of tools for LocalNet.
var localnetPorts = []int{2000, 2903, 2975, 3000, 3903, 3975, 4000, 4903, 4975, 5012}

// freeOffset finds an offset at which all of LocalNet's ports are free.
func freeOffset(t *testing.T) int {
	t.Helper()
	for offset := 6_000; offset < 16_000; offset += 701 { // below the ports of other tests
		free := true
		for _, port := range localnetPorts {
			listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(port+offset))
			if free = err == nil; !free {
				break
			}
			require.NoError(t, listener.Close())
		}
		if free {
			return offset
		}
	}
	require.Fail(t, "no free ports")
	return 0
}

// tools sends requests like tools for LocalNet.
type tools struct {
	t      *testing.T
	offset int
}

// get sends a request of one of LocalNet's users. The host name is that of a service in LocalNet's web server.
func (l tools) get(host string, port int, path, user string, into any) {
	l.t.Helper()
	url := fmt.Sprintf("http://127.0.0.1:%d%s", port+l.offset, path)
	request, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, url, nil)
	require.NoError(l.t, err)
	request.Host = host + ":" + strconv.Itoa(port+l.offset)
	if user != "" {
		token := client.Token("unsafe", "https://canton.network.global", user)
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(l.t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(l.t, err)
	require.NoError(l.t, response.Body.Close())
	require.Equal(l.t, http.StatusOK, response.StatusCode, "%s: %s", url, body)
	if into != nil {
		require.NoError(l.t, json.Unmarshal(body, into), "%s: %s", url, body)
	}
}

func TestLocalnet_ListensOnItsPorts(t *testing.T) {
	t.Parallel()
	offset := freeOffset(t)
	flags := []string{"--localnet", "--localnet-offset", strconv.Itoa(offset)}
	n := up(t, dataDir(t), flags...)
	l := tools{t, offset}
	require.Contains(t, n.stdout.String(), fmt.Sprintf("http://localhost:%d", 2975+offset))

	for _, prefix := range []int{2000, 3000, 4000} {
		l.get("localhost", prefix+975, "/v2/version", "", nil)
		l.get("localhost", prefix+975, "/v2/state/ledger-end", "ledger-api-user", nil)
		l.get("localhost", prefix+903, "/api/validator/readyz", "", nil)
		l.get("localhost", prefix+903, "/api/validator/v0/validator-user", "", nil)
		for _, host := range []string{"wallet.localhost", "localhost"} {
			l.get(host, prefix, "/api/validator/v0/admin/users", "ledger-api-user", nil)
		}
		for _, host := range []string{"json-ledger-api.localhost", "canton.localhost"} {
			l.get(host, prefix, "/v2/version", "", nil)
		}
	}
	l.get("scan.localhost", 4000, "/api/scan/v0/dso-party-id", "", nil)
	l.get("scan.localhost", 4000, "/api/scan/readyz", "", nil)
	l.get("scan.localhost", 4000, "/registry/metadata/v1/info", "", nil)
	l.get("localhost", 5012, "/registry/metadata/v1/info", "", nil)

	var users struct{ Usernames []string }
	l.get("wallet.localhost", 2000, "/api/validator/v0/admin/users", "ledger-api-user", &users)
	require.ElementsMatch(t, []string{"app-user", "app-provider", "sv"}, users.Usernames)
	for _, user := range users.Usernames {
		l.get("wallet.localhost", 2000, "/api/validator/v0/wallet/balance", user, nil)
		var answer struct {
			User struct{ PrimaryParty string }
		}
		l.get("localhost", 2975, "/v2/users/"+user, user, &answer)
		hint, _, _ := strings.Cut(answer.User.PrimaryParty, "::")
		require.Equal(t, map[string]string{
			"app-user": "app_user_localnet-localparty-1", "app-provider": "app_provider_localnet-localparty-1", "sv": "sv",
		}[user], hint)
	}

	second := run(t, nil, upArguments(dataDir(t), flags...)...)
	require.Equal(t, 1, second.exitCode(t))
	require.Contains(t, second.stderr.String(),
		fmt.Sprintf("127.0.0.1:%d (the JSON Ledger API of the app user in LocalNet) "+
			"is in use by another program", 2975+offset))
	third := run(t, nil, upArguments(dataDir(t), "--localnet", "--localnet-offset", "65000")...)
	require.Contains(t, third.stderr.String(),
		"--localnet-offset=65000: 67975 is not a port (LocalNet's port 2975 plus the offset)")

	n.interrupt(t)
	again := up(t, n.dir, flags...)
	l.get("wallet.localhost", 2000, "/api/validator/v0/wallet/balance", "app-provider", nil)
	again.interrupt(t)
}
