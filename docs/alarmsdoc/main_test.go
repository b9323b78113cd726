package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGuideAndRules_AreUpToDate(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{guidePath: guide(), rulesPath: rules()} {
		kept, err := os.ReadFile(filepath.Join("..", "..", path))
		require.NoError(t, err)
		require.Equal(t, want, string(kept), "run `make generate` and commit %s", path)
	}
}
