package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeProcess writes a process to a fake /proc.
func fakeProcess(t *testing.T, proc string, pid, parent, own, ended int) {
	t.Helper()
	dir := filepath.Join(proc, strconv.Itoa(pid))
	require.NoError(t, os.Mkdir(dir, 0o700))
	line := fmt.Sprintf("%d (post) gres) S %d 1 1 0 -1 41 1 0 0 0 %d 1 %d 1 20 0 1 0 100 1 1", pid, parent, own, ended)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stat"), []byte(line), 0o600))
}

func TestProcesses_ReadProcFiles(t *testing.T) {
	t.Parallel()

	t.Run("the line of a process is read, whatever its name", func(t *testing.T) {
		t.Parallel()
		line := []byte("7 (a) b (c)) R 3 7 7 0 -1 0 1 0 0 0 11 22 33 44 20 0 1 0 5 6 7\n")
		s, err := parseStat(line)
		require.NoError(t, err)
		require.Equal(t, stat{parent: 3, own: 330 * time.Millisecond, ended: 770 * time.Millisecond}, s)
	})

	t.Run("other lines are refused", func(t *testing.T) {
		t.Parallel()
		for _, line := range []string{
			"", "7 (a", "7 (a) R 3", "7 (a) R x 7 7 0 -1 0 1 0 0 0 11 22 33 44 20",
			"7 (a) R 3 7 7 0 -1 0 1 0 0 0 11 x 33 44 20",
		} {
			_, err := parseStat([]byte(line))
			require.Error(t, err, line)
		}
	})

	t.Run("a tree is the process and all below it", func(t *testing.T) {
		t.Parallel()
		proc := t.TempDir()
		fakeProcess(t, proc, 1, 0, 1000, 0)
		fakeProcess(t, proc, 10, 1, 100, 5)
		fakeProcess(t, proc, 11, 10, 20, 0)
		fakeProcess(t, proc, 12, 11, 30, 0)
		fakeProcess(t, proc, 20, 1, 500, 0)
		require.NoError(t, os.Mkdir(filepath.Join(proc, "sys"), 0o700))
		family, err := tree(proc, 10)
		require.NoError(t, err)
		require.Len(t, family, 3)
		require.Equal(t, 1610*time.Millisecond, serverTime(family)) // with one tick of system time in each field

		_, err = tree(proc, 99)
		require.ErrorContains(t, err, "process 99 does not exist")
	})

	t.Run("this process has used time and memory", func(t *testing.T) {
		t.Parallel()
		s, err := readStat(procDir, os.Getpid())
		require.NoError(t, err)
		require.Equal(t, os.Getppid(), s.parent)
		used, err := readMemory(procDir, os.Getpid())
		require.NoError(t, err)
		require.Greater(t, used.resident, int64(1<<20))
		require.LessOrEqual(t, used.proportional, used.resident)
	})

	t.Run("memory is read in bytes", func(t *testing.T) {
		t.Parallel()
		n, err := kilobytes([]byte("Name: x\nRss:      12 kB\nPss:  7 kB\n"), "Rss:")
		require.NoError(t, err)
		require.Equal(t, int64(12<<10), n)
		_, err = kilobytes([]byte("Name: x\n"), "Rss:")
		require.ErrorContains(t, err, `no line "Rss:"`)
	})
}

func TestPerSubmission_DividesUsage(t *testing.T) {
	t.Parallel()
	second, three := time.Second, 3*time.Second
	wal, more := 1000.0, 6000.0
	before := reading{node: &second, bench: &second, wal: &wal, postgres: map[int]stat{
		1: {own: second}, 2: {own: second}, 3: {own: second},
	}}
	after := reading{
		node: &three, temporal: &three, bench: &three, wal: &more, record: "florin",
		postgres: map[int]stat{1: {own: second, ended: 2 * second}, 2: {own: three}, 4: {own: second}},
		sessions: map[int]string{2: "florin", 4: "temporal", 5: "temporal"},
	}
	cpu := perSubmission(before, after, 100)
	require.InDelta(t, 20, *cpu.Node, 1e-9)
	require.Nil(t, cpu.Temporal, "it was not there before")
	require.InDelta(t, 50, *cpu.WALBytes, 1e-9)
	require.Nil(t, cpu.Commits)
	// Process 3 ended: its second is in the parent's account.
	require.InDelta(t, 40, *cpu.Postgres, 1e-9)
	require.InDelta(t, 20, *cpu.PostgresRecord, 1e-9)
	require.InDelta(t, 10, *cpu.PostgresTemporal, 1e-9)
	require.Zero(t, perSubmission(before, after, 0))
}

func TestMachine_ReadsProcFiles(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(proc, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	write("cpuinfo", "processor\t: 0\nmodel name\t: Abacus 2000\nmodel name\t: other\n")
	write("meminfo", "MemTotal:       2097152 kB\nMemFree: 1 kB\n")
	write("sys/kernel/osrelease", "6.1.0\n")
	write("loadavg", "1.25 0.80 0.50 2/300 4242\n")
	m := describeMachine(proc)
	require.Equal(t, "Abacus 2000", m.CPU)
	require.Equal(t, int64(2048), m.MemoryMB)
	require.Equal(t, "linux 6.1.0", m.Kernel)
	require.InDelta(t, 1.25, m.LoadBefore, 0)

	require.Zero(t, loadAverage(t.TempDir()), "elsewhere than on Linux")
}
