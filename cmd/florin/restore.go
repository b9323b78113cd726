package main

import (
	"bytes"
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
	Force           bool   `help:"Replace the current content of the database. Without it, the database must be empty."`
	ManifestSHA256  string `name:"manifest-sha256" help:"Expected SHA-256 of the manifest, as florin backup printed it. Any other backup is refused."`
	LeaveOutForeign bool   `help:"Leave out what is not part of a record, such as views that an operator added. Without it, such a backup is refused."`
	MaxUnpacked     int64  `help:"Maximum unpacked size of the archive in bytes. Default: a hundred times its packed size, at least 1 GiB."`
	DespiteFindings bool   `help:"Restore the record even if the audit finds that it breaks rules."`
}

// Run restores the backup into the database, and compares the two. It refuses a database with content unless --force is
// set, and always refuses one that a node uses.
//
// Run executes nothing of the backup, because a stranger may have written it: this program creates the schema beside
// the current content, and loads only rows of data. They replace the current content after all checks; until then it
// does not change.
func (c *restoreCommand) Run(ctx context.Context) (err error) {
	if c.MaxUnpacked < 0 {
		return fmt.Errorf("--max-unpacked=%d: it must not be negative; leave it out for a limit by the size of the archive",
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
	progress := console.Output{}.NewProgress(ctx)
	defer progress.End()
	found, err := c.restore(ctx, m, staging, progress)
	paused := int64(0)
	if err == nil {
		paused, err = pauseWebhooks(ctx, m, staging.URL())
	}
	if err == nil {
		err = staging.Replace(ctx, c.Force)
	}
	if err != nil {
		return fmt.Errorf("%w\nnothing was restored; the database has not changed", err)
	}
	progress.End()
	console.Printf("florin: restored %s, equal to the backup of %s, into %s\n", rowsOf(found),
		m.TakenAt.Format("2006-01-02 15:04:05 MST"), c.recordPlace)
	if m.Florin != version {
		console.Printf("florin: florin %s made the backup; the database has the schema of this florin now, %s\n",
			m.Florin, version)
	}
	if paused > 0 {
		console.Printf("florin: paused %d webhooks, whose receivers may have later events already: look at them with "+
			"`florin webhook list`, then `florin webhook resume ID`\n", paused)
	}
	console.Println("florin: if Temporal lost its state, or the backup is of another database, run " +
		"`florin repair` on this record")
	return nil
}

func (c *restoreCommand) restore(
	ctx context.Context, m manifest, staging *db.Staging, progress *console.Progress,
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
	progress.Begin("load the rows", m.Fingerprint.Rows())
	err = dump.rows(ctx, "", func(table string, columns []string, rows io.Reader) error {
		if !isTable(table) {
			return nil // refuseForeign has allowed to leave it out
		}
		for _, column := range columns {
			if !slices.Contains(staging.Columns(table), column) {
				return fmt.Errorf("table %s of the dump has a column %s, which this florin does not know", table, column)
			}
		}
		return staging.Load(ctx, table, columns, countedRows{rows, progress})
	})
	if err != nil {
		return found, err
	}
	progress.Begin("build the indexes", 0)
	if err := staging.Finish(ctx); err != nil {
		return found, err
	}
	if c.LeaveOutForeign {
		maps.DeleteFunc(m.Fingerprint.Tables, func(name string, _ db.TableFingerprint) bool { return !isTable(name) })
	}
	progress.Begin("compare the rows with the backup", 0)
	if found, err = fingerprintOf(ctx, staging.URL(), progress.Set); err != nil {
		return found, err
	}
	if difference := m.Fingerprint.Difference(found); difference != "" {
		return found, fmt.Errorf("the restored database differs from the backup: %s (here: the backup, there: the database)",
			difference)
	}
	if _, err := db.Migrate(ctx, staging.URL(), db.MigrateOptions{}); err != nil {
		return found, err
	}
	return found, c.examine(ctx, m, staging.URL(), progress)
}

// pauseWebhooks pauses the restored webhooks: they would send again what came after the backup, and those of a copy would
// send to the receivers of the original.
func pauseWebhooks(ctx context.Context, m manifest, databaseURL string) (int64, error) {
	database, err := db.Open(ctx, databaseURL, db.Options{})
	if err != nil {
		return 0, err
	}
	defer database.Close()
	return database.PauseWebhooks(ctx, fmt.Sprintf("the record was restored: it is as in the backup of %s, and the receiver "+
		"may have later events already; florin webhook resume ID goes on", m.TakenAt.Format("2006-01-02 15:04:05 MST")))
}

// countedRows shows how many rows were read, in the text format of COPY.
type countedRows struct {
	from     io.Reader
	progress *console.Progress
}

// Read implements io.Reader.
func (r countedRows) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.progress.Add(int64(bytes.Count(p[:n], []byte("\n"))))
	return n, err
}

// refuseForeign refuses an archive with objects that florin does not create.
func (c *restoreCommand) refuseForeign(
	ctx context.Context, dump dumpFile, isTable func(string) bool, functions []string,
) error {
	foreign, err := dump.foreign(ctx, isTable, func(name string) bool { return slices.Contains(functions, name) })
	if err != nil || len(foreign) == 0 || c.LeaveOutForeign {
		return err
	}
	const shown = 5
	return fmt.Errorf("the backup holds objects that are not part of a record: %s (%d in total): if you added them, "+
		"restore without them (--leave-out-foreign); if not, ask the author of the backup",
		strings.Join(foreign[:min(len(foreign), shown)], "; "), len(foreign))
}

func (c *restoreCommand) examine(
	ctx context.Context, m manifest, databaseURL string, progress *console.Progress,
) error {
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
			return errors.New("the backup holds a record without its node")
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
	showAudit(auditor, progress)
	report, err := auditor.Audit(ctx, 0)
	progress.End()
	if err != nil {
		return fmt.Errorf("audit the restored record: %w", err)
	}
	console.Printf("%s", beginningText(report.Start, report.Since))
	if report.Clean() {
		console.Printf("florin: audited %d updates and found no problem; head: %s\n", report.Updates, report.Head())
		return nil
	}
	for _, finding := range report.Findings {
		console.Println("  " + finding.String())
	}
	if c.DespiteFindings {
		return nil
	}
	return fmt.Errorf("the record in the backup breaks rules (findings: %d): somebody changed it after the node wrote "+
		"it; restore another backup, or use --despite-findings if you know the reason", report.FindingCount)
}

// checkRoom fails unless the database is empty, or --force allows to replace its content.
func (c *restoreCommand) checkRoom(ctx context.Context, databaseURL string) error {
	found, err := db.Occupants(ctx, databaseURL)
	switch {
	case err != nil:
		return err
	case found.Nodes > 0:
		return fmt.Errorf("running nodes use %s (connections: %d): stop them first", c.recordPlace, found.Nodes)
	case found.Tables > 0 && !c.Force:
		return fmt.Errorf("%s is not empty (tables: %d): restore into an empty database, or replace its content with "+
			"--force", c.recordPlace, found.Tables)
	default:
		return nil
	}
}

// maxManifest limits the bytes of a manifest, which has some hundred for each table.
const maxManifest = 1 << 20

// readManifest reads the manifest and checks the hash of the dump. The manifest must have the expected hash, unless
// that is empty.
func readManifest(ctx context.Context, directory, expected string) (m manifest, err error) {
	file, size, err := openRegular(filepath.Join(directory, manifestName))
	if err != nil {
		return m, fmt.Errorf("%s is not a backup of florin: %w", directory, err)
	}
	defer file.Close()
	if size > maxManifest {
		return m, fmt.Errorf("%s of %s has %d bytes, more than the maximum of %d: this is not a backup of florin",
			manifestName, directory, size, maxManifest)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return m, fmt.Errorf("read %s of %s: %w", manifestName, directory, err)
	}
	sum := sha256.Sum256(content)
	if found := hex.EncodeToString(sum[:]); expected != "" && !strings.EqualFold(found, strings.TrimSpace(expected)) {
		return m, fmt.Errorf("%s of %s has the SHA-256 %s, expected %s: this is another backup, or somebody changed it",
			manifestName, directory, found, expected)
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
		err = fmt.Errorf("%s of %s is damaged: its SHA-256 is %s and should be %s: use another copy of the backup",
			dumpName, directory, hash, m.DumpSHA256)
	}
	return m, err
}

// regularFile reads a regular file, up to its size when it was opened.
type regularFile struct {
	io.Reader
	io.Closer
}

// openRegular opens a file in a directory that a stranger may have filled: a link leads anywhere, and a pipe or a
// device may have no end.
func openRegular(path string) (opened regularFile, size int64, err error) {
	found, err := os.Lstat(path)
	if err != nil {
		return opened, 0, err
	}
	if !found.Mode().IsRegular() {
		return opened, 0, fmt.Errorf("%s is not a regular file (%s): copy the file itself into the backup",
			path, found.Mode())
	}
	// If somebody replaces the file now, neither follow a link nor wait for a pipe.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return opened, 0, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(found, info) {
		err = fmt.Errorf("%s changed while florin opened it: let no other program write to the backup", path)
	}
	if err != nil {
		return opened, 0, errors.Join(err, file.Close())
	}
	return regularFile{io.LimitReader(file, info.Size()), file}, info.Size(), nil
}

// hashOfFile is the hexadecimal SHA-256 of a file of a backup.
func hashOfFile(ctx context.Context, path string) (string, error) {
	file, _, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return hashOf(ctx, file)
}
