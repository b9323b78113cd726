package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/florinledger/florin/db"
)

type restoreCommand struct {
	recordPlace
	Directory string `arg:"" help:"Directory of the backup." type:"existingdir"`
	Force     bool   `help:"Delete what the database holds."`
}

// Run makes the database hold what the backup holds, and compares. A database with anything in it is refused unless
// forced, one that a node is connected to always.
func (c *restoreCommand) Run(ctx context.Context) (err error) {
	m, err := readManifest(c.Directory)
	if err != nil {
		return err
	}
	databaseURL, release, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
	if err := c.makeRoom(ctx, databaseURL); err != nil {
		return err
	}
	// Everything or nothing.
	err = runClient(ctx, "pg_restore", m.PostgresMajor, databaseURL, "--no-owner", "--no-privileges", "--exit-on-error",
		"--single-transaction", filepath.Join(c.Directory, dumpName))
	if err != nil {
		return fmt.Errorf("%w\nnothing was restored", err)
	}
	found, _, err := fingerprintOf(ctx, databaseURL)
	if err != nil {
		return err
	}
	if difference := m.Fingerprint.Difference(found); difference != "" {
		return fmt.Errorf("what was restored is not what was backed up: %s (here: the backup, there: the database); do not "+
			"start a node on it", difference)
	}
	fmt.Printf("florin: restored %s, the same as in the backup of %s\n", rowsOf(found),
		m.TakenAt.Format("2006-01-02 15:04:05 MST"))
	if m.Florin != version {
		fmt.Printf("florin: the backup is of florin %s, this is %s: if it asks for it, run `florin migrate`\n",
			m.Florin, version)
	}
	fmt.Println("florin: if Temporal's state was lost, start the node on a new Temporal and run `florin repair`")
	return nil
}

// makeRoom sees to it that the database is empty.
func (c *restoreCommand) makeRoom(ctx context.Context, databaseURL string) error {
	found, err := db.Occupants(ctx, databaseURL)
	switch {
	case err != nil:
		return err
	case found.Nodes > 0:
		return fmt.Errorf("the database has %d connections of running nodes: stop them first", found.Nodes)
	case found.Tables == 0:
		return nil
	case !c.Force:
		return fmt.Errorf("the database is not empty, it has %d tables: restore into an empty one, or delete what it holds "+
			"with --force", found.Tables)
	default:
		return db.Clear(ctx, databaseURL)
	}
}

// readManifest reads what a backup holds, and checks that its dump is whole.
func readManifest(directory string) (m manifest, err error) {
	content, err := os.ReadFile(filepath.Join(directory, manifestName))
	if err != nil {
		return m, fmt.Errorf("%s is no backup of florin: %w", directory, err)
	}
	if err := json.Unmarshal(content, &m); err != nil {
		return m, fmt.Errorf("read %s of %s: %w", manifestName, directory, err)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("the backup has format %d, and this florin reads format %d: use the florin that made it, %s",
			m.Format, backupFormat, m.Florin)
	}
	hash, err := hashOf(filepath.Join(directory, dumpName))
	if err == nil && hash != m.DumpSHA256 {
		err = fmt.Errorf("%s of %s is damaged: its SHA-256 is %s and should be %s: take another copy of the backup",
			dumpName, directory, hash, m.DumpSHA256)
	}
	return m, err
}
