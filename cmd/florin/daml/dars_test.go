//go:build dars

package daml

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/console"
)

// TestTestCommand_RunsPublishedDARs runs the scripts of the DARs in a directory, and again with all packages in the
// cache.
func TestTestCommand_RunsPublishedDARs(t *testing.T) {
	t.Parallel()
	here := t.TempDir()
	command := &TestCommand{
		Coverage: true, HTML: reportFile(filepath.Join(here, "coverage.html")),
		JUnit:   reportFile(filepath.Join(here, "junit.xml")),
		Timeout: 5 * time.Minute, Memory: 8 << 30,
	}
	s := session{command: command}
	s.loadPublished(t)
	var first, again bytes.Buffer
	s.out = &first
	require.NoError(t, s.run(t.Context()))
	require.Contains(t, first.String(), " passed, 0 failed\n")
	require.FileExists(t, string(command.HTML))
	require.FileExists(t, string(command.JUnit))

	s.out = &again
	command.Only = []string{"*"}
	command.Timeout = time.Nanosecond
	err := s.run(t.Context())
	require.True(t, console.IsSilent(err))
	require.Equal(t, console.ExitFailed, console.CodeOf(err))
	require.Contains(t, again.String(), "takes longer than 1ns")
	require.NotContains(t, again.String(), ", 0 failed")
}

// loadPublished loads the DARs of a directory that have scripts, and counts the scripts.
func (s *session) loadPublished(tb testing.TB) (scripts int) {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(os.Getenv("DARS"), "*test*.dar"))
	require.NoError(tb, err)
	const minDARs, minScripts = 2, 50
	for _, path := range paths {
		if loaded, err := s.cache.load(tb.Context(), path); err == nil && len(loaded.scripts) > 0 {
			s.command.DAR = append(s.command.DAR, path)
			scripts += len(loaded.scripts)
		}
	}
	require.GreaterOrEqual(tb, len(s.command.DAR), minDARs, "DARS names a directory with DARs that have scripts")
	require.GreaterOrEqual(tb, scripts, minScripts, "the DARs have scripts")
	return scripts
}

// BenchmarkTestCommand_PublishedScripts reads and checks the DARs of a directory and runs their scripts, without a
// cache.
func BenchmarkTestCommand_PublishedScripts(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	known := session{command: &TestCommand{Timeout: 5 * time.Minute, Memory: 8 << 30}}
	scripts := known.loadPublished(b)
	for b.Loop() {
		s := session{command: known.command, out: io.Discard, notes: io.Discard}
		require.NoError(b, s.run(b.Context()))
	}
	b.ReportMetric(float64(scripts), "scripts")
}
