// Command release writes the downloads: archives, packages, a container image, checksums and lists of modules.
//
//	go -C release run . -version v1.2.3 -commit abc… -date 2026-11-22T10:00:00Z
//
// The same commit gives the same bytes: times come from -date, names are sorted, and no path of the machine is
// included.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release: "+err.Error())
		os.Exit(1)
	}
}

// release is one version of the program with its directories.
type release struct {
	Version, Commit string
	Date            time.Time
	// Root is the source tree, Dist the output directory.
	Root, Dist string
	// Binary, if set, is the program for every target, instead of a build.
	Binary string
}

// number is the version in the form of packages, with digits first. A tree without a tag has 0.0.0 and its commit.
func (r release) number() string {
	if number, tagged := strings.CutPrefix(r.Version, "v"); tagged {
		return number
	}
	return "0.0.0+" + strings.ReplaceAll(r.Version, "-", ".")
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	version := flags.String("version", "", "the version: a tag, or what git describe says")
	commit := flags.String("commit", "", "the commit")
	date := flags.String("date", "", "time of the commit, in RFC 3339")
	root := flags.String("root", "../..", "the source tree")
	dist := flags.String("dist", "../../dist", "output directory; its content is removed")
	only := flags.String("only", "", "one target, such as linux/amd64; default: all")
	binary := flags.String("binary", "", "program for every target, instead of a build")
	if err := flags.Parse(args); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, *date)
	if err != nil {
		return fmt.Errorf("-date: %w", err)
	}
	if *version == "" || *commit == "" {
		return errors.New("-version and -commit are required; make release gives them")
	}
	chosen, err := chooseTargets(*only)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(*dist); err != nil {
		return err
	}
	if err := os.MkdirAll(*dist, 0o755); err != nil {
		return err
	}
	r := release{Version: *version, Commit: *commit, Date: at.UTC(), Root: *root, Dist: *dist, Binary: *binary}
	return r.write(ctx, chosen)
}

// write writes the files of all targets, and then the checksums.
func (r release) write(ctx context.Context, targets []target) error {
	binaries, err := os.MkdirTemp("", "florin-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(binaries) }()
	var built []binary
	for _, t := range targets {
		fmt.Printf("release: build %s/%s\n", t.OS, t.Arch)
		b, err := r.build(ctx, t, filepath.Join(binaries, t.OS+"-"+t.Arch))
		if err != nil {
			return err
		}
		built = append(built, b)
		for _, make := range []func(binary) error{r.archive, r.packages, r.parts} {
			if err := make(b); err != nil {
				return fmt.Errorf("%s/%s: %w", t.OS, t.Arch, err)
			}
		}
	}
	if err := r.image(built); err != nil {
		return fmt.Errorf("the image: %w", err)
	}
	if err := r.copyFiles(); err != nil {
		return err
	}
	return r.checksums()
}
