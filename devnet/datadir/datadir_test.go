package datadir_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/datadir"
)

// holderVariable makes the test binary lock the directory in it, until the test kills it.
const holderVariable = "DATADIR_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holderVariable); path != "" {
		if _, err := datadir.Lock(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("locked")
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestLock_HasOneHolder(t *testing.T) {
	t.Parallel()

	t.Run("makes the directory and gives it back", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "a", "b")
		for range 2 {
			directory, err := datadir.Lock(path)
			require.NoError(t, err)
			require.Equal(t, path, directory.Path())
			require.FileExists(t, filepath.Join(path, "florin-version"))
			require.NoError(t, directory.Unlock())
		}
	})

	t.Run("refuses a second process and names the first, until that is killed", func(t *testing.T) {
		t.Parallel()
		path := t.TempDir()
		holder := exec.Command(os.Args[0])
		holder.Env = append(os.Environ(), holderVariable+"="+path)
		_, err := holder.StdinPipe()
		require.NoError(t, err)
		output, err := holder.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, holder.Start())
		line, err := bufio.NewReader(output).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "locked\n", line)

		_, err = datadir.Lock(path)
		require.ErrorContains(t, err,
			fmt.Sprintf("in use by another florin (pid %d): stop it first", holder.Process.Pid))

		require.NoError(t, holder.Process.Kill())
		require.Error(t, holder.Wait(), "the holder was killed")
		directory, err := datadir.Lock(path)
		require.NoError(t, err)
		require.NoError(t, directory.Unlock())
	})

	t.Run("refuses another format version", func(t *testing.T) {
		t.Parallel()
		path := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(path, "florin-version"), []byte("2\n"), 0o600))
		_, err := datadir.Lock(path)
		require.ErrorContains(t, err,
			`format version "2" and this florin reads version 1: use the florin release that wrote it`)
	})

	t.Run("refuses a directory with somebody else's files and leaves it as it was", func(t *testing.T) {
		t.Parallel()
		path := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(path, "thesis.txt"), nil, 0o600))
		_, err := datadir.Lock(path)
		require.ErrorContains(t, err, `it holds "thesis.txt"): choose an empty or new directory with --data-dir`)
		require.NoFileExists(t, filepath.Join(path, "lock"))
	})

	t.Run("refuses a path through a file", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		_, err := datadir.Lock(filepath.Join(file, "data"))
		require.ErrorContains(t, err, "is not a directory: choose another with --data-dir")
	})
}

func TestHolder_ReturnsTheProcessWithTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data")
	_, held := datadir.Holder(path)
	require.False(t, held, "there is no directory")
	directory, err := datadir.Lock(path)
	require.NoError(t, err)
	pid, held := datadir.Holder(path)
	require.True(t, held)
	require.Equal(t, os.Getpid(), pid)
	require.NoError(t, directory.Unlock())
	_, held = datadir.Holder(path)
	require.False(t, held, "released")

	// Holder never prevents a Lock.
	looking, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-looking:
				return
			case <-tick.C:
				datadir.Holder(path)
			}
		}
	}()
	for range 20 {
		directory, err := datadir.Lock(path)
		require.NoError(t, err)
		require.NoError(t, directory.Unlock())
	}
	close(looking)
	<-done
}
