package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

type target struct{ OS, Arch string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

func chooseTargets(only string) ([]target, error) {
	if only == "" {
		return targets, nil
	}
	for _, t := range targets {
		if t.OS+"/"+t.Arch == only {
			return []target{t}, nil
		}
	}
	return nil, fmt.Errorf("-only %s is not one of the targets %v", only, targets)
}

// binary is the program, built for a target.
type binary struct {
	target

	Path string
}

// build compiles the program for a target.
func (r release) build(ctx context.Context, t target, dir string) (binary, error) {
	if r.Binary != "" {
		return binary{target: t, Path: r.Binary}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return binary{}, err
	}
	path, err := filepath.Abs(filepath.Join(dir, "florin"))
	if err != nil {
		return binary{}, err
	}
	named := strings.Join([]string{
		"-X main.version=" + r.Version, "-X main.commit=" + r.Commit, "-X main.date=" + r.Date.Format(time.RFC3339),
	}, " ")
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w "+named,
		"-o", path, "./cmd/florin")
	command.Dir, command.Stdout, command.Stderr = r.Root, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.OS, "GOARCH="+t.Arch, "GOFLAGS=")
	return binary{target: t, Path: path}, command.Run()
}
