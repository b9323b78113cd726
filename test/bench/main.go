package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// version is that of the source tree, which `make bench` sets.
var version = "unknown"

// collectorPercent lets the heap of the load generator grow to five times what is in use.
const collectorPercent = 400

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// Leave the CPUs to the measured processes instead of the collector of the load generator.
	debug.SetGCPercent(collectorPercent)
	options := Options{Version: version, Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	kong.Parse(&options, kong.Name("bench"),
		kong.Description("Measure a running node against the ceilings under it."))
	if err := Run(ctx, options, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		os.Exit(1)
	}
}
