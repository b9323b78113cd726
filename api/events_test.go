package api_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/test/apitest"
)

func TestEvents_NeedTheRightToRead(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Wallet("alice")
	s.Wallet("bob")
	server := httptest.NewServer(s.Handler)
	t.Cleanup(server.Close)
	ofAlice := "?" + url.Values{"parties": {string(alice.Party)}}.Encode()
	for name, test := range map[string]struct {
		user, query, accept string
		status              int
	}{
		"a party's reader":    {"alice", ofAlice, "text/event-stream", http.StatusOK},
		"no token":            {"", ofAlice, "text/event-stream", http.StatusUnauthorized},
		"another user":        {"bob", ofAlice, "text/event-stream", http.StatusForbidden},
		"of all parties":      {"alice", "", "text/event-stream", http.StatusForbidden},
		"an ordinary request": {"alice", ofAlice, "*/*", http.StatusNotAcceptable},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+ledgerapi.EventsPath+test.query, nil)
		require.NoError(t, err)
		request.Header.Set("Accept", test.accept)
		if test.user != "" {
			request.Header.Set("Authorization", "Bearer "+apitest.Token(t, test.user))
		}
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err, name)
		require.Equal(t, test.status, answer.StatusCode, name)
		if test.status == http.StatusOK {
			line, err := bufio.NewReader(answer.Body).ReadString('\n')
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(line, `data: {"offset":`), line)
			require.Equal(t, 1, s.Streams.Open(), "it is one of the user's streams")
		}
		require.NoError(t, answer.Body.Close())
		cancel()
	}
	s.Eventually(func() bool { return s.Streams.Open() == 0 }) // its client has left
}
