// Mutations checks that tests can fail. The table protections.md lists the protections of the node, each with a change
// that removes it, and the tests that must fail then. `make test/mutations` makes each change and runs its tests.
//
// It does not edit the tree: the compiler reads the changed files by `go test -overlay`. A test counts as failed if one
// of its assertions fails, not if the change does not compile, panics or ends in a timeout.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutations: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutations", flag.ContinueOnError)
	only := flags.String("only", "", "make only mutations whose protection, place or test matches this regular expression")
	list := flags.Bool("list", false, "list the mutations and end")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	mutations, err := readTable(root)
	if err != nil {
		return err
	}
	mutations = choose(mutations, chosen)
	if len(mutations) == 0 {
		return fmt.Errorf("no mutation matches %q", *only)
	}
	if *list {
		for _, m := range mutations {
			fmt.Fprintln(out, m.protection)
		}
		return nil
	}
	return check(ctx, runner{root: root}, mutations, out)
}

func choose(mutations []mutation, chosen *regexp.Regexp) []mutation {
	var kept []mutation
	for _, m := range mutations {
		if chosen.MatchString(m.String()) {
			kept = append(kept, m)
		}
	}
	return kept
}

// check makes each mutation and prints its result. The error counts the mutations without a failed test.
func check(ctx context.Context, r runner, mutations []mutation, out io.Writer) error {
	begun := time.Now()
	fmt.Fprintf(out, "running the tests of %d mutations on the tree as it is: they must pass\n", len(mutations))
	if err := r.baseline(ctx, mutations); err != nil {
		return err
	}
	unseen := 0
	for i, m := range mutations {
		before := time.Now()
		result, err := r.try(ctx, m)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", m.protection, err), ctx.Err())
		}
		fmt.Fprintf(out, "%3d/%d %4.0f s  %-14s %s\n", i+1, len(mutations), time.Since(before).Seconds(),
			result.verdict, m.protection)
		if result.verdict != seen {
			unseen++
			fmt.Fprintf(out, "      %s\n%s", m.tests, result.evidence)
		}
	}
	fmt.Fprintf(out, "removed %d protections, and the tests of %d failed, in %.0f s\n",
		len(mutations), len(mutations)-unseen, time.Since(begun).Seconds())
	if unseen > 0 {
		return fmt.Errorf("the tests of %d of %d protections do not fail when the protection is removed", unseen, len(mutations))
	}
	return nil
}
