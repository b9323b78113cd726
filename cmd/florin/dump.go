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

// This file reads the archives of pg_dump without a database. pg_restore writes them out as text; of that, rows of data
// are taken, and no statement is ever run: whoever made the archive chose its statements.

// dumpFile is an archive of pg_dump in its custom format.
type dumpFile struct {
	path string
	// program is the pg_restore that reads it.
	program string
	// size is how many bytes it has, max how many it may unpack to.
	size, max int64
}

// An archive is compressed, so a small one can unpack to more than a disk holds: a thousand times its size. Those of a
// record unpack to five to twenty times theirs.
const (
	usualUnpacking = 100
	minUnpacked    = 1 << 30
	// maxUnpackedList bounds what an archive lists as its content, and the versions of its schema.
	maxUnpackedList = 16 << 20
)

// openDump opens an archive that may unpack to so many bytes; 0 means as many as are usual for its size.
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

// unpacked reads what an archive unpacks to, up to a bound.
type unpacked struct {
	from      io.Reader
	dump      dumpFile
	max, left int64
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	if u.left < 0 {
		return 0, fmt.Errorf("the archive %s of %d bytes unpacks to more than %d bytes, which is more than a backup of "+
			"florin does: if you know what is in it and have the room, restore it with a larger --max-unpacked", u.dump.path,
			u.dump.size, u.max)
	}
	n, err := u.from.Read(p[:min(int64(len(p)), u.left+1)])
	u.left -= int64(n)
	return n, err
}

// run has pg_restore write something about the archive, and hands it to read, as long as it has no more than so many
// bytes.
func (d dumpFile) run(
	ctx context.Context, maxBytes int64, read func(output io.Reader) error, arguments ...string,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends a program whose output is not wanted any more
	command := exec.CommandContext(ctx, d.program, append(arguments, d.path)...)
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("run pg_restore: %w", err)
	}
	maxBytes = min(maxBytes, d.max)
	if err := read(&unpacked{from: output, dump: d, max: maxBytes, left: maxBytes}); err != nil {
		cancel()
		_ = command.Wait() // it was told to end
		return err
	}
	if err := command.Wait(); err != nil {
		return fmt.Errorf("the dump cannot be read: pg_restore: %w\n%s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// rowsReader takes the rows of a table, in the text format of COPY.
type rowsReader func(table string, columns []string, rows io.Reader) error

// rows reads the data of all tables, or of one that is small.
func (d dumpFile) rows(ctx context.Context, table string, take rowsReader) error {
	arguments, maxBytes := []string{"--data-only", "--no-owner", "--no-privileges", "--file=-"}, d.max
	if table != "" {
		arguments, maxBytes = append(arguments, "--table="+table), maxUnpackedList
	}
	return d.run(ctx, maxBytes, func(output io.Reader) error { return scanRows(output, take) }, arguments...)
}

// copyLine is how pg_dump begins the rows of a table.
var copyLine = regexp.MustCompile(`^COPY public\.([a-z_][a-z0-9_]*) \(([a-z0-9_", ]+)\) FROM stdin;$`)

// lineBuffer is how much is read at once.
const lineBuffer = 1 << 20

// scanRows finds the rows in a script of pg_restore. It leaves alone what else is there, and refuses rows in a form
// that it does not know.
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
			return fmt.Errorf("the dump has rows in a form that florin does not make, and nothing of it was run: %.200s", text)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

// copyRows are the rows of one table, up to the line that ends them.
type copyRows struct {
	in      *bufio.Reader
	rest    []byte // of what was read from in
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

// steps are the migrations that had been applied to what was dumped, in order.
func (d dumpFile) steps(ctx context.Context) (steps []int64, err error) {
	for _, table := range db.StepTables() {
		if steps, err = d.stepsIn(ctx, table, steps); err != nil {
			return nil, err
		}
	}
	if len(steps) == 0 {
		return nil, errors.New("the dump does not say which version of the schema it has: it is no backup of florin")
	}
	slices.Sort(steps)
	return steps, nil
}

// stepsIn adds the steps that a table of the dump has, if it has that table.
func (d dumpFile) stepsIn(ctx context.Context, table string, steps []int64) ([]int64, error) {
	err := d.rows(ctx, table, func(name string, columns []string, rows io.Reader) error {
		version, applied := slices.Index(columns, "version_id"), slices.Index(columns, "is_applied")
		if name != table || version < 0 || applied < 0 {
			return fmt.Errorf("the dump has a table %s with columns %v in the place of the schema's version", name, columns)
		}
		lines := bufio.NewScanner(rows)
		for lines.Scan() {
			values := strings.Split(lines.Text(), "\t")
			if len(values) != len(columns) || values[applied] != "t" {
				continue
			}
			step, err := strconv.ParseInt(values[version], 10, 64)
			if err != nil {
				return fmt.Errorf("the dump has a version of the schema that is no number: %.40q", values[version])
			}
			if step > 0 && !slices.Contains(steps, step) {
				steps = append(steps, step)
			}
		}
		return lines.Err()
	})
	return steps, err
}

// What a record consists of, as pg_restore lists it. Tables and functions must be known by name as well.
var (
	ownEntries = regexp.MustCompile(`^(SEQUENCE|SEQUENCE OWNED BY|SEQUENCE SET|DEFAULT|CONSTRAINT|FK CONSTRAINT|` +
		`CHECK CONSTRAINT|INDEX) public |^(SCHEMA|COMMENT|ACL|DEFAULT ACL) `)
	tableEntry    = regexp.MustCompile(`^TABLE (?:DATA )?public (\S+) `)
	functionEntry = regexp.MustCompile(`^FUNCTION public ([^ (]+)\(`)
	entryLine     = regexp.MustCompile(`^\d+; \d+ \d+ (.+)$`)
)

// foreign lists what the archive holds that is no part of a record.
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
			if ownEntries.MatchString(entry[1]) || table != nil && isTable(table[1]) ||
				function != nil && isFunction(function[1]) {
				continue
			}
			found = append(found, entry[1])
		}
		return lines.Err()
	}, "--list")
	return found, err
}
