package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// commonTag marks the flags that people use, of a command with many. --help shows only them, --help-all shows all.
const commonTag = "common"

func helpOptions() kong.HelpOptions {
	return kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 120}
}

// printHelp prints the help of a command, which fits a screen.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	hidden := 0
	if selected := ctx.Selected(); selected != nil {
		hidden = hideRare(selected.Flags)
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || hidden == 0 {
		return err
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\n`%s --help-all` shows %d more flags.\n", ctx.Selected().FullPath(), hidden)
	return err
}

// manyFlags is the number of flags that fit a screen.
const manyFlags = 20

// hideRare hides the flags that are not common and shortens the text of the others, if there are many flags. It returns
// the number of hidden flags.
func hideRare(flags []*kong.Flag) (hidden int) {
	if len(flags) <= manyFlags {
		return 0
	}
	for _, flag := range flags {
		if !flag.Tag.Has(commonTag) {
			flag.Hidden = true
			hidden++
		} else if first, _, more := strings.Cut(flag.Help, ". "); more {
			flag.Help = first + "."
		}
	}
	return hidden
}

// helpAllFlag prints the help of a command with all flags.
type helpAllFlag bool

// IgnoreDefault is called by kong.
func (helpAllFlag) IgnoreDefault() {}

// BeforeReset is called by kong before it checks the other arguments.
func (helpAllFlag) BeforeReset(ctx *kong.Context) error {
	options := helpOptions()
	options.ValueFormatter = kong.DefaultHelpValueFormatter
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}
