package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

// Machine describes the machine of a run.
type Machine struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	MemoryMB int64  `json:"memoryMb"`
	Kernel   string `json:"kernel"`
	Go       string `json:"go"`
	Florin   string `json:"florin"`
	API      string `json:"api"`
	Postgres string `json:"postgres"`
	Temporal string `json:"temporal"`
	// Load averages of the last minute, before and after. Above 0 before, other programs used the machine.
	LoadBefore float64 `json:"loadBefore"`
	LoadAfter  float64 `json:"loadAfter"`
}

// describeMachine reads /proc; other systems than Linux tell little.
func describeMachine(proc string) Machine {
	m := Machine{
		CPU: runtime.GOARCH, Cores: runtime.NumCPU(), Kernel: runtime.GOOS, Go: runtime.Version(),
		LoadBefore: loadAverage(proc),
	}
	if content, err := os.ReadFile(filepath.Join(proc, "cpuinfo")); err == nil {
		for line := range bytes.Lines(content) {
			if name, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if total, err := readKilobytes(filepath.Join(proc, "meminfo"), "MemTotal:"); err == nil {
		m.MemoryMB = total >> 20
	}
	if release, err := os.ReadFile(filepath.Join(proc, "sys/kernel/osrelease")); err == nil {
		m.Kernel += " " + strings.TrimSpace(string(release))
	}
	return m
}

// loadAverage is the load average of the last minute; 0 if it is unknown.
func loadAverage(proc string) float64 {
	content, err := os.ReadFile(filepath.Join(proc, "loadavg"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(content), " ")
	average, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return average
}

const (
	// A machine is quiet when its processors rest for quietPart of quietPause. quietTime is the longest wait for it.
	quietPart  = 0.8
	quietPause = time.Second
	quietTime  = time.Minute
)

var errNotQuiet = errors.New("the machine does not come to rest: stop other programs, or measure again later")

// awaitQuiet waits until the machine works on nothing. Without /proc it does not wait.
func awaitQuiet(ctx context.Context, proc string) error {
	deadline := time.Now().Add(quietTime)
	rested, all, ok := processorTimes(proc)
	for ok {
		if err := wait.For(ctx, quietPause); err != nil {
			return err
		}
		restedNow, allNow, _ := processorTimes(proc)
		if restedNow-rested >= quietPart*(allNow-all) {
			return nil
		}
		if time.Now().After(deadline) {
			return errNotQuiet
		}
		rested, all = restedNow, allNow
	}
	return nil
}

// processorTimes are the ticks in which the processors rested, and all ticks, since the start of the machine.
func processorTimes(proc string) (rested, all float64, ok bool) {
	content, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return 0, 0, false
	}
	line, _, _ := strings.Cut(string(content), "\n")
	const idle, waitsForDisk = 4, 5 // user, nice, system, idle, iowait, ... after the name
	for i, field := range strings.Fields(line) {
		ticks, err := strconv.ParseFloat(field, 64)
		if i == 0 || err != nil {
			continue
		}
		if all += ticks; i == idle || i == waitsForDisk {
			rested += ticks
		}
	}
	return rested, all, all > 0
}
