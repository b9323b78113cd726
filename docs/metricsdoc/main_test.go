package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocument_IsUpToDate(t *testing.T) {
	t.Parallel()
	kept, err := os.ReadFile(filepath.Join("..", "..", documentPath))
	require.NoError(t, err)
	require.Equal(t, string(kept), document(), "run `make generate` and commit %s", documentPath)
}
