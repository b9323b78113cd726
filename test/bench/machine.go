package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
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
