package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/florinledger/florin/devnet/process"
)

const (
	// superuser is the only database role; the server is private.
	superuser = "florin"
	// passwordName is the file in the data directory with the role's password.
	passwordName = "postgres.password"
	// localSettings is the file in the cluster for settings of the user.
	localSettings = "postgresql.local.conf"
)

// cluster is a database cluster on disk.
type cluster struct {
	dir       string // PGDATA, absolute and without links
	account   *account
	binaries  binaries
	ephemeral bool
}

// clusterMajor reads the major version of the cluster at dir; 0 if there is no cluster.
func clusterMajor(dir string) (int, error) {
	content, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("%s holds %q, not a version: the database is damaged; restore it, or move the data "+
			"directory away to start with an empty one", filepath.Join(dir, "PG_VERSION"), content)
	}
	return major, nil
}

// loadPassword reads the superuser's password, or makes one if there is no cluster yet.
func loadPassword(dataDir string, clusterExists bool) (string, error) {
	path := filepath.Join(dataDir, passwordName)
	content, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(content)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if clusterExists {
		return "", fmt.Errorf("%s is missing and the database cannot be opened without it: restore the file, or move "+
			"the data directory away to start with an empty one", path)
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	password := hex.EncodeToString(random)
	var current *account
	return password, current.writeFile(path, []byte(password+"\n"))
}

// create makes the cluster with initdb, in a temporary directory that it renames at the end: an interrupted initdb
// leaves nothing that looks like a cluster.
func (c cluster) create(ctx context.Context, password string) error {
	unfinished, passwordFile := c.dir+".new", c.dir+".pwfile"
	if err := removeUnfinished(ctx, unfinished); err != nil {
		return err
	}
	if err := removeEmpty(c.dir); err != nil {
		return err
	}
	if err := os.Mkdir(unfinished, 0o700); err != nil {
		return err
	}
	if err := c.account.own(unfinished); err != nil {
		return err
	}
	if err := c.account.writeFile(passwordFile, []byte(password+"\n")); err != nil {
		return err
	}
	err := errors.Join(c.initdb(ctx, unfinished, passwordFile), os.Remove(passwordFile))
	if err == nil {
		err = c.keepSettings(unfinished)
	}
	if err != nil {
		return errors.Join(err, removeUnfinished(context.WithoutCancel(ctx), unfinished))
	}
	return os.Rename(unfinished, c.dir)
}

// sharedMemory is the setting that initdb finds by trial on this machine.
var sharedMemory = regexp.MustCompile(`(?m)^dynamic_shared_memory_type = \w+`)

// keepSettings starts the user's settings file with the settings that initdb found for this machine.
func (c cluster) keepSettings(dir string) error {
	found, err := os.ReadFile(filepath.Join(dir, "postgresql.conf"))
	if err != nil {
		return err
	}
	text := "# Settings of your own, which win; florin never changes this file again.\n" +
		sharedMemory.FindString(string(found)) + "\n"
	return c.account.writeFile(filepath.Join(dir, localSettings), []byte(text))
}

// removeUnfinished deletes the files of an interrupted initdb, once its temporary server has ended.
func removeUnfinished(ctx context.Context, path string) error {
	if _, err := waitUntil(ctx, stopGrace, func() bool { return !inUse(path) }); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// removeEmpty removes an empty directory. A directory with files but no PG_VERSION is not ours to delete.
func removeEmpty(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is no database (it has no PG_VERSION) and is not empty: move it away: %w", path, err)
	}
	return nil
}

func (c cluster) initdb(ctx context.Context, dir, passwordFile string) error {
	arguments := []string{
		"--pgdata", dir, "--username", superuser, "--pwfile", passwordFile,
		"--encoding", "UTF8", "--locale", "C", "--auth", "scram-sha-256",
	}
	if c.ephemeral {
		arguments = append(arguments, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, c.binaries.initdb(), arguments...)
	cmd.Dir, cmd.Env = "/", environment()
	c.account.apply(cmd)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	// An initdb that outlives florin would write to the directory of the next start.
	running, err := process.Start(cmd, syscall.SIGKILL)
	if err == nil {
		<-running.Done()
		err = running.Err()
	}
	if err != nil {
		return explain(fmt.Errorf("initdb could not make the database in %s: %w", c.dir, err), complaints(output.String()))
	}
	return nil
}

// environment is the environment without variables that change PostgreSQL's programs.
func environment() []string {
	var entries []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "PG") || strings.HasPrefix(name, "LC_") || name == "LANG" || name == "TZ" {
			continue
		}
		entries = append(entries, entry)
	}
	return append(entries, "LC_ALL=C")
}
