package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocument_IsUpToDate(t *testing.T) {
	t.Parallel()
	written, err := document()
	require.NoError(t, err)
	kept, err := os.ReadFile("../sentences.md")
	require.NoError(t, err)
	require.Equal(t, string(kept), written, "run `make generate` and commit %s", documentPath)
}
