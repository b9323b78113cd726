package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/fault"
)

// Clients choose parts of what is logged: no line grows with what they send.
func TestALineOfTheLogIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	require.NoError(t, err)
	long := strings.Repeat("ü", 1<<20)
	log := logger(file, slog.LevelInfo)
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
