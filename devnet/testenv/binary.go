package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Binary returns the path of a florin binary: from the environment, or built from the module of the working directory.
// Concurrent test processes build it once.
func Binary(ctx context.Context) (string, error) {
	if path := os.Getenv(BinaryVariable); path != "" {
		return filepath.Abs(path)
	}
	return build(ctx, "florin", "./cmd/florin")
}

// FailpointBinary builds a florin binary with the points of package failpoint, and returns its path.
func FailpointBinary(ctx context.Context) (string, error) {
	return build(ctx, "florin-failpoints", "./cmd/florin", "-tags", "failpoints")
}

// BenchBinary builds the benchmark's binary, and returns its path.
func BenchBinary(ctx context.Context) (string, error) { return build(ctx, "bench", "./test/bench") }

// build builds a program of this module in a directory that test processes share.
func build(ctx context.Context, name, folder string, flags ...string) (string, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no directory for the binary: %w: set %s", err, BinaryVariable)
	}
	directory := filepath.Join(cache, "florin", "test", strings.ReplaceAll(strings.Trim(root, "/"), "/", "-"))
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(directory, "lock"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(directory, name)
	arguments := append(append([]string{"build", "-buildvcs=false"}, flags...), "-o", path, folder)
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = root
	output, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build %s: %w\n%s", folder, err, output)
	}
	return path, errors.Join(err, unlock())
}

func moduleRoot(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w: set %s", err, BinaryVariable)
	}
	file := strings.TrimSpace(string(output))
	if file == "" || file == os.DevNull {
		return "", fmt.Errorf("the working directory is in no Go module: set %s", BinaryVariable)
	}
	return filepath.Dir(file), nil
}

// lock waits for an exclusive lock of a file.
func lock(path string) (unlock func() error, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file.Close, nil
}
