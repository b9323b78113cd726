package endpoint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
)

// The request of a stream counts while the stream is open: above 4 KiB each, for each user and in all, and separately
// from bodies of other requests.
func TestStreams_LimitMemoryOfRequestsPerUser(t *testing.T) {
	t.Parallel()
	s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{
		BodyMemory: 200 << 10, UserBodyMemory: 100 << 10,
	})
	requestOf := func(kib int) string {
		return `{"upTo":1,"then":"wait","padding":"` + strings.Repeat("x", kib<<10) + `"}`
	}
	first := s.open("greedy", requestOf(60))
	first.next()
	s.open("greedy", requestOf(60)).fails("SERVER_OVERLOADED")
	s.open("greedy", requestOf(3)).next() // short ones do not count
	s.open("modest", requestOf(60)).next()
	require.NoError(t, first.CloseNow())
	given := func() bool { return strings.Contains(s.open("greedy", requestOf(60)).next(), `"number":1`) }
	for deadline := time.Now().Add(patience); !given(); {
		require.True(t, time.Now().Before(deadline), "the bytes are free after the stream")
	}
}
