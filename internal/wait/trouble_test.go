package wait_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/wait"
)

func TestTrouble_IsLoggedOnChangeAndOnceAMinute(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	trouble := wait.Trouble{
		Log: slog.New(slog.NewTextHandler(&log, nil)), What: "nothing works", Now: func() time.Time { return now },
	}
	logged := func() string {
		defer log.Reset()
		return log.String()
	}
	note := func(err error, every time.Duration, times int) {
		for range times {
			trouble.Note(t.Context(), err)
			now = now.Add(every)
		}
	}
	refused, lost := errors.New("refused"), errors.New("lost")
	note(nil, time.Second, 3)
	require.Empty(t, logged(), "all is well")
	note(refused, 2*time.Second, 150) // five minutes
	lines := logged()
	require.Equal(t, 5, strings.Count(lines, "level=WARN"), lines)
	require.Contains(t, lines, "error=refused for=1m0s times=31")
	note(lost, 2*time.Second, 1)
	require.Contains(t, logged(), "error=lost", "a new error is logged soon")
	note(refused, 2*time.Second, 1)
	note(lost, 2*time.Second, 1)
	require.Empty(t, logged(), "an error that changes again and again is not")
	note(nil, time.Second, 2)
	lines = logged()
	require.Equal(t, 1, strings.Count(lines, "nothing works: it is over"), lines)
	note(lost, time.Second, 1)
	require.Contains(t, logged(), "error=lost for=0s times=1", "the trouble starts again")
}
