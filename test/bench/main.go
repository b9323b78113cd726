package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"
)

// version is that of the source tree, which `make bench` sets.
var version = "unknown"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	options := Options{Version: version, Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	kong.Parse(&options, kong.Name("bench"),
		kong.Description("Measure a running node against the ceilings under it."))
	if err := Run(ctx, options, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		os.Exit(1)
	}
}
