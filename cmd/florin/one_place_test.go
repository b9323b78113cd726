package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// commandsOf are the executable commands below a node of the command line.
func commandsOf(node *kong.Node) (all []*kong.Node) {
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && len(child.Children) == 0 {
			all = append(all, child)
		}
		all = append(all, commandsOf(child)...)
	}
	return all
}

// lineOf is a command line with a value for each required argument.
func lineOf(command *kong.Node, flags ...string) []string {
	var words []string
	for node := command; node.Parent != nil; node = node.Parent {
		words = append([]string{node.Name}, words...)
	}
	for _, argument := range command.Positional {
		switch {
		case !argument.Required:
		case argument.Tag.Type == "existingdir":
			words = append(words, ".")
		case argument.Tag.Type == "existingfile":
			words = append(words, "main.go")
		default:
			words = append(words, "1")
		}
	}
	for _, flag := range command.Flags {
		if flag.Required {
			words = append(words, "--"+flag.Name+"=1")
		}
	}
	return append(words, flags...)
}

func settingOf(command *kong.Node, name string) *kong.Flag {
	for node := command; node != nil; node = node.Parent {
		for _, flag := range node.Flags {
			if flag.Name == name {
				return flag
			}
		}
	}
	return nil
}

// TestDataDirectory_FlagOverridesTheEnvironment tries all commands with --data-dir: it overrides a node in the
// environment, as after florin env, and conflicts with a flag that names another node.
func TestDataDirectory_FlagOverridesTheEnvironment(t *testing.T) {
	t.Setenv("FLORIN_URL", "http://127.0.0.1:1")
	t.Setenv("FLORIN_DATABASE_URL", "postgres://florin@127.0.0.1:1/other")
	parser, tried := newParser(), 0
	for _, command := range commandsOf(parser.Model.Node) {
		if settingOf(command, dataDirFlag) == nil {
			continue
		}
		for _, other := range otherPlaces {
			if settingOf(command, other) == nil {
				continue
			}
			tried++
			parsed, err := parseWith(parser, lineOf(command, "--data-dir", "here"))
			require.NoError(t, err, command.Path())
			for _, flag := range parsed.Flags() {
				if flag.Name == other {
					require.Empty(t, flag.Target.String(), "%s: --%s", command.Path(), other)
				}
			}
			_, err = parseWith(parser, lineOf(command, "--data-dir", "here", "--"+other, "http://there"))
			require.ErrorContains(t, err, "--data-dir and --"+other+" are both given", command.Path())
			if other == "url" {
				parsed, err = parseWith(parser, lineOf(command))
				require.NoError(t, err, command.Path())
				require.True(t, strings.HasPrefix(settingOf(parsed.Selected(), other).Target.String(), "http://127.0.0.1:1"))
			}
		}
	}
	require.Greater(t, tried, 20)
}
