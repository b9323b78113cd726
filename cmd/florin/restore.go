package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

type restoreCommand struct {
	recordPlace
	Directory       string `arg:"" help:"Directory of the backup." type:"existingdir"`
	Force           bool   `help:"Delete the present content of the database."`
	ManifestSHA256  string `name:"manifest-sha256" help:"SHA-256 that the backup's manifest must have, as florin backup printed it: then it is that backup."`
	LeaveOutForeign bool   `help:"Restore a backup that holds more than a record, such as views of an operator's own, without the rest."`
	MaxUnpacked     int64  `help:"Maximum unpacked bytes of the archive. Default: a hundred times its own size, and 1 GiB at least."`
	DespiteFindings bool   `help:"Restore a record although the audit finds that it breaks rules."`
}

// Run makes the database hold what the backup holds, and compares. A database with anything in it is refused unless
// forced, one that a node is connected to always.
//
// Nothing of the backup is run, for it may come from somebody else: the schema is made by this program, beside what the
// database holds, and gets rows of data alone. They take the place of what was there when everything about them was
// checked; until then it stays as it was.
func (c *restoreCommand) Run(ctx context.Context) (err error) {
	if c.MaxUnpacked < 0 {
		return fmt.Errorf("--max-unpacked=%d: it must be a number of bytes; left out, it goes by the size of the archive",
			c.MaxUnpacked)
	}
	m, err := readManifest(ctx, c.Directory, c.ManifestSHA256)
	if err != nil {
		return err
	}
	databaseURL, release, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
	if err := c.checkRoom(ctx, databaseURL); err != nil {
		return err
	}
	staging, err := db.Stage(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, staging.Close(context.WithoutCancel(ctx))) }()
	found, err := c.restore(ctx, m, staging)
	if err == nil {
		err = staging.Replace(ctx, c.Force)
	}
	if err != nil {
		return fmt.Errorf("%w\nnothing was restored, and the database holds what it held", err)
	}
	console.Printf("florin: restored %s, the same as in the backup of %s, into %s\n", rowsOf(found),
		m.TakenAt.Format("2006-01-02 15:04:05 MST"), c.recordPlace)
	if m.Florin != version {
		console.Printf("florin: the backup is of florin %s, this is %s, whose schema it has now\n", m.Florin, version)
	}
	console.Println("florin: if Temporal's state was lost, or the backup is of another database, run " +
		"`florin repair` on this record")
	return nil
}

// restore puts the record together and checks it.
func (c *restoreCommand) restore(
	ctx context.Context, m manifest, staging *db.Staging,
) (found db.Fingerprint, err error) {
	dump, err := openDump(ctx, filepath.Join(c.Directory, dumpName), m.PostgresMajor, c.MaxUnpacked)
	if err != nil {
		return found, err
	}
	steps, err := dump.steps(ctx)
	if err != nil {
		return found, err
	}
	if err := staging.Build(ctx, steps); err != nil {
		return found, err
	}
	isTable := func(name string) bool { return staging.Columns(name) != nil }
	if err := c.refuseForeign(ctx, dump, isTable, staging.Functions()); err != nil {
		return found, err
	}
	err = dump.rows(ctx, "", func(table string, columns []string, rows io.Reader) error {
		if !isTable(table) {
			return nil // it was to be left out
		}
		for _, column := range columns {
			if !slices.Contains(staging.Columns(table), column) {
				return fmt.Errorf("table %s of the dump has a column %s, which it has in no record of this version", table, column)
			}
		}
		return staging.Load(ctx, table, columns, rows)
	})
	if err != nil {
		return found, err
	}
	if err := staging.Finish(ctx); err != nil {
		return found, err
	}
	if c.LeaveOutForeign {
		maps.DeleteFunc(m.Fingerprint.Tables, func(name string, _ db.TableFingerprint) bool { return !isTable(name) })
	}
	if found, err = fingerprintOf(ctx, staging.URL()); err != nil {
		return found, err
	}
	if difference := m.Fingerprint.Difference(found); difference != "" {
		return found, fmt.Errorf("what was restored is not what was backed up: %s (here: the backup, there: the database)",
			difference)
	}
	if _, err := db.Migrate(ctx, staging.URL(), db.MigrateOptions{}); err != nil {
		return found, err
	}
	return found, c.examine(ctx, m, staging.URL())
}

// refuseForeign refuses an archive with anything that florin does not make.
func (c *restoreCommand) refuseForeign(
	ctx context.Context, dump dumpFile, isTable func(string) bool, functions []string,
) error {
	foreign, err := dump.foreign(ctx, isTable, func(name string) bool { return slices.Contains(functions, name) })
	if err != nil || len(foreign) == 0 || c.LeaveOutForeign {
		return err
	}
	const shown = 5
	return fmt.Errorf("the backup holds what is no part of a record: %s (%d in all): if you have made these yourself, "+
		"restore the record without them with --leave-out-foreign; else ask who made the backup",
		strings.Join(foreign[:min(len(foreign), shown)], "; "), len(foreign))
}

// examine checks the record against itself.
func (c *restoreCommand) examine(ctx context.Context, m manifest, databaseURL string) error {
	database, err := db.Open(ctx, databaseURL, db.Options{})
	if err != nil {
		return err
	}
	defer database.Close()
	node, known, err := database.Node(ctx)
	if err != nil {
		return err
	}
	if !known {
		if m.Fingerprint.Offset != 0 || m.Fingerprint.Tables["contracts"].Rows != 0 {
			return errors.New("the backup holds a record, but not the node whose record it is")
		}
		return nil
	}
	packages, err := ledger.NewPackages(builtin.Packages()...)
	if err != nil {
		return err
	}
	auditor, err := audit.New(database, packages, node.Network())
	if err != nil {
		return err
	}
	report, err := auditor.Audit(ctx, 0)
	if err != nil {
		return fmt.Errorf("audit what was restored: %w", err)
	}
	printBeginning(report.Start, report.Since)
	if report.Clean() {
		console.Printf("florin: audited %d updates, and found nothing; head: %s\n", report.Updates, report.Head())
		return nil
	}
	for _, finding := range report.Findings {
		console.Println("  " + finding.String())
	}
	if c.DespiteFindings {
		return nil
	}
	return fmt.Errorf("the record in the backup breaks a rule in %d places: it was changed after it was written; restore "+
		"another backup, or this one with --despite-findings if you know why", report.FindingCount)
}

// checkRoom sees to it that the database is empty, or may be emptied.
func (c *restoreCommand) checkRoom(ctx context.Context, databaseURL string) error {
	found, err := db.Occupants(ctx, databaseURL)
	switch {
	case err != nil:
		return err
	case found.Nodes > 0:
		return fmt.Errorf("%s has %d connections of running nodes: stop them first", c.recordPlace, found.Nodes)
	case found.Tables > 0 && !c.Force:
		return fmt.Errorf("%s is not empty, it has %d tables: restore into an empty one, or delete what it holds with "+
			"--force", c.recordPlace, found.Tables)
	default:
		return nil
	}
}

// maxManifest is how many bytes a manifest may have: some hundred for each table.
const maxManifest = 1 << 20

// readManifest reads what a backup holds, and checks that its dump is whole. If a hash is wanted, the manifest must
// have it.
func readManifest(ctx context.Context, directory, wanted string) (m manifest, err error) {
	file, size, err := openRegular(filepath.Join(directory, manifestName))
	if err != nil {
		return m, fmt.Errorf("%s is no backup of florin: %w", directory, err)
	}
	defer file.Close()
	if size > maxManifest {
		return m, fmt.Errorf("%s of %s has %d bytes, more than the %d that a backup's may have: it is no backup of florin",
			manifestName, directory, size, maxManifest)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return m, fmt.Errorf("read %s of %s: %w", manifestName, directory, err)
	}
	sum := sha256.Sum256(content)
	if found := hex.EncodeToString(sum[:]); wanted != "" && !strings.EqualFold(found, strings.TrimSpace(wanted)) {
		return m, fmt.Errorf("%s of %s has the SHA-256 %s, not the %s that you expect: it is another backup, or it was "+
			"changed", manifestName, directory, found, wanted)
	}
	if err := json.Unmarshal(content, &m); err != nil {
		return m, fmt.Errorf("read %s of %s: %w", manifestName, directory, err)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("the backup has format %d, and this florin reads format %d: use the florin that made it, %s",
			m.Format, backupFormat, m.Florin)
	}
	hash, err := hashOfFile(ctx, filepath.Join(directory, dumpName))
	if err == nil && hash != m.DumpSHA256 {
		err = fmt.Errorf("%s of %s is damaged: its SHA-256 is %s and should be %s: take another copy of the backup",
			dumpName, directory, hash, m.DumpSHA256)
	}
	return m, err
}

// regularFile reads a regular file, as far as it went when it was opened.
type regularFile struct {
	io.Reader
	io.Closer
}

// openRegular opens a file in a directory that somebody else may have filled: a link leads anywhere, and a pipe or a
// device need not have an end.
func openRegular(path string) (opened regularFile, size int64, err error) {
	found, err := os.Lstat(path)
	if err != nil {
		return opened, 0, err
	}
	if !found.Mode().IsRegular() {
		return opened, 0, fmt.Errorf("%s is not a regular file (%s), and a backup has no others: copy the file itself there",
			path, found.Mode())
	}
	// Whatever takes the file's place now is neither followed nor waited for.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return opened, 0, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(found, info) {
		err = fmt.Errorf("%s was replaced while it was opened: let nobody else write to the backup", path)
	}
	if err != nil {
		return opened, 0, errors.Join(err, file.Close())
	}
	return regularFile{io.LimitReader(file, info.Size()), file}, info.Size(), nil
}

// hashOfFile is the SHA-256 of a file of a backup, hexadecimal.
func hashOfFile(ctx context.Context, path string) (string, error) {
	file, _, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return hashOf(ctx, file)
}
