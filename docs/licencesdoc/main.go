// Command licencesdoc writes docs/licences.md: the licence of every module in the florin program. With -check it only
// checks that the page is up to date. It always fails for a licence that is not in its list.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const page = "docs/licences.md"

func main() {
	check := flag.Bool("check", false, "only check that the page is up to date")
	flag.Parse()
	ctx := context.Background() //nolint:forbidigo // the program's own
	if err := run(ctx, *check); err != nil {
		fmt.Fprintln(os.Stderr, "licencesdoc: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, check bool) error {
	modules, err := linked(ctx)
	if err != nil {
		return err
	}
	text, err := document(modules)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(page, []byte(text), 0o644) //nolint:gosec // a page for everybody
	}
	current, err := os.ReadFile(page)
	if err == nil && string(current) != text {
		err = errors.New(page + " is out of date: run 'make generate' and commit it")
	}
	return err
}

type module struct{ Path, Version, Dir string }

// linked lists the modules with packages in the program.
func linked(ctx context.Context) ([]module, error) {
	command := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", "./cmd/florin")
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	found := map[string]module{}
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var listed struct {
			Module *struct {
				module

				Main    bool
				Replace *module
			}
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the list of modules: %w", err)
		}
		if listed.Module == nil || listed.Module.Main {
			continue // the standard library, and ourselves
		}
		if replaced := listed.Module.Replace; replaced == nil {
			found[listed.Module.Path] = listed.Module.module
		} else if !strings.HasPrefix(replaced.Path, "./devnet/substitutes/") { // those are ours
			return nil, fmt.Errorf("%s is replaced by %s, whose licence is unknown", listed.Module.Path, replaced.Path)
		}
	}
	modules := make([]module, 0, len(found))
	for _, m := range found {
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}

func document(modules []module) (string, error) {
	var text strings.Builder
	text.WriteString("# Licences\n\nThe modules that are part of the program `florin`, with the licence that each comes " +
		"with. This page is generated\n(`make generate`) and `make verify` fails when it is out of date, or when " +
		"a module's " +
		"licence is not one of those that\n`docs/licencesdoc` knows.\n\n| Module | Version | Licence |\n|---|---|---|\n")
	var failures []error
	for _, m := range modules {
		name, err := licenceOf(m)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", m.Path, m.Version, name)
	}
	text.WriteString("\nAnd these files, which are part of the program as they are:\n\n" +
		"| File | From | Version | Licence |\n|---|---|---|---|\n")
	for _, f := range files() {
		if _, err := os.Stat(f.path); err != nil {
			failures = append(failures, err)
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", f.path, f.from, f.version, f.licence)
	}
	return text.String(), errors.Join(failures...)
}

// file is a file of others that the program contains.
type file struct{ path, from, version, licence string }

func files() []file {
	return []file{{"web/assets/htmx-2.0.11.min.js", "htmx.org", "2.0.11", "0BSD"}}
}

// licenceOf reads the licence in the module's directory.
func licenceOf(m module) (string, error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", m.Path, err)
	}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if entry.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(m.Dir, entry.Name()))
		if err != nil {
			return "", fmt.Errorf("%s: %w", m.Path, err)
		}
		if known := recognize(string(content)); known != "" {
			return known, nil
		}
	}
	if said, ok := withoutFile()[m.Path]; ok {
		return said, nil
	}
	return "", fmt.Errorf("%s %s has no accepted licence: see %s", m.Path, m.Version, m.Dir)
}

// withoutFile are the modules without the text of a licence, with their known licences.
func withoutFile() map[string]string {
	return map[string]string{
		"github.com/cactus/go-statsd-client/statsd": "MIT, by the heads of its files; " +
			"the text is in the repository above it",
		"github.com/nexus-rpc/nexus-proto-annotations": "none stated; comes with Temporal's API",
	}
}

// recognize finds the SPDX name of a licence by words that only it has; "" for licences that are not accepted.
func recognize(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(words string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(words)) }
	switch {
	case has("Mozilla Public License") && has("2.0"):
		return "MPL-2.0"
	case has("GNU AFFERO GENERAL PUBLIC LICENSE"), has("GNU GENERAL PUBLIC LICENSE"):
		return ""
	case has("Apache License") && has("Version 2.0"):
		return "Apache-2.0"
	case has("Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"),
		has("Permission to use, copy, modify, and distribute this software for any purpose with or without fee"):
		return "ISC"
	case has("Permission is hereby granted, free of charge"):
		return "MIT"
	case has("Redistribution and use in source and binary forms") && has("endorse or promote"):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("This is free and unencumbered software released into the public domain"):
		return "Unlicense"
	case has("CC0 1.0 Universal"):
		return "CC0-1.0"
	default:
		return ""
	}
}
