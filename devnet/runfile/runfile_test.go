package runfile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/runfile"
)

func TestRunFile_IsWrittenReadAndRemoved(t *testing.T) {
	t.Parallel()

	t.Run("is read as it was written", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		written := runfile.Info{
			PID: os.Getpid(), URL: "http://127.0.0.1:2975", DatabaseURL: "postgres://florin:secret@127.0.0.1:5432/florin",
			TemporalAddress: "127.0.0.1:7233", TemporalUI: "http://127.0.0.1:8233",
			PIDs:   runfile.PIDs{Node: os.Getpid(), Temporal: 2, Postgres: 3},
			Secret: "unsafe", Audience: "aud", DSO: "DSO::1220", Operator: "op::1220",
		}
		require.NoError(t, runfile.Write(dir, written))
		read, err := runfile.Read(dir)
		require.NoError(t, err)
		require.Equal(t, written, read)
	})

	t.Run("is readable for its owner alone, also when it replaces another", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, runfile.Name), nil, 0o644))
		require.NoError(t, runfile.Write(dir, runfile.Info{PID: os.Getpid()}))
		info, err := os.Stat(filepath.Join(dir, runfile.Name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1, "nothing temporary stays behind")
	})

	t.Run("says how to start a node when there is none", func(t *testing.T) {
		t.Parallel()
		_, err := runfile.Read(t.TempDir())
		require.ErrorContains(t, err, "start one with `florin up`")
	})

	t.Run("refuses the file of a crashed node", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		dead := exec.CommandContext(t.Context(), "true")
		require.NoError(t, dead.Run())
		require.NoError(t, runfile.Write(dir, runfile.Info{PID: dead.Process.Pid}))
		_, err := runfile.Read(dir)
		require.ErrorContains(t, err, "has crashed")
	})

	t.Run("refuses what it cannot understand", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, runfile.Name), []byte("[]"), 0o600))
		_, err := runfile.Read(dir)
		require.ErrorContains(t, err, "stop the node and start it again")
	})

	t.Run("is gone after Remove, with the rests of interrupted writes", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, runfile.Name+".123"), nil, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600))
		require.NoError(t, runfile.Write(dir, runfile.Info{PID: os.Getpid()}))
		require.NoError(t, runfile.Remove(dir))
		require.NoError(t, runfile.Remove(dir), "removing twice is no error")
		require.NoError(t, runfile.Remove(filepath.Join(dir, "missing")))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, "other", entries[0].Name())
	})
}
