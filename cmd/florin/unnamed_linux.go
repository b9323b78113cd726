package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// createUnnamed makes a file that gets its path by name, and until then goes with this process, however that ends. Some
// file systems have no such files: there it has its path at once.
func createUnnamed(path string) (file *os.File, name func() error, err error) {
	directory := filepath.Dir(path)
	fd, err := unix.Open(directory, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EISDIR):
		return createNamed(path)
	case err != nil:
		return nil, nil, fmt.Errorf("make a file in %s: %w", directory, err)
	}
	name = func() error {
		err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
		return os.NewSyscallError("linkat", err)
	}
	return os.NewFile(uintptr(fd), path), name, nil
}
