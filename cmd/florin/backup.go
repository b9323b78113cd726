package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/devnet/postgres"
	"github.com/florinledger/florin/devnet/process"
	"github.com/florinledger/florin/ledger"
)

// The files of a backup.
const (
	manifestName = "manifest.json"
	dumpName     = "record.dump"
	// backupFormat changes when older programs could not read a backup any more.
	backupFormat = 1
)

type manifest struct {
	Format  int       `json:"format"`
	Florin  string    `json:"florin"`
	TakenAt time.Time `json:"takenAt"`
	// PostgresMajor is the server's; pg_restore must be at least as new as the program that wrote the dump.
	PostgresMajor int `json:"postgresMajor"`
	// DumpSHA256 is the hash of the dump, hexadecimal.
	DumpSHA256  string         `json:"dumpSha256"`
	Fingerprint db.Fingerprint `json:"fingerprint"`
}

type backupCommand struct {
	recordPlace
	console.Output

	Directory string `arg:"" help:"Directory to create; it must not exist."`
}

// Run writes a dump of one moment, and the fingerprint that a restore must have. The node may run meanwhile. The
// directory appears when it is complete.
func (c *backupCommand) Run(ctx context.Context) error {
	if _, err := os.Stat(c.Directory); err == nil {
		return fmt.Errorf("%s exists already: choose another directory; a backup overwrites nothing", c.Directory)
	}
	return c.with(ctx, func(databaseURL string, database *db.DB) error { return c.backup(ctx, databaseURL, database) })
}

func (c *backupCommand) backup(ctx context.Context, databaseURL string, database *db.DB) error {
	partial := strings.TrimRight(c.Directory, "/") + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := os.Mkdir(partial, 0o700); err != nil {
		return fmt.Errorf("create the directory of the backup: %w", err)
	}
	progress := c.NewProgress(ctx)
	defer progress.End()
	var m manifest
	err := database.InSnapshot(ctx, func(snapshot db.Snapshot) (err error) {
		m, err = dump(ctx, databaseURL, snapshot, partial, progress)
		return err
	})
	progress.End()
	hash := ""
	if err == nil {
		hash, err = hashOfFile(ctx, filepath.Join(partial, manifestName))
	}
	if err == nil {
		err = os.Rename(partial, c.Directory)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return c.Print(console.Answer{
		Data: madeBackup{
			Directory: c.Directory, ManifestSHA256: hash, TakenAt: m.TakenAt, Offset: m.Fingerprint.Offset,
			Rows: m.Fingerprint.Rows(), Tables: len(m.Fingerprint.Tables),
		},
		Text: fmt.Sprintf("florin: backed up %s of %s to %s\n"+
			"florin: the backup holds the node's private key: protect it like the node\n"+
			"florin: keep this hash elsewhere: restore --manifest-sha256 %s accepts only this backup",
			rowsOf(m.Fingerprint), c.recordPlace, c.Directory, hash),
		Names: []string{hash},
	})
}

type madeBackup struct {
	Directory      string        `json:"directory"`
	ManifestSHA256 string        `json:"manifest_sha256"`
	TakenAt        time.Time     `json:"taken_at"`
	Offset         ledger.Offset `json:"offset"`
	Rows           int64         `json:"rows"`
	Tables         int           `json:"tables"`
}

// dump writes the files of a backup. The archive holds the node's private key, so it gets its name last: if this
// process is killed, no archive stays on the disk.
func dump(
	ctx context.Context, databaseURL string, snapshot db.Snapshot, directory string, progress *console.Progress,
) (m manifest, err error) {
	m = manifest{
		Format: backupFormat, Florin: version, TakenAt: time.Now().UTC(), PostgresMajor: snapshot.ServerMajor,
	}
	archive, name, err := createUnnamed(filepath.Join(directory, dumpName))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	tables, err := snapshot.Tables(ctx)
	if err != nil {
		return m, err
	}
	err = runClient(ctx, archive, showDump(tables, progress), "pg_dump", m.PostgresMajor, databaseURL, "--format=custom",
		"--no-owner", "--no-privileges", "--schema=public", "--snapshot="+snapshot.ID, "--verbose")
	if err != nil {
		return m, err
	}
	progress.Begin("compute the fingerprint", 0)
	if m.Fingerprint, err = snapshot.Fingerprint(ctx, progress.Set); err != nil {
		return m, err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return m, err
	}
	progress.Begin("compute the hash of the dump", 0)
	if m.DumpSHA256, err = hashOf(ctx, archive); err != nil {
		return m, err
	}
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	if err := os.WriteFile(filepath.Join(directory, manifestName), append(content, '\n'), 0o600); err != nil {
		return m, err
	}
	return m, name()
}

func createNamed(path string) (file *os.File, name func() error, err error) {
	file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return file, func() error { return nil }, err
}

// runClient runs a PostgreSQL program, which writes to a file. The program ends with this process.
func runClient(
	ctx context.Context, output *os.File, notes *dumpNotes, name string, major int, databaseURL string, arguments ...string,
) error {
	program, err := postgres.Program(ctx, name, major)
	if err != nil {
		return err
	}
	target, environment, err := clientEnvironment(databaseURL)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program, append([]string{"--dbname=" + target}, arguments...)...)
	command.Env, command.Stdout, command.Stderr = append(environment, "LC_ALL=C"), output, notes
	running, err := process.Start(command, syscall.SIGKILL)
	if err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	select {
	case <-running.Done():
	case <-ctx.Done():
		return errors.Join(ctx.Err(),
			running.Stop(context.WithoutCancel(ctx), syscall.SIGKILL, syscall.SIGKILL, time.Second))
	}
	if err := running.Err(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, strings.TrimSpace(notes.errors.String()))
	}
	return nil
}

// hashOf is the hexadecimal SHA-256 of the rest of a file.
func hashOf(ctx context.Context, file io.Reader) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, untilDone{ctx, file}); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// untilDone reads until a context ends: a large file takes long.
type untilDone struct {
	ctx  context.Context //nolint:containedctx // it is that of one read
	from io.Reader
}

// Read implements io.Reader.
func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}
