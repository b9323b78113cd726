package node

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/wait"
)

func TestStarting_TellsWhatItWaitsForAndHowLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		n := &Node{options: Options{Log: slog.New(slog.NewJSONHandler(&out, nil))}}
		began := time.Now()
		lasts := func(d time.Duration) func(ctx, background context.Context) error {
			return func(ctx, _ context.Context) error { return wait.For(ctx, d) }
		}
		require.NoError(t, n.take(t.Context(), t.Context(), startStep{"start quickly", "", 0, lasts(4 * time.Second)}))
		require.Empty(t, out.String())

		began = began.Add(4 * time.Second)
		require.NoError(t, n.take(t.Context(), t.Context(),
			startStep{"connect to Temporal", awaitsTemporal, connectTimeout, lasts(2 * slowAgain)}))
		var said []map[string]any
		for lines := json.NewDecoder(&out); lines.More(); {
			var line map[string]any
			require.NoError(t, lines.Decode(&line))
			said = append(said, line)
		}
		require.Len(t, said, 2)
		for i, took := range []string{"5s", "1m5s"} {
			require.Equal(t, "WARN", said[i]["level"])
			require.Equal(t, "connect to Temporal", said[i]["step"])
			require.Equal(t, "Temporal", said[i]["awaits"])
			require.Equal(t, took, said[i]["took"])
			require.Equal(t, began.Format(time.RFC3339Nano), said[i]["since"])
			require.Equal(t, began.Add(connectTimeout).Format(time.RFC3339Nano), said[i]["until"])
		}
	})
}
