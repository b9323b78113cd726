package main

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/node"
)

func parserOptions() []kong.Option {
	values := node.Variables()
	values["version"] = "florin " + fullVersion()
	return []kong.Option{
		kong.Name("florin"),
		kong.Description("A Canton-style ledger with a coin, in one program.\n\nTo make a first transfer, run florin up. " +
			"Then run these commands in another terminal:\n\n  florin party new alice bob\n  florin tap alice 100\n" +
			"  florin send alice bob 5"),
		kong.Vars(values),
		kong.Configuration(readSettingsFile),
		kong.Help(printHelp),
		kong.ConfigureHelp(helpOptions()),
	}
}

// helpCommand exists for the list of commands: [helpArguments] turns it into --help.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command, as in: florin help party new."`
}

// helpArguments turns florin help send into florin send --help.
func helpArguments(arguments []string) []string {
	if len(arguments) == 0 {
		return []string{"--help"}
	}
	if arguments[0] != "help" || slices.Contains(arguments, "--help") {
		return arguments
	}
	return append(slices.Clone(arguments[1:]), "--help")
}

// Run is never reached.
func (helpCommand) Run() error { return nil }

// unknown finds an unknown argument or flag in a message of kong.
var unknown = regexp.MustCompile(`^unexpected argument (\S+)|^unknown flag (-\S+)`)

// taken finds a flag whose value kong took for another flag.
var taken = regexp.MustCompile(`^(--\S+): expected .* value but got "(.*)" \((?:short|long) flag\)`)

// negative matches a negative number.
var negative = regexp.MustCompile(`^-[0-9.]`)

// plainly rewrites kong's message about a missing argument.
func plainly(text string) string {
	if rest, found := strings.CutPrefix(text, "expected one of "); found {
		return "missing: one of the commands " + strings.ReplaceAll(rest, `"`, "")
	}
	if rest, found := strings.CutPrefix(text, `expected "`); found {
		return "missing: " + strings.TrimSuffix(rest, `"`)
	}
	return text
}

// explainUsage turns a parse error into an error with a hint: a similar name, and the help to read.
func explainUsage(err error, model *kong.Application) error {
	node := model.Node
	if failed, ok := errors.AsType[*kong.ParseError](err); ok && failed.Context != nil {
		if selected := failed.Context.Selected(); selected != nil {
			node = selected
		}
	}
	help := strings.TrimSpace(node.FullPath()) + " --help"
	text, _, _ := strings.Cut(err.Error(), ", did you mean")
	if taken := taken.FindStringSubmatch(text); taken != nil {
		text = taken[1] + ": its value is missing"
		if negative.MatchString(taken[2]) {
			text = taken[1] + " " + taken[2] + ": the number must be above 0"
		}
	}
	found := unknown.FindStringSubmatch(text)
	if found == nil {
		return console.Fail(console.ExitUsage, "`"+help+"` shows the usage", "%s", plainly(text))
	}
	what, name, names := "command", found[1], commandNames(node)
	switch {
	case found[2] != "":
		what, name, names = "flag", found[2], flagNames(node)
	case len(names) == 0:
		what = "argument"
	}
	if _, number := strconv.ParseFloat(name, 64); number == nil && what == "flag" {
		return console.Fail(console.ExitUsage, "`"+help+"` shows the usage", "%s: the number must be above 0", name)
	}
	hint := "see `" + help + "`"
	if nearest, ok := console.Nearest(name, names); ok {
		hint = "did you mean " + nearest + "? " + hint
	}
	return console.Fail(console.ExitUsage, hint, "unknown %s %s", what, name)
}

func commandNames(node *kong.Node) []string {
	var names []string
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return names
}

func flagNames(node *kong.Node) []string {
	names := map[string]bool{"--help": true, "--help-all": true}
	for _, flags := range node.AllFlags(true) {
		for _, flag := range flags {
			names["--"+flag.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
