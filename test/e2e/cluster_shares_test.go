//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// awaitAPIs waits until an API knows the number of APIs.
func awaitAPIs(t *testing.T, at endpoint, count int) {
	t.Helper()
	await(t, "the API knows of the others", func() error {
		if _, text := page(t, at, "/metrics"); !strings.Contains(text, fmt.Sprintf("\nflorin_api_processes %d\n", count)) {
			return errNotYet
		}
		return nil
	})
}

// holdStream opens a stream of a user and keeps it open, or returns the node's refusal.
func (a account) holdStream(t *testing.T, at endpoint) (refusal string, end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	conn, _, err := websocket.Dial(ctx, at.url+"/v2/commands/completions", &websocket.DialOptions{Subprotocols: []string{
		"jwt.token." + client.Token(secret, audience, a.user), "daml.ws.auth",
	}})
	require.NoError(t, err)
	end = func() { cancel(); _ = conn.CloseNow() }
	t.Cleanup(end)
	// Existing elements come at once.
	require.NoError(t, conn.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"parties":[%q],"beginExclusive":0}`,
		a.parties[0])))
	_, said, err := conn.Read(ctx)
	require.NoError(t, err)
	if strings.Contains(string(said), "MAXIMUM_NUMBER_OF_STREAMS") {
		return string(said), end
	}
	require.Contains(t, string(said), "ompletion")
	go func() { // the node disconnects a client that reads nothing
		for err == nil {
			_, _, err = conn.Read(ctx)
		}
	}()
	return "", end
}

// The limits of a user do not depend on the API, nor on the number of APIs.
func TestCluster_SharesAndReloadsUserLimits(t *testing.T) {
	t.Parallel()
	i := install(t)
	file := filepath.Join(t.TempDir(), "settings")
	write(t, file, "FLORIN_MAX_USER_STREAMS=4\n")
	first := serve(t, "serve", i, "--settings-file", file, "--log-level", "info")
	alice := newAccount(t, first.endpoint, findDSO(t, first.endpoint), "alice", "alice")
	coin, err := first.admin().FindCoin(t.Context(), findDSO(t, first.endpoint))
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "first", 1))
	require.NoError(t, err)
	second := serve(t, "api", i, "--settings-file", file)
	awaitAPIs(t, first.endpoint, 2)
	awaitAPIs(t, second.endpoint, 2)
	for _, at := range []endpoint{first.endpoint, second.endpoint} {
		for range 2 {
			refusal, _ := alice.holdStream(t, at)
			require.Empty(t, refusal)
		}
		refusal, end := alice.holdStream(t, at)
		require.Contains(t, refusal, "open streams: 2 (this process's share: 4 divided by 2 processes)")
		end()
	}

	second.interrupt(t)
	awaitAPIs(t, first.endpoint, 1)
	for range 2 {
		refusal, _ := alice.holdStream(t, first.endpoint)
		require.Empty(t, refusal)
	}
	refusal, end := alice.holdStream(t, first.endpoint)
	require.Contains(t, refusal, "open streams: 4.")
	end()

	// Higher limits need no restart; the log names settings that need one.
	write(t, file, "FLORIN_MAX_USER_STREAMS=5\nFLORIN_MAX_BODY=77777\n")
	require.Contains(t, first.hangup(t)["what"], "limits")
	said := first.awaitLogged(t, "restart the process to apply changed settings")
	require.Equal(t, "--max-body", said["settings"])
	refusal, _ = alice.holdStream(t, first.endpoint)
	require.Empty(t, refusal)
	write(t, file, "FLORIN_MAX_USER_STREAMS=6\n")
	require.Contains(t, first.hangup(t)["what"], "limits")
	refusal, _ = alice.holdStream(t, first.endpoint)
	require.Empty(t, refusal)
	write(t, file, "FLORIN_MAX_USER_STREAMS=0\n")
	require.NotContains(t, first.hangup(t)["what"], "limits", "an invalid value changes nothing")
}
