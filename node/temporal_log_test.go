package node

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	sdklog "go.temporal.io/sdk/log"
)

func TestTemporalLog_DropsSlowTasksOnly(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	log := sdklog.With(temporalLog{sdklog.NewStructuredLogger(slog.New(slog.NewTextHandler(&lines, nil)))}, "worker", 7)
	log.Warn("[TMPRL1104] abc Workflow task duration exceeded 5 seconds.")
	require.Empty(t, lines.String())
	log.Warn("the poller failed", "queue", "florin")
	require.Contains(t, lines.String(), "the poller failed")
	require.Contains(t, lines.String(), "worker=7")
	require.Contains(t, lines.String(), "queue=florin")
}
