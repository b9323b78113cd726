package endpoint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
)

// What open streams were asked counts for as long as they are open: beyond 4 KiB of each, for each user and in all, and
// not as long bodies of other requests do.
func TestStreams_LimitMemoryOfRequestsPerUser(t *testing.T) {
	t.Parallel()
	s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{
		BodyMemory: 200 << 10, UserBodyMemory: 100 << 10,
	})
	asked := func(kib int) string {
		return `{"upTo":1,"then":"wait","padding":"` + strings.Repeat("x", kib<<10) + `"}`
	}
	first := s.open("greedy", asked(60))
	first.next()
	s.open("greedy", asked(60)).fails("SERVER_OVERLOADED")
	s.open("greedy", asked(3)).next() // short ones do not count
	s.open("modest", asked(60)).next()
	require.NoError(t, first.CloseNow())
	given := func() bool { return strings.Contains(s.open("greedy", asked(60)).next(), `"number":1`) }
	for deadline := time.Now().Add(patience); !given(); {
		require.True(t, time.Now().Before(deadline), "it is given back when the stream has gone")
	}
}
