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

// maxFileBytes bounds the DAR files that are read.
const maxFileBytes = 256 << 20

// file is a DAR file that was read.
type file struct {
	path     string
	dar      *archive.DAR
	packages ast.Packages
	// source finds the source of a module of the main package.
	source func(module string) (string, bool)
}

// readFile reads a DAR file.
func readFile(path string, options archive.Options) (*file, error) {
	data, err := content(path)
	if err != nil {
		return nil, refused(path, err)
	}
	if data == nil {
		data = []byte{} // which is read, and empty
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

// refused says why a file is not taken, with what to do.
func refused(path string, err error) error { return refusedContent(path, nil, err) }

// refusedContent says why a file is not taken, with what to do about what is in it.
func refusedContent(path string, data []byte, err error) error {
	hint := ""
	if refusal, ok := fault.As(err); ok {
		hint = refusal.Hint
		switch {
		case hint == fault.DARParseError.Hint || hint == fault.InvalidDAR.Hint: // which are about uploads
			hint = hintOf(data)
		case refusal.Code == fault.ZipBomb.ID:
			hint = "Is it a file that the compiler wrote? No published one comes near this bound."
		}
	}
	return console.Fail(console.ExitFailed, console.Plain(hint), "%s: %w", console.Plain(path), plainError{err})
}

// zipBegins and zipEnds are found in every zip archive: before its first file, and before what lists its files.
const zipBegins, zipEnds = "PK\x03\x04", "PK\x05\x06"

// hintOf says what a file that is no DAR seems to be, and what to do.
func hintOf(data []byte) string {
	const compiled = "Name the .dar file that the compiler wrote, such as .daml/dist/NAME-VERSION.dar."
	switch {
	case len(data) == 0:
		return "The file is empty. " + compiled
	case bytes.HasPrefix(data, []byte(zipBegins)) && !bytes.Contains(data, []byte(zipEnds)):
		return "The end of the file is missing: build it or copy it again."
	case bytes.HasPrefix(data, []byte(zipBegins)):
		if bytes.Contains(data, []byte("META-INF/MANIFEST.MF")) {
			return "Is it the file that the compiler wrote, for a Daml-LF version from 2.1 to 2.3?"
		}
		return "It is an archive of something else. " + compiled
	}
	if _, err := archive.ReadPackage(data, archive.Options{Dev: true}); err == nil {
		return "It is one package alone, as it lies in a DAR file. " + compiled
	}
	return compiled
}

func content(path string) ([]byte, error) {
	opened, err := os.Open(path) //nolint:gosec // whoever runs the command names its files
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			return nil, cause // without the path, which is said already
		}
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(opened, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = fmt.Errorf("the file is larger than %d bytes", maxFileBytes)
	}
	return data, errors.Join(err, opened.Close())
}

// modulesWithSource are the modules of the main package whose sources the archive holds.
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
