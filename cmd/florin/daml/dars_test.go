//go:build dars

package daml

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/console"
)

// TestPublishedDARsAreTested runs the command for the DARs of a directory that have scripts, and then once more, when
// all packages are known.
func TestPublishedDARsAreTested(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(os.Getenv("DARS"), "*test*.dar"))
	require.NoError(t, err)
	here := t.TempDir()
	command := &TestCommand{
		Coverage: true, HTML: filepath.Join(here, "coverage.html"), JUnit: filepath.Join(here, "junit.xml"),
		Timeout: 5 * time.Minute,
	}
	s := session{command: command}
	const minDARs, minScripts = 2, 50
	scripts := 0
	for _, path := range paths {
		if loaded, err := s.cache.load(t.Context(), path); err == nil && len(loaded.scripts) > 0 {
			command.DAR = append(command.DAR, path)
			scripts += len(loaded.scripts)
		}
	}
	require.GreaterOrEqual(t, len(command.DAR), minDARs, "DARS names a directory with DARs that have scripts")
	require.GreaterOrEqual(t, scripts, minScripts, "the DARs have scripts")
	var first, again bytes.Buffer
	s.out = &first
	require.NoError(t, s.run(t.Context()))
	require.Contains(t, first.String(), " passed, 0 failed\n")
	require.FileExists(t, command.HTML)
	require.FileExists(t, command.JUnit)

	s.out = &again
	command.Only = "*"
	command.Timeout = time.Nanosecond
	err = s.run(t.Context())
	require.True(t, console.IsSilent(err))
	require.Equal(t, console.ExitFailed, console.CodeOf(err))
	require.Contains(t, again.String(), "takes longer than 1ns")
	require.NotContains(t, again.String(), ", 0 failed")
}
