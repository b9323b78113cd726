package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"syscall"
)

// explain adds to an error the last output of the server or initdb and the next step. output may be empty.
func explain(err error, output string) error {
	if err == nil {
		return nil
	}
	if advice := adviceFor(err, output); advice != "" {
		err = fmt.Errorf("%w: %s", err, advice)
	}
	if output = strings.TrimSpace(output); output != "" {
		err = fmt.Errorf("%w\nPostgreSQL said:\n  %s", err, strings.ReplaceAll(output, "\n", "\n  "))
	}
	return err
}

var complaint = regexp.MustCompile(`(?m)^.*(?:could not|FATAL|PANIC|ERROR|error:).*$`)

// complaints returns the error lines of a program's output; all of it if there are none.
func complaints(output string) string {
	if lines := complaint.FindAllString(output, -1); len(lines) > 0 {
		return strings.Join(lines, "\n")
	}
	return output
}

func adviceFor(err error, output string) string {
	for _, known := range []struct {
		cause  error
		text   string
		advice string
	}{
		{syscall.ENOSPC, "No space left on device", "the disk is full: free some space, or choose a data directory on " +
			"another disk with --data-dir"},
		{syscall.EADDRINUSE, "Address already in use", "the port is taken: stop the program that uses it, or choose " +
			"another port"},
		{syscall.EROFS, "Read-only file system", "the data directory is on a read-only file system: choose another with " +
			"--data-dir"},
		{syscall.EDQUOT, "Disk quota exceeded", "your disk quota is used up: free some space, or choose another data " +
			"directory with --data-dir"},
		{nil, "could not open shared memory segment", "this machine's shared memory cannot be used: make /dev/shm writable " +
			"for everyone (mount -t tmpfs tmpfs /dev/shm)"},
		{fs.ErrPermission, "Permission denied", "the data directory is not writable for this user: change its owner, or " +
			"choose another with --data-dir"},
		{nil, "Cannot allocate memory", "there is not enough memory: stop other programs"},
		{nil, "could not resize shared memory", "shared memory is too small: enlarge /dev/shm (docker run --shm-size=256m)"},
		{nil, "could not locate a valid checkpoint record", "the database is damaged: restore the data directory from a " +
			"backup, or move it away to start with an empty one"},
	} {
		if strings.Contains(output, known.text) || known.cause != nil && errors.Is(err, known.cause) {
			return known.advice
		}
	}
	return ""
}
