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

// parserOptions are how every command line is read and explained.
func parserOptions() []kong.Option {
	values := node.Variables()
	values["version"] = "florin " + fullVersion()
	return []kong.Option{
		kong.Name("florin"),
		kong.Description("A Canton-style ledger with a coin, in one program.\n\nFrom nothing to the first transfer: " +
			"florin up, then beside it florin party new alice bob, florin tap alice 100, florin send alice bob 5."),
		kong.Vars(values),
		kong.Configuration(readSettingsFile),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 120}),
	}
}

// helpCommand is there for --help to show it: [helpArguments] turns it into --help.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command, as in: florin help party new."`
}

// helpArguments makes --help of `help`: florin help send becomes florin send --help.
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

// unknown finds what a command line has that no command knows, in kong's words.
var unknown = regexp.MustCompile(`^unexpected argument (\S+)|^unknown flag (-\S+)`)

// taken finds a flag with what kong took for another flag where the value should be.
var taken = regexp.MustCompile(`^(--\S+): expected .* value but got "(.*)" \((?:short|long) flag\)`)

// negative finds what begins with a number below 0.
var negative = regexp.MustCompile(`^-[0-9.]`)

// plainly says in plainer words what kong says of what was left out.
func plainly(text string) string {
	if rest, found := strings.CutPrefix(text, "expected one of "); found {
		return "missing: one of the commands " + strings.ReplaceAll(rest, `"`, "")
	}
	if rest, found := strings.CutPrefix(text, `expected "`); found {
		return "missing: " + strings.TrimSuffix(rest, `"`)
	}
	return text
}

// explainUsage says of a wrong command line what is wrong, with the nearest thing that is right, and how to learn more.
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
			text = taken[1] + " " + taken[2] + ": a number here is above 0"
		}
	}
	found := unknown.FindStringSubmatch(text)
	if found == nil {
		return console.Fail(console.ExitUsage, "`"+help+"` shows how it is used", "%s", plainly(text))
	}
	what, name, names := "command", found[1], commandNames(node)
	switch {
	case found[2] != "":
		what, name, names = "flag", found[2], flagNames(node)
	case len(names) == 0:
		what = "argument"
	}
	if _, number := strconv.ParseFloat(name, 64); number == nil && what == "flag" {
		return console.Fail(console.ExitUsage, "`"+help+"` shows how it is used", "%s: a number here is above 0", name)
	}
	hint := "`" + help + "` shows what there is"
	if nearest, ok := console.Nearest(name, names); ok {
		hint = "did you mean " + nearest + "? " + hint
	}
	return console.Fail(console.ExitUsage, hint, "unknown %s %s", what, name)
}

// commandNames are the commands below a node.
func commandNames(node *kong.Node) []string {
	var names []string
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return names
}

// flagNames are the flags that a command takes.
func flagNames(node *kong.Node) []string {
	names := map[string]bool{"--help": true}
	for _, flags := range node.AllFlags(true) {
		for _, flag := range flags {
			names["--"+flag.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
