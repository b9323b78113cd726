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

func TestStart_LogsWhatASlowStepWaitsFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		n := &Node{options: Options{Log: slog.New(slog.NewJSONHandler(&out, nil))}}
		began := time.Now()
		sleep := func(d time.Duration) func(ctx, background context.Context) error {
			return func(ctx, _ context.Context) error { return wait.For(ctx, d) }
		}
		require.NoError(t, n.take(t.Context(), t.Context(), startStep{"start quickly", "", 0, sleep(4 * time.Second)}))
		require.Empty(t, out.String())

		began = began.Add(4 * time.Second)
		require.NoError(t, n.take(t.Context(), t.Context(),
			startStep{"connect to Temporal", awaitsTemporal, connectTimeout, sleep(2 * slowAgain)}))
		var lines []map[string]any
		for decoder := json.NewDecoder(&out); decoder.More(); {
			var line map[string]any
			require.NoError(t, decoder.Decode(&line))
			lines = append(lines, line)
		}
		require.Len(t, lines, 2)
		for i, took := range []string{"5s", "1m5s"} {
			require.Equal(t, "WARN", lines[i]["level"])
			require.Equal(t, "connect to Temporal", lines[i]["step"])
			require.Equal(t, "Temporal", lines[i]["awaits"])
			require.Equal(t, took, lines[i]["took"])
			require.Equal(t, began.Format(time.RFC3339Nano), lines[i]["since"])
			require.Equal(t, began.Add(connectTimeout).Format(time.RFC3339Nano), lines[i]["until"])
		}
	})
}
