package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/devnet/postgres"
)

// This file reads the archives of pg_dump without a database. pg_restore prints them as text; this program reads the
// rows of data and runs no statement, because a stranger may have written the archive.

// dumpFile is an archive of pg_dump in its custom format.
type dumpFile struct {
	path string
	// program is the pg_restore that reads it.
	program string
	// size is its bytes, max the limit of its unpacked bytes.
	size, max int64
}

// A small archive can unpack to a thousand times its size, more than a disk holds. The archive of a record unpacks to
// five to twenty times its size.
const (
	usualUnpacking = 100
	minUnpacked    = 1 << 30
	// maxUnpackedList limits the list of an archive's content, and the versions of its schema.
	maxUnpackedList = 16 << 20
)

// openDump opens an archive. maxUnpacked limits its unpacked bytes; 0 means a limit by its size.
func openDump(ctx context.Context, path string, major int, maxUnpacked int64) (dumpFile, error) {
	file, err := os.Stat(path)
	if err != nil {
		return dumpFile{}, err
	}
	if maxUnpacked == 0 {
		maxUnpacked = max(minUnpacked, usualUnpacking*file.Size())
	}
	program, err := postgres.Program(ctx, "pg_restore", major)
	return dumpFile{path: path, program: program, size: file.Size(), max: maxUnpacked}, err
}

// unpackedFiles reads the unpacked bytes of an archive, up to a limit.
type unpackedFiles struct {
	from      io.Reader
	dump      dumpFile
	max, left int64
}

// Read implements io.Reader.
func (u *unpackedFiles) Read(p []byte) (int, error) {
	if u.left < 0 {
		return 0, fmt.Errorf("the archive %s (%d bytes) unpacks to more than %d bytes, more than a usual backup: if you "+
			"trust it and have the disk space, restore it with a larger --max-unpacked", u.dump.path, u.dump.size, u.max)
	}
	n, err := u.from.Read(p[:min(int64(len(p)), u.left+1)])
	u.left -= int64(n)
	return n, err
}

// run calls read with the output of pg_restore, up to maxBytes.
func (d dumpFile) run(
	ctx context.Context, maxBytes int64, read func(output io.Reader) error, arguments ...string,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends a program whose output is not wanted any more
	command := exec.CommandContext(ctx, d.program, append(arguments, d.path)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("run pg_restore: %w", err)
	}
	maxBytes = min(maxBytes, d.max)
	if err := read(&unpackedFiles{from: output, dump: d, max: maxBytes, left: maxBytes}); err != nil {
		cancel()
		_ = command.Wait() // cancel has killed it
		return err
	}
	if err := command.Wait(); err != nil {
		return fmt.Errorf("pg_restore cannot read the dump: %w\n%s", err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

// rowsReader reads the rows of a table, in the text format of COPY.
type rowsReader func(table string, columns []string, rows io.Reader) error

// rows reads the data of all tables, or of one that is small.
func (d dumpFile) rows(ctx context.Context, table string, take rowsReader) error {
	arguments, maxBytes := []string{"--data-only", "--no-owner", "--no-privileges", "--file=-"}, d.max
	if table != "" {
		arguments, maxBytes = append(arguments, "--table="+table), maxUnpackedList
	}
	return d.run(ctx, maxBytes, func(output io.Reader) error { return scanRows(output, take) }, arguments...)
}

// copyLine is the line of pg_dump before the rows of a table.
var copyLine = regexp.MustCompile(`^COPY public\.([a-z_][a-z0-9_]*) \(([a-z0-9_", ]+)\) FROM stdin;$`)

const lineBuffer = 1 << 20

// scanRows finds the rows in a script of pg_restore. It ignores everything else, and refuses rows in an unknown form.
func scanRows(script io.Reader, take rowsReader) error {
	in := bufio.NewReaderSize(script, lineBuffer)
	for {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) { // no line of a schema is that long
			_, err = in.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		text := strings.TrimRight(string(line[:min(len(line), 4096)]), "\n")
		switch found := copyLine.FindStringSubmatch(text); {
		case found != nil && !long:
			rows := &copyRows{in: in, atStart: true}
			columns := strings.Split(strings.ReplaceAll(found[2], `"`, ""), ", ")
			if err := take(found[1], columns, rows); err != nil {
				return err
			}
			if _, err := io.Copy(io.Discard, rows); err != nil {
				return err
			}
		case strings.HasPrefix(strings.ToUpper(text), "COPY"):
			return fmt.Errorf("the dump has rows in a form that florin does not write; florin did not run any of it: %.200s", text)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

// copyRows are the rows of one table, up to the line that ends them.
type copyRows struct {
	in      *bufio.Reader
	rest    []byte // of the bytes read from in
	atStart bool   // of a line
	ended   bool
}

// Read implements io.Reader.
func (r *copyRows) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *copyRows) fill() error {
	if r.ended {
		return io.EOF
	}
	piece, err := r.in.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the dump ends in the middle of the rows of a table")
	case err != nil && !errors.Is(err, bufio.ErrBufferFull):
		return err
	case r.atStart && string(piece) == "\\.\n":
		r.ended = true
		return io.EOF
	}
	r.atStart = err == nil
	r.rest = piece
	return nil
}

// steps are the migrations of the dumped database, in order.
func (d dumpFile) steps(ctx context.Context) (steps []int64, err error) {
	for _, table := range db.StepTables() {
		if steps, err = d.stepsIn(ctx, table, steps); err != nil {
			return nil, err
		}
	}
	if len(steps) == 0 {
		return nil, errors.New("the dump has no schema version: it is not a backup of florin")
	}
	slices.Sort(steps)
	return steps, nil
}

// stepsIn adds the steps that a table of the dump has, if it has that table.
func (d dumpFile) stepsIn(ctx context.Context, table string, steps []int64) ([]int64, error) {
	err := d.rows(ctx, table, func(name string, columns []string, rows io.Reader) error {
		version, applied := slices.Index(columns, "version_id"), slices.Index(columns, "is_applied")
		if name != table || version < 0 || applied < 0 {
			return fmt.Errorf("the dump has a table %s for the schema version, with the wrong columns %v", name, columns)
		}
		lines := bufio.NewScanner(rows)
		for lines.Scan() {
			values := strings.Split(lines.Text(), "\t")
			if len(values) != len(columns) || values[applied] != "t" {
				continue
			}
			step, err := strconv.ParseInt(values[version], 10, 64)
			if err != nil {
				return fmt.Errorf("the schema version in the dump is not a number: %.40q", values[version])
			}
			if step > 0 && !slices.Contains(steps, step) {
				steps = append(steps, step)
			}
		}
		return lines.Err()
	})
	return steps, err
}

// The parts of a record, as pg_restore lists them. The names of tables and functions are checked as well.
var (
	ownEntries = regexp.MustCompile(`^(SEQUENCE|SEQUENCE OWNED BY|SEQUENCE SET|DEFAULT|CONSTRAINT|FK CONSTRAINT|` +
		`CHECK CONSTRAINT|INDEX) public |^(SCHEMA|COMMENT|ACL|DEFAULT ACL) `)
	triggerEntry  = regexp.MustCompile(`^TRIGGER public \S+ (log_change|append_only) `)
	tableEntry    = regexp.MustCompile(`^TABLE (?:DATA )?public (\S+) `)
	functionEntry = regexp.MustCompile(`^FUNCTION public ([^ (]+)\(`)
	entryLine     = regexp.MustCompile(`^\d+; \d+ \d+ (.+)$`)
)

// foreign lists the objects of the archive that are not part of a record.
func (d dumpFile) foreign(ctx context.Context, isTable, isFunction func(name string) bool) ([]string, error) {
	var found []string
	err := d.run(ctx, maxUnpackedList, func(output io.Reader) error {
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			entry := entryLine.FindStringSubmatch(lines.Text())
			if entry == nil {
				continue
			}
			table, function := tableEntry.FindStringSubmatch(entry[1]+" "), functionEntry.FindStringSubmatch(entry[1])
			if ownEntries.MatchString(entry[1]) || triggerEntry.MatchString(entry[1]) || table != nil && isTable(table[1]) ||
				function != nil && isFunction(function[1]) {
				continue
			}
			found = append(found, entry[1])
		}
		return lines.Err()
	}, "--list")
	return found, err
}
