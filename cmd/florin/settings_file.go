package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
)

// readSettingsFile reads settings as `florin config` prints them: NAME="value" with the name of the environment
// variable. Empty lines and those that begin with # say nothing.
func readSettingsFile(file io.Reader) (kong.Resolver, error) {
	settings := settingsFile{}
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found || !strings.HasPrefix(name, prefix) {
			return nil, fmt.Errorf("line %d is no setting: write FLORIN_NAME=\"value\"", number)
		}
		if strings.HasPrefix(value, `"`) {
			unquoted, err := strconv.Unquote(value)
			if err != nil {
				return nil, fmt.Errorf("line %d: the value of %s is not quoted as it must be", number, name)
			}
			value = unquoted
		}
		settings[name] = setting{value: value, line: number}
	}
	return settings, lines.Err()
}

// settingsFile is a file of settings, by the names of their variables.
type settingsFile map[string]setting

type setting struct {
	value string
	line  int
}

// Validate implements [kong.Resolver]: a name that is no command's setting was misspelt, and would count for nothing.
func (f settingsFile) Validate(application *kong.Application) error {
	known := variablesOf(application.Node)
	for _, name := range slices.SortedFunc(maps.Keys(f), func(a, b string) int { return f[a].line - f[b].line }) {
		if slices.Contains(known, name) {
			continue
		}
		said := fmt.Sprintf("line %d of the settings file: there is no setting %s", f[name].line, name)
		if nearest, ok := console.Nearest(strings.TrimPrefix(name, prefix), withoutPrefix(known)); ok {
			said += "; the nearest is " + prefix + nearest
		}
		return errors.New(said)
	}
	return nil
}

// prefix begins the names of all variables: it makes none of them like another.
const prefix = "FLORIN_"

func withoutPrefix(names []string) []string {
	names = slices.Clone(names)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], prefix)
	}
	return names
}

// variablesOf are the variables of the environment that a command and those below it have settings in.
func variablesOf(node *kong.Node) []string {
	var names []string
	for _, flag := range node.Flags {
		names = append(names, flag.Envs...)
	}
	for _, child := range node.Children {
		names = append(names, variablesOf(child)...)
	}
	return names
}

// Resolve implements [kong.Resolver].
func (f settingsFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if os.Getenv(name) != "" {
			return nil, nil // the environment wins
		}
		if found, ok := f[name]; ok {
			return found.value, nil
		}
	}
	return nil, nil // the file says nothing of it
}

// rereader is a command that reads its settings again on SIGHUP, and is not ended by it.
type rereader interface{ node() *nodeSettings }

func (c *serveCommand) node() *nodeSettings { return &c.nodeSettings }

func (c *apiCommand) node() *nodeSettings { return &c.nodeSettings }

func (c *workerCommand) node() *nodeSettings { return &c.nodeSettings }

// settingsAgain are the settings of this process if it were started now with the same command line.
func settingsAgain() (*nodeSettings, error) {
	parsed, err := parse(os.Args[1:])
	if err != nil {
		return nil, err
	}
	return commandOf(parsed).(rereader).node(), nil // no other command calls this
}
