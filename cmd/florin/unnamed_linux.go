package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// createUnnamed creates a file that gets its path by a call of name. Until then it disappears when this process ends.
// On file systems without such files it has its path at once.
func createUnnamed(path string) (file *os.File, name func() error, err error) {
	directory := filepath.Dir(path)
	fd, err := unix.Open(directory, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EISDIR):
		return createNamed(path)
	case err != nil:
		return nil, nil, fmt.Errorf("create a file in %s: %w", directory, err)
	}
	name = func() error {
		err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
		return os.NewSyscallError("linkat", err)
	}
	return os.NewFile(uintptr(fd), path), name, nil
}
