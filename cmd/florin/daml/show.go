package daml

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
)

// DARCommand has the commands for DAR files that need no upload.
type DARCommand struct {
	Show  showCommand  `cmd:"" help:"Show what is in a DAR file: packages, templates, choices, interfaces, data types, scripts."`
	Check checkCommand `cmd:"" help:"Check DAR files like an upload, without an upload."`
}

type showCommand struct {
	console.Output

	DAR     string `arg:"" name:"dar" help:"The DAR file."`
	Package string `help:"Package of the archive to show instead of the main one: its name, or the beginning of its id."`
	Source  string `help:"Print the source of a module instead." placeholder:"MODULE"`
}

type shownSource struct {
	Module string `json:"module"`
	Source string `json:"source"`
}

// Run prints the content of the file.
func (c *showCommand) Run() error {
	read, err := readFile(c.DAR, archive.Options{Dev: true})
	if err != nil {
		return err
	}
	p, err := read.find(c.Package)
	if err != nil {
		return err
	}
	if c.Source != "" {
		return c.printSource(read, p, os.Stdout)
	}
	shown := describe(read, p)
	return c.Print(console.Answer{Data: shown, Text: shown.text(), Names: shown.names()})
}

// printSource prints the source of a module. An archive has sources of its main package only, and modules of other
// packages may have the same names.
func (c *showCommand) printSource(read *file, of *ast.Package, to io.Writer) error {
	if of != read.dar.Main {
		return console.Fail(console.ExitFailed,
			"An archive has only the sources of its main package: use the DAR file of that package.",
			"%s has no sources of package %s %s", read.path, of.Name, of.Release)
	}
	text, ok := read.source(c.Source)
	if !ok {
		hint := "The archive has no sources."
		known := read.modulesWithSource()
		if near, ok := console.Nearest(c.Source, known); ok {
			hint = fmt.Sprintf("Did you mean %s?", near)
		} else if len(known) > 0 {
			hint = "It has the sources of " + strings.Join(known, ", ") + "."
		}
		return console.Fail(console.ExitFailed, hint, "%s has no source of module %q", read.path, c.Source)
	}
	if c.JSON {
		return c.PrintTo(to, console.Answer{Data: shownSource{c.Source, text}})
	}
	_, err := io.WriteString(to, plainLines(text))
	return err
}

// find finds a package by its name or the beginning of its id; "" is the main one.
func (f *file) find(name string) (*ast.Package, error) {
	if name == "" {
		return f.dar.Main, nil
	}
	var found []*ast.Package
	var names []string
	for _, p := range f.dar.Packages {
		names = append(names, p.Name)
		if p.Name == name || strings.HasPrefix(string(p.ID), name) {
			found = append(found, p)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		ids := make([]string, len(found))
		for i, p := range found {
			ids[i] = string(p.ID)
		}
		return nil, console.Fail(console.ExitFailed, "Choose one by the beginning of its id.",
			"%s has %d packages %q: %s", f.path, len(found), name, strings.Join(clip(ids, maxListed, "package"), ", "))
	}
	hint := "Without --package the command lists all packages of the archive."
	slices.Sort(names)
	if near, ok := console.Nearest(name, names); ok {
		hint = fmt.Sprintf("Did you mean %s?", near)
	}
	return nil, console.Fail(console.ExitFailed, hint, "%s has no package %q", f.path, name)
}
