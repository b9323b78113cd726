package daml

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/dartest"
)

// unpacked is the first file of an archive with this suffix.
func unpacked(t *testing.T, dar []byte, ending string) []byte {
	t.Helper()
	read, err := zip.NewReader(bytes.NewReader(dar), int64(len(dar)))
	require.NoError(t, err)
	for _, entry := range read.File {
		if filepath.Ext(entry.Name) == ending {
			opened, err := entry.Open()
			require.NoError(t, err)
			var content bytes.Buffer
			_, err = content.ReadFrom(opened)
			require.NoError(t, err)
			return content.Bytes()
		}
	}
	require.Fail(t, "no such entry", ending)
	return nil
}

func TestFiles_TellWhyAFileIsNoDAR(t *testing.T) {
	t.Parallel()
	dar := dartest.Build(t, dartest.Notes("notes", "1.0.0", ""))
	var other bytes.Buffer
	archived := zip.NewWriter(&other)
	_, err := archived.Create("letter.txt")
	require.NoError(t, err)
	require.NoError(t, archived.Close())
	for name, c := range map[string]struct {
		content []byte
		hint    string
	}{
		"empty":           {nil, "The file is empty."},
		"words":           {[]byte("hello"), "Use the .dar file that the compiler wrote"},
		"cut off":         {dar[:len(dar)/2], "The end of the file is missing"},
		"another archive": {other.Bytes(), "The file is another kind of archive."},
		"a package alone": {unpacked(t, dar, ".dalf"), "The file is a single package"},
	} {
		path := filepath.Join(t.TempDir(), "file.dar")
		require.NoError(t, os.WriteFile(path, c.content, 0o600))
		_, err := readFile(path, archive.Options{})
		require.ErrorContains(t, err, path, name)
		require.ErrorContains(t, err, c.hint, name)
		require.NotContains(t, err.Error(), "upload", name)
		require.Equal(t, console.ExitFailed, console.CodeOf(err), name)
	}
}

func TestFiles_RunOnceWhenNamedTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.dar", "b.dar"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	require.NoError(t, os.Symlink(at("a.dar"), at("link.dar")))
	c := TestCommand{
		DAR: []string{at("a.dar"), at("b.dar"), dir + "/./a.dar", at("link.dar"), at("none.dar"), at("none.dar")},
	}
	require.Equal(t, []string{at("a.dar"), at("b.dar"), at("none.dar"), at("none.dar")}, c.once())
}

func TestOnly_RefusesAnEmptyPattern(t *testing.T) {
	t.Parallel()
	c := TestCommand{Only: []string{""}, Timeout: 1}
	err := c.check()
	require.ErrorContains(t, err, "--only")
	require.Equal(t, console.ExitUsage, console.CodeOf(err))
}

func TestTestCommand_PrintsTheCountLast(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notes.dar")
	require.NoError(t, os.WriteFile(path, dartest.Build(t, dartest.Notes("notes", "1.0.0", "")), 0o600))
	for _, c := range []struct {
		only []string
		code console.ExitCode
	}{{nil, console.ExitDone}, {[]string{"nothing"}, console.ExitFailed}} {
		var out, notes bytes.Buffer
		command := TestCommand{DAR: []string{path}, Only: c.only, Timeout: 1, Memory: 1 << 30}
		s := session{command: &command, out: &out, notes: &notes}
		err := s.run(t.Context())
		require.Equal(t, c.code, console.CodeOf(err))
		require.True(t, err == nil || console.IsSilent(err), "the error is printed already")
		require.Equal(t, "0 passed, 0 failed\n", out.String())
		require.Contains(t, notes.String(), "florin: ")
	}
}
