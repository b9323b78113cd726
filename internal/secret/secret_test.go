package secret_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/secret"
)

func TestSecret_IsOneLineOfItsFile(t *testing.T) {
	t.Parallel()
	for content, says := range map[string]string{
		"s3cret": "", "s3cret\n": "", "s3cret\r\n": "", "s3cret with blanks\n\n": "",
		"": "is empty", "\n": "is empty", "old\nnew-hunter2": "has 2 lines", "old\r\nnew-hunter2\n": "has 2 lines",
		"\uFEFFhunter2": "byte order mark", "hunter2\x00": "no text", "hunter2\t": "no text", "hunter2\xff": "no text",
	} {
		file := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		found, err := secret.Of("", file, "database-url")
		if says == "" {
			require.NoError(t, err, "%q", content)
			require.Contains(t, content, found)
			continue
		}
		require.ErrorContains(t, err, "--database-url-file="+file, "%q", content)
		require.ErrorContains(t, err, says, "%q", content)
		require.NotContains(t, err.Error(), "hunter2", "the error must not show the secret")
	}
}
