package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// FormatVersion is the layout of the data directory that this release reads and writes.
const FormatVersion = 1

const (
	lockName    = "lock"
	versionName = "florin-version"
	// LogName is the output of a node in the background. The file may exist before the directory is Florin's, because the
	// node starts with it.
	LogName = "up.log"
)

// Directory is a locked data directory. The kernel holds the lock (flock), so it ends with the process.
type Directory struct {
	path string
	lock *os.File
}

// Lock creates dataDir if it is missing, locks it, and checks its format version. The error has the next step if
// another process (named in the error) holds the directory, if a release with another format wrote it, if it holds
// files that are not Florin's, or if it is not writable.
func Lock(dataDir string) (*Directory, error) {
	path, err := filepath.Abs(dataDir)
	if err != nil {
		return nil, fmt.Errorf("data directory %q: %w", dataDir, err)
	}
	if err := os.MkdirAll(path, directoryMode()); err != nil {
		return nil, explain(path, err)
	}
	file, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, explain(path, err)
	}
	d := &Directory{path: path, lock: file}
	if err := d.acquire(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := d.checkVersion(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return d, nil
}

// CreateLog creates dataDir if it is missing, and an empty log in it. forget removes the log unless the directory has
// become Florin's. CreateLog refuses a foreign directory with a file of that name.
func CreateLog(dataDir string) (log *os.File, forget func(), err error) {
	if err := os.MkdirAll(dataDir, directoryMode()); err != nil {
		return nil, nil, explain(dataDir, err)
	}
	isFlorins := func() bool {
		_, err := os.Stat(filepath.Join(dataDir, versionName))
		return !errors.Is(err, fs.ErrNotExist)
	}
	how := os.O_TRUNC
	if !isFlorins() {
		how = os.O_EXCL
	}
	path := filepath.Join(dataDir, LogName)
	log, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|how, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil, fmt.Errorf("directory %s is not a florin data directory (no %s, but it holds %q): choose an empty "+
			"or new directory with --data-dir", dataDir, versionName, LogName)
	}
	if err != nil {
		return nil, nil, explain(dataDir, err)
	}
	return log, func() {
		if !isFlorins() {
			_ = os.Remove(path) // the caller has read it
		}
	}, nil
}

// Path is the absolute path of the directory.
func (d *Directory) Path() string { return d.path }

// Unlock releases the directory for the next process. The directory and its files stay.
func (d *Directory) Unlock() error { return d.lock.Close() }

// directoryMode lets nobody list the directory. Others may enter root's, because the database server inside runs as
// another account.
func directoryMode() fs.FileMode {
	if os.Geteuid() == 0 {
		return 0o711
	}
	return 0o700
}

func (d *Directory) acquire() error {
	err := tryLock(d.lock, syscall.LOCK_EX)
	for tries := 1; tries < lockTries && errors.Is(err, syscall.EWOULDBLOCK); tries++ {
		time.Sleep(lockPause)
		err = tryLock(d.lock, syscall.LOCK_EX)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("data directory %s is in use by %s: stop it first, or choose another directory "+
			"with --data-dir", d.path, d.holder())
	}
	if err != nil {
		return fmt.Errorf("cannot lock data directory %s (does its file system support flock?): %w", d.path, err)
	}
	if err := d.lock.Truncate(0); err != nil {
		return explain(d.path, err)
	}
	if _, err := d.lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return explain(d.path, err)
	}
	return nil
}

// [Holder] takes the lock for a moment, so try again.
const (
	lockTries = 50
	lockPause = 10 * time.Millisecond
)

func tryLock(file *os.File, how int) error { return syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB) }

// Holder returns the process that holds a data directory, if any. pid is 0 if it is unknown.
func Holder(dataDir string) (pid int, held bool) {
	file, err := os.Open(filepath.Join(dataDir, lockName))
	if err != nil {
		return 0, false
	}
	defer func() { _ = file.Close() }() // releases the lock
	if !errors.Is(tryLock(file, syscall.LOCK_SH), syscall.EWOULDBLOCK) {
		return 0, false
	}
	pid, _ = strconv.Atoi(writtenPID(file))
	return pid, true
}

// writtenPID returns the pid that the holder wrote into the lock file.
func writtenPID(lock *os.File) string {
	pid := make([]byte, 20)
	n, _ := lock.ReadAt(pid, 0)
	return strings.TrimSpace(string(pid[:n]))
}

func (d *Directory) holder() string {
	if pid := writtenPID(d.lock); pid != "" {
		return "another florin (pid " + pid + ")"
	}
	return "another florin"
}

func (d *Directory) checkVersion() error {
	file := filepath.Join(d.path, versionName)
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return d.initialize(file)
	}
	if err != nil {
		return explain(d.path, err)
	}
	version := strings.TrimSpace(string(content))
	if version != strconv.Itoa(FormatVersion) {
		return fmt.Errorf("data directory %s has format version %q and this florin reads version %d: use the florin "+
			"release that wrote it, or choose another directory with --data-dir", d.path, version, FormatVersion)
	}
	return nil
}

// initialize claims a new directory. It refuses one with other files, so that a mistyped --data-dir never puts a
// database among somebody's files.
func (d *Directory) initialize(versionFile string) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return explain(d.path, err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != lockName && name != LogName && name != "lost+found" {
			return errors.Join(os.Remove(d.lock.Name()), fmt.Errorf("directory %s is not a florin data directory "+
				"(no %s, but it holds %q): choose an empty or new directory with --data-dir", d.path, versionName, name))
		}
	}
	temporary := versionFile + ".new"
	if err := os.WriteFile(temporary, []byte(strconv.Itoa(FormatVersion)+"\n"), 0o600); err != nil {
		return explain(d.path, err)
	}
	if err := os.Rename(temporary, versionFile); err != nil {
		return explain(d.path, err)
	}
	return nil
}

func explain(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no space left for data directory %s: free some, or choose another directory with "+
			"--data-dir: %w", path, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("data directory %s is not writable: change its owner or mode, or choose another directory "+
			"with --data-dir: %w", path, err)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return fmt.Errorf("data directory %s is not a directory: choose another with --data-dir: %w", path, err)
	}
	return fmt.Errorf("data directory %s: %w", path, err)
}
