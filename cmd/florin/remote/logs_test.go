package remote

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogs_FollowARotatedLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte("one\n"), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	_, err = io.ReadAll(file)
	require.NoError(t, err)
	var shown strings.Builder
	same, err := sameOrNext(file, path, &shown)
	require.NoError(t, err)
	require.Same(t, file, same)

	old, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = old.WriteString("two\n")
	require.NoError(t, errors.Join(err, old.Close(), os.Rename(path, path+"-aside")))
	same, err = sameOrNext(file, path, &shown)
	require.NoError(t, err)
	require.Same(t, file, same, "until there is a new one")
	require.NoError(t, os.WriteFile(path, []byte("three\n"), 0o600))
	next, err := sameOrNext(file, path, &shown)
	require.NoError(t, err)
	rest, err := io.ReadAll(next)
	require.NoError(t, errors.Join(err, next.Close()))
	require.Equal(t, "two\nthree\n", shown.String()+string(rest))
}

func TestLogs_FindTheLastLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70_000)
	for name, test := range map[string]struct {
		content  string
		lines    int
		expected string
	}{
		"nothing":              {"", 3, ""},
		"fewer":                {"one\ntwo\n", 3, "one\ntwo\n"},
		"some":                 {"one\ntwo\nthree\n", 2, "two\nthree\n"},
		"an unfinished line":   {"one\ntwo\nthr", 2, "two\nthr"},
		"none":                 {"one\ntwo\n", 0, ""},
		"none, and unfinished": {"one\ntwo", 0, ""},
		"long lines":           {long + "1\n" + long + "2\n" + long + "3\n", 2, long + "2\n" + long + "3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "log")
			require.NoError(t, os.WriteFile(path, []byte(test.content), 0o600))
			file, err := os.Open(path)
			require.NoError(t, err)
			require.NoError(t, seekLines(file, test.lines))
			rest, err := io.ReadAll(file)
			require.NoError(t, err)
			require.Equal(t, test.expected, string(rest))
			require.NoError(t, file.Close())
		})
	}
}
