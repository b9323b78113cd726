package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
)

// minimumMajor is the oldest supported PostgreSQL.
const minimumMajor = 14

var errNotInstalled = errors.New("PostgreSQL is not installed")

// binaries is an installation of the server's programs.
type binaries struct {
	dir   string // directory that holds postgres and initdb
	major int    // major version, 14 or higher
}

func (b binaries) postgres() string { return filepath.Join(b.dir, "postgres") }
func (b binaries) initdb() string   { return filepath.Join(b.dir, "initdb") }

// locate finds an installation: of the major version unless it is 0, else the one on PATH, else the newest in the usual
// places.
func locate(ctx context.Context, major int) (binaries, error) {
	found := installations(ctx, directoryOnPath(), usualDirectories())
	if len(found) == 0 {
		return binaries{}, errNotInstalled
	}
	if major == 0 {
		return found[0], nil
	}
	for _, b := range found {
		if b.major == major {
			return b, nil
		}
	}
	return binaries{}, &versionError{needed: major, found: found[0]}
}

// installations lists the directories with a usable server: preferred first, the others newest first.
func installations(ctx context.Context, preferred string, others []string) []binaries {
	var found []binaries
	seen := map[string]bool{}
	keep := func(dir string) {
		resolved, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
		if err != nil || seen[filepath.Dir(resolved)] {
			return
		}
		dir = filepath.Dir(resolved)
		seen[dir] = true
		if b, ok := inspect(ctx, dir); ok {
			found = append(found, b)
		}
	}
	if preferred != "" {
		keep(preferred)
	}
	first := len(found)
	for _, dir := range others {
		keep(dir)
	}
	rest := found[first:]
	sort.SliceStable(rest, func(i, j int) bool { return rest[i].major > rest[j].major })
	return found
}

func inspect(ctx context.Context, dir string) (binaries, bool) {
	b := binaries{dir: dir}
	if _, err := os.Stat(b.initdb()); err != nil {
		return b, false
	}
	output, err := exec.CommandContext(ctx, b.postgres(), "--version").Output()
	if err != nil {
		return b, false
	}
	b.major = majorOf(string(output))
	return b, b.major >= minimumMajor
}

var versionPattern = regexp.MustCompile(`PostgreSQL\)? (\d+)`)

// majorOf reads the major version out of "postgres (PostgreSQL) 15.16 (Debian ...)"; 0 when there is none.
func majorOf(output string) int {
	match := versionPattern.FindStringSubmatch(output)
	if match == nil {
		return 0
	}
	major, err := strconv.Atoi(match[1])
	if err != nil {
		return 0
	}
	return major
}

// directoryOnPath returns the directory of postgres on PATH; "" for none.
func directoryOnPath() string {
	path, err := exec.LookPath("postgres")
	if err != nil {
		return ""
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return filepath.Dir(absolute)
}

// usualDirectories lists the directories of distributions and Homebrew for PostgreSQL's programs.
func usualDirectories() []string {
	var dirs []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // the PostgreSQL project's RPMs
		"/usr/libexec/postgresql*",           // Alpine
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
		"/opt/homebrew/opt/postgresql/bin",
		"/usr/local/opt/postgresql/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
		"/usr/local/pgsql/bin", // built from source
		"/usr/bin",             // Fedora, Arch
	} {
		matches, err := filepath.Glob(pattern)
		if err == nil {
			dirs = append(dirs, matches...)
		}
	}
	return dirs
}

// versionError says that the major version of a cluster is not installed.
type versionError struct {
	needed int
	found  binaries
}

func (e *versionError) Error() string {
	return fmt.Sprintf("the database was made by PostgreSQL %d, and this machine has PostgreSQL %d (%s): %s, or move "+
		"the data directory away to start with an empty one (a dump of the old one restores into it)",
		e.needed, e.found.major, e.found.dir, installHint("", e.needed))
}
