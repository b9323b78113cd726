package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of processor times in /proc: 1/100 s on every system that Go runs on (USER_HZ).
const clockTick = 10 * time.Millisecond

// stat has the used fields of /proc/PID/stat.
type stat struct {
	parent int
	// own is the processor time of the process, ended that of its children that have ended.
	own, ended time.Duration
}

// readStat reads a process; the error for a missing process is fs.ErrNotExist.
func readStat(proc string, pid int) (stat, error) {
	content, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return stat{}, err
	}
	return parseStat(content)
}

// parseStat reads the line. The second field is the program's name in parentheses and may hold anything, so the fields
// are counted from the last closing one.
func parseStat(line []byte) (stat, error) {
	end := bytes.LastIndexByte(line, ')')
	if end < 0 {
		return stat{}, fmt.Errorf("not the line of a process: %q", line)
	}
	fields := strings.Fields(string(line[end+1:]))
	const parent, userTime, last = 1, 11, 14
	if len(fields) <= last {
		return stat{}, fmt.Errorf("the line of a process has too few fields: %q", line)
	}
	var s stat
	var err error
	if s.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return stat{}, fmt.Errorf("parent process: %w", err)
	}
	var ticks [4]int64 // user and system time, own and of ended children
	for i := range ticks {
		if ticks[i], err = strconv.ParseInt(fields[userTime+i], 10, 64); err != nil {
			return stat{}, fmt.Errorf("processor time: %w", err)
		}
	}
	s.own = time.Duration(ticks[0]+ticks[1]) * clockTick
	s.ended = time.Duration(ticks[2]+ticks[3]) * clockTick
	return s, nil
}

// tree reads a process and all its descendants. It leaves out processes that end meanwhile: their time is in the field
// of their parent for ended children.
func tree(proc string, root int) (map[int]stat, error) {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return nil, err
	}
	all := map[int]stat{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if s, err := readStat(proc, pid); err == nil {
			all[pid] = s
		}
	}
	if _, ok := all[root]; !ok {
		return nil, fmt.Errorf("process %d does not exist", root)
	}
	family := map[int]stat{}
	for pid := range all {
		for at := pid; at != 0; at = all[at].parent {
			if at == root {
				family[pid] = all[pid]
				break
			}
		}
	}
	return family, nil
}

// memory is the memory of a process in bytes. Memory of several processes is shared; it counts in full in resident, and
// in equal parts in proportional.
type memory struct {
	resident, proportional int64
}

// readMemory reads smaps_rollup; the proportional share is 0 without the permission.
func readMemory(proc string, pid int) (memory, error) {
	content, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "smaps_rollup"))
	if errors.Is(err, os.ErrPermission) || err == nil && len(content) == 0 {
		resident, err := readResident(proc, pid)
		return memory{resident: resident}, err
	}
	if err != nil {
		return memory{}, err
	}
	resident, err := kilobytes(content, "Rss:")
	if err != nil {
		return memory{}, err
	}
	proportional, err := kilobytes(content, "Pss:")
	return memory{resident: resident, proportional: proportional}, err
}

// readResident reads the resident bytes of a process.
func readResident(proc string, pid int) (int64, error) {
	return readKilobytes(filepath.Join(proc, strconv.Itoa(pid), "status"), "VmRSS:")
}

func readKilobytes(path, label string) (int64, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return kilobytes(content, label)
}

// kilobytes finds the line "label n kB" and returns bytes.
func kilobytes(content []byte, label string) (int64, error) {
	for line := range bytes.Lines(content) {
		rest, ok := strings.CutPrefix(string(line), label)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		return n << 10, err
	}
	return 0, fmt.Errorf("no line %q", label)
}
