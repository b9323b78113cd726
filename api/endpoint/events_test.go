package endpoint_test

import (
	"bufio"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/endpoint"
)

func TestEvents_PingWhileNothingHappens(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{PingInterval: 2 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/first", nil)
	require.NoError(t, err)
	request.Header = bearer("alice")
	request.Header.Set("Accept", endpoint.EventsType)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for _, want := range []string{`data: {"number":1,"padding":"","missing":null}`, "", "event: ping", "data:", "", "event: ping", "data:", ""} {
		require.True(t, lines.Scan(), lines.Err())
		require.Equal(t, want, lines.Text())
	}
}
