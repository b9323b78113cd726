package daml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// maxFileBytes limits the size of a DAR file.
const maxFileBytes = 256 << 20

// file is a parsed DAR file.
type file struct {
	path     string
	dar      *archive.DAR
	packages ast.Packages
	// source finds the source of a module of the main package.
	source func(module string) (string, bool)
}

func readFile(path string, options archive.Options) (*file, error) {
	data, err := content(path)
	if err != nil {
		return nil, refused(path, err)
	}
	if data == nil {
		data = []byte{} // nil would mean unknown content
	}
	dar, err := archive.ReadDAR(data, options)
	if err != nil {
		return nil, refusedContent(path, data, err)
	}
	out := &file{path: path, dar: dar, packages: make(ast.Packages, len(dar.Packages)), source: dar.Source}
	for _, p := range dar.Packages {
		out.packages[p.ID] = p
	}
	return out, nil
}

func refused(path string, err error) error { return refusedContent(path, nil, err) }

// refusedContent adds a hint to the refusal of a file, by its content.
func refusedContent(path string, data []byte, err error) error {
	hint := ""
	if refusal, ok := fault.As(err); ok {
		hint = refusal.Hint
		switch {
		case hint == fault.DARParseError.Hint || hint == fault.InvalidDAR.Hint: // these hints are about uploads
			hint = hintOf(data)
		case refusal.Code == fault.ZipBomb.ID:
			hint = "Has the compiler written this file? No published DAR file comes near this limit."
		}
	}
	return console.Fail(console.ExitFailed, console.Plain(hint), "%s: %w", console.Plain(path), plainError{err})
}

// zipBegins and zipEnds are in every zip archive: before its first file, and before the end of its list of files.
const zipBegins, zipEnds = "PK\x03\x04", "PK\x05\x06"

// hintOf guesses the kind of a file that is not a DAR file.
func hintOf(data []byte) string {
	const compiled = "Use the .dar file that the compiler wrote, such as .daml/dist/NAME-VERSION.dar."
	switch {
	case len(data) == 0:
		return "The file is empty. " + compiled
	case bytes.HasPrefix(data, []byte(zipBegins)) && !bytes.Contains(data, []byte(zipEnds)):
		return "The end of the file is missing. Build or copy it again."
	case bytes.HasPrefix(data, []byte(zipBegins)):
		if bytes.Contains(data, []byte("META-INF/MANIFEST.MF")) {
			return "Has the compiler written this file, for Daml-LF 2.1 to 2.3?"
		}
		return "The file is another kind of archive. " + compiled
	}
	if _, err := archive.ReadPackage(data, archive.Options{Dev: true}); err == nil {
		return "The file is a single package from a DAR file. " + compiled
	}
	return compiled
}

func content(path string) ([]byte, error) {
	opened, err := os.Open(path) //nolint:gosec // whoever runs the command names its files
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			return nil, cause // the caller adds the path
		}
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(opened, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = fmt.Errorf("the file is larger than %d bytes", maxFileBytes)
	}
	return data, errors.Join(err, opened.Close())
}

// modulesWithSource are the modules of the main package with sources in the archive.
func (f *file) modulesWithSource() []string {
	var names []string
	for _, module := range f.dar.Main.Modules {
		if _, ok := f.source(module.Name); ok {
			names = append(names, module.Name)
		}
	}
	slices.Sort(names)
	return names
}
