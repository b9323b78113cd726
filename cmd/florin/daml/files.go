package daml

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/fault"
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
	dar, err := archive.ReadDAR(data, options)
	if err != nil {
		return nil, refused(path, err)
	}
	out := &file{path: path, dar: dar, packages: make(ast.Packages, len(dar.Packages)), source: dar.Source}
	for _, p := range dar.Packages {
		out.packages[p.ID] = p
	}
	return out, nil
}

// refused says why a file is not taken, with what to do.
func refused(path string, err error) error {
	hint := ""
	if refusal, ok := fault.As(err); ok {
		switch hint = refusal.Hint; refusal.Code { // it was not uploaded
		case fault.DARParseError.ID, fault.InvalidDAR.ID:
			hint = "Is it the whole file that the compiler wrote, for a Daml-LF version from 2.1 to 2.3?"
		case fault.ZipBomb.ID:
			hint = "Is it a file that the compiler wrote? No published one comes near this bound."
		}
	}
	return console.Fail(console.ExitFailed, console.Plain(hint), "%s: %w", console.Plain(path), plainError{err})
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
