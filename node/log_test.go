package node

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
)

// Clients can make the node log much; it must not fill the disk. The last line must be there.
func TestBoundedLog_BoundsItsFiles(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	path := filepath.Join(directory, "florin.log")
	to, err := BoundedLog(path, 1)
	require.NoError(t, err)
	log := (&logSettings{}).Logger(to, slog.LevelInfo)
	const lines = 10_000
	for i := range lines {
		log.Info("what happened", "number", i, "text", strings.Repeat("x", 1000))
	}
	require.NoError(t, to.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(content), `"number":9999`)
	require.Eventually(t, func() bool { // the logger removes old files a moment later
		files, err := os.ReadDir(directory)
		require.NoError(t, err)
		return len(files) == maxOldLogs+1
	}, time.Minute, time.Millisecond)
	files, err := filepath.Glob(filepath.Join(directory, "florin-*.log"))
	require.NoError(t, err)
	for _, file := range append(files, path) {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(1<<20))
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestBoundedLog_RefusesAFileThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "taken")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	path = filepath.Join(path, "florin.log")
	_, err := BoundedLog(path, 1)
	require.ErrorContains(t, err, "open the log "+path)
}

func TestLogger_FollowsItsFormatAndLevel(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		logText: "level=WARN msg=slow disk=full", "json": `"level":"WARN","msg":"slow","disk":"full"`,
		logAuto: `"level":"WARN","msg":"slow","disk":"full"`, // a file is no terminal
	} {
		var level slog.LevelVar
		file, err := os.Create(filepath.Join(t.TempDir(), "log"))
		require.NoError(t, err)
		log := (&logSettings{LogFormat: format}).Logger(file, &level)
		log.Debug("unseen")
		level.Set(slog.LevelDebug)
		log.Debug("seen")
		log.Warn("slow", "disk", "full")
		require.NoError(t, file.Close())
		text, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		require.Contains(t, string(text), want, format)
		require.NotContains(t, string(text), "unseen", format)
		require.Contains(t, string(text), "seen", format)
	}
}

// Clients choose parts of log texts.
func TestLogger_CutsLongTexts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	require.NoError(t, err)
	long := strings.Repeat("ü", 1<<20)
	log := (&logSettings{}).Logger(file, slog.LevelInfo)
	log.Info("what happened", "path", long, "text", long, "error", errors.New(long),
		"number", 7, "short", "all of it")
	hiding := fault.ServiceNotRunning.New("The database does not answer.").Wrap(errors.New("too many connections"))
	log.Warn("what failed", "error", fmt.Errorf("starting: %w", hiding))
	require.NoError(t, file.Close())
	line, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Less(t, len(line), 16_000)
	require.Equal(t, 3, strings.Count(string(line), "… (2097152 bytes)"))
	require.Contains(t, string(line), `"number":7,"short":"all of it"`)
	require.Contains(t, string(line), "The database does not answer. (too many connections)", "clients are not told that")
}
