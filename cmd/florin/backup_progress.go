package main

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
)

// dumpNotes reads what pg_dump --verbose says: the table that it begins, and its errors.
type dumpNotes struct {
	progress *console.Progress
	sizes    map[string]int64
	// total is the size of all tables, done that of the dumped ones, and begun that of the one that pg_dump reads.
	total, done, begun int64
	// line is the beginning of a line, errors are the lines that report an error.
	line   []byte
	errors strings.Builder
}

// showDump shows the progress of pg_dump by the sizes of the tables.
func showDump(tables []db.Table, progress *console.Progress) *dumpNotes {
	notes := &dumpNotes{progress: progress, sizes: map[string]int64{}}
	for _, table := range tables {
		notes.sizes[table.Name] = table.Bytes
		notes.total += table.Bytes
	}
	progress.Begin("dump the tables", notes.total)
	return notes
}

var (
	dumpedTable = regexp.MustCompile(`^pg_dump: dumping contents of table "?(?:public"?\."?)?([a-z0-9_]+)"?$`)
	// dumpStep is a line of --verbose about a step that succeeds.
	dumpStep = regexp.MustCompile(`^pg_dump: (?:[a-z-]+ing|last) `)
)

// Write implements io.Writer.
func (n *dumpNotes) Write(p []byte) (int, error) {
	n.line = append(n.line, p...)
	for {
		line, rest, whole := bytes.Cut(n.line, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		n.read(string(line))
		n.line = rest
	}
}

func (n *dumpNotes) read(line string) {
	if table := dumpedTable.FindStringSubmatch(line); table != nil {
		n.done, n.begun = n.done+n.begun, n.sizes[table[1]]
		n.progress.Set(n.done, n.total)
		return
	}
	if !dumpStep.MatchString(line) {
		n.errors.WriteString(line + "\n")
	}
}
