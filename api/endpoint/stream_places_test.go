package endpoint_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
)

func TestStreams_LimitTotal(t *testing.T) {
	t.Parallel()
	s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{Streams: 2})
	first, second := s.open("alice", `{"upTo":1,"then":"wait"}`), s.open("bob", `{"upTo":1,"then":"wait"}`)
	first.next()
	second.next()
	third, _, err := s.dial("/count", bearer("carol"))
	require.NoError(t, err)
	third.fails("MAXIMUM_NUMBER_OF_STREAMS")
	require.NoError(t, first.Close(websocket.StatusNormalClosure, ""))
	require.Eventually(t, func() bool { return s.streams.Open() == 1 }, patience, time.Millisecond)
	require.Contains(t, s.open("carol", `{"upTo":1}`).next(), `"number":1`)
	require.NotContains(t, s.log.String(), "went away", "clients leave endless streams")
}

// Refused streams take no place, however slowly their clients read the refusal.
func TestStreams_RefusedOnesUseNoPlace(t *testing.T) {
	t.Parallel()
	s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{Streams: 3, UserStreams: 1})
	s.open("greedy", `{"upTo":1,"then":"wait"}`).next()
	for range 16 { // they never answer the close
		_, _, err := s.dial("/count", bearer("greedy"))
		require.NoError(t, err)
	}
	_, response, err := s.dial("/count", bearer("greedy"))
	require.Error(t, err, "a further one is not even opened")
	require.Equal(t, http.StatusConflict, response.status)
	s.open("alice", `{"upTo":1,"then":"wait"}`).next()
	s.open("bob", `{"upTo":1,"then":"wait"}`).next()
}

func TestStreams_OpeningCountsForTheUserRate(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{
		UserRate: 0.5, Now: func() time.Time { return now },
	})
	_, _, err := s.dial("/count", bearer("alice"))
	require.NoError(t, err)
	_, response, err := s.dial("/count", bearer("alice"))
	require.Error(t, err)
	require.Equal(t, http.StatusTooManyRequests, response.status)
	_, _, err = s.dial("/count", bearer("bob"))
	require.NoError(t, err, "each user has a rate of its own")
}

func TestStreams_EndWhenRightsChange(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	waiting := `{"upTo":1,"then":"wait"}`
	open := map[string]client{}
	for _, user := range []string{"granted", "deleted", "renamed", "other"} {
		open[user] = s.open(user, waiting)
		open[user].next()
	}
	s.directory.set(func() {
		s.directory.rights["granted"] = []ledger.Right{{Kind: ledger.CanReadAsAnyParty}}
		s.directory.gone["deleted"] = true
	})
	for _, user := range []string{"granted", "deleted", "renamed"} {
		s.streams.UserChanged(user)
	}
	open["granted"].fails("STALE_STREAM_AUTHORIZATION")
	open["deleted"].fails("STALE_STREAM_AUTHORIZATION")
	require.Eventually(t, func() bool { return s.streams.Open() == 2 }, patience, time.Millisecond)

	s.directory.set(func() { s.directory.gone["other"] = true })
	s.streams.UserChanged("")
	open["other"].fails("STALE_STREAM_AUTHORIZATION")
	require.Eventually(t, func() bool { return s.streams.Open() == 1 }, patience, time.Millisecond)

	s.directory.set(func() {
		s.directory.during = func() {
			s.directory.set(func() { s.directory.gone["hasty"] = true })
			s.streams.UserChanged("hasty")
		}
	})
	s.open("hasty", `{"then":"wait"}`).fails("STALE_STREAM_AUTHORIZATION")
	require.Eventually(t, func() bool { return s.streams.Open() == 1 }, patience, time.Millisecond,
		"a change while the stream is being opened counts")
	require.NoError(t, open["renamed"].Close(websocket.StatusNormalClosure, ""))
}

// A hanging lookup keeps its own stream, and streams of others, open for at most one recheck.
func TestStreams_EndWhenRecheckTimesOut(t *testing.T) {
	t.Parallel()
	const hanging = 40
	s := serveStream(t, endpoint.StreamOptions{})
	var stuck []client
	for range hanging {
		stuck = append(stuck, s.open("tina", `{"upTo":1,"then":"wait"}`))
	}
	other := s.open("carl", `{"upTo":1,"then":"wait"}`)
	for _, one := range append(stuck, other) {
		one.next()
	}
	s.directory.set(func() {
		s.directory.hangs["tina"] = true
		s.directory.gone["carl"] = true
	})
	s.streams.UserChanged("tina")
	s.streams.UserChanged("carl")
	other.fails("STALE_STREAM_AUTHORIZATION")
	for _, one := range stuck {
		one.fails("STALE_STREAM_AUTHORIZATION")
	}
	require.Eventually(t, func() bool { return s.streams.Open() == 0 }, patience, time.Millisecond)
}

func TestStreams_OperatorKeepsStreamWhenPartiesAreAdded(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	c := s.open("operator", `{"upTo":1,"then":"wait"}`)
	c.next()
	s.directory.set(func() {
		s.directory.rights["operator"] = []ledger.Right{{Kind: ledger.CanActAs, Party: "newcomer::1220"}}
	})
	s.streams.UserChanged("operator")
	other := s.open("another", `{"upTo":1,"then":"wait"}`)
	other.next()
	s.directory.set(func() { s.directory.gone["another"] = true })
	s.streams.UserChanged("another")
	other.fails("STALE_STREAM_AUTHORIZATION")
	require.Eventually(t, func() bool { return s.streams.Open() == 1 }, patience, time.Millisecond, "the first goes on")
}
