//go:build long

package e2e_test

import (
	"context"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// signed makes a token.
func signed(t *testing.T, method jwt.SigningMethod, key any, change jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{"sub": adminUser, "aud": audience, "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(claims, change)
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	require.NoError(t, err)
	return token
}

// TestLog_HasNoSecrets runs a node with the most detailed log, sends valid and hostile tokens in every possible way,
// and then looks for each token and its parts in the log.
func TestLog_HasNoSecrets(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--log-level", "debug", "--auth-secret", particular)
	good := signed(t, jwt.SigningMethodHS256, []byte(particular), nil)
	tokens := map[string]string{
		"good":             good,
		"of nobody":        signed(t, jwt.SigningMethodHS256, []byte(particular), jwt.MapClaims{"sub": "nobody-here"}),
		"over":             signed(t, jwt.SigningMethodHS256, []byte(particular), jwt.MapClaims{"exp": 1}),
		"for another node": signed(t, jwt.SigningMethodHS256, []byte(particular), jwt.MapClaims{"aud": "elsewhere"}),
		"with a bad name":  signed(t, jwt.SigningMethodHS256, []byte(particular), jwt.MapClaims{"sub": "no body"}),
		"forged":           signed(t, jwt.SigningMethodHS256, []byte("guessed"), nil),
		"unsigned":         signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
		"of many parts":    good + "." + good,
		"that is none":     "Zm9yZ2VkLXRva2VuLW5vYm9keS1rbm93cw",
		"far too long":     good + strings.Repeat("x", 17_000),
	}
	for name, token := range tokens {
		for _, request := range []struct {
			path, query string
			header      http.Header
		}{
			{path: "/v2/users", header: http.Header{"Authorization": {"Bearer " + token}}},
			{path: "/v0/wallet/balance", header: http.Header{"Authorization": {"bearer " + token}}},
			{path: "/v2/users", header: http.Header{"Sec-Websocket-Protocol": {"jwt.token." + token + ",daml.ws.auth"}}},
			{path: "/v2/users", header: http.Header{"Authorization": {"Basic " + token}}},
			{path: "/v2/users", query: "?access_token=" + url.QueryEscape(token)},
		} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.url+request.path+request.query, nil)
			require.NoError(t, err)
			r.Header = request.header
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err, name)
			require.NoError(t, response.Body.Close())
		}
		openStream(t, n.url, token)
	}
	n.interrupt(t)

	logs := []string{n.stderr.String()}
	for _, name := range []string{"florin.log", "temporal.log", "postgres.log"} {
		content, err := os.ReadFile(filepath.Join(n.dir, name))
		require.NoError(t, err)
		logs = append(logs, string(content))
	}
	logged := strings.Join(logs, "\n")
	require.Contains(t, logged, `"pattern":"/v2/users"`, "requests are logged")
	require.Contains(t, logged, `"user_id":"`+adminUser+`"`)
	require.NotContains(t, logged, particular)
	require.NotContains(t, logged, base64.StdEncoding.EncodeToString([]byte(particular)))
	database, err := url.Parse(n.info.DatabaseURL)
	require.NoError(t, err)
	password, ok := database.User.Password()
	require.True(t, ok)
	require.NotContains(t, logged, password, "the database's password")
	for name, token := range tokens {
		parts := strings.Split(token, ".")
		signature := parts[len(parts)-1]
		require.NotContains(t, logged, token, name)
		if len(signature) > 20 {
			require.NotContains(t, logged, signature, "the signature of a token %s", name)
		}
		if len(parts) > 1 {
			require.NotContains(t, logged, parts[1], "the claims of a token %s", name)
		}
	}
}

// openStream opens a stream with the token and lets it end.
func openStream(t *testing.T, base, token string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, base+"/v2/updates", &websocket.DialOptions{
		Subprotocols: []string{"jwt.token." + token, "daml.ws.auth"},
	})
	if err != nil { // the node refuses unknown users and long headers before the upgrade
		return
	}
	defer func() { _ = conn.CloseNow() }()
	require.NoError(t, conn.Write(ctx, websocket.MessageText, []byte(`{"beginExclusive":0,"endInclusive":0}`)))
	_, _, _ = conn.Read(ctx)
}
