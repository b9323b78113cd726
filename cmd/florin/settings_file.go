package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/node"
)

// settingsFileFlag names a file of settings.
type settingsFileFlag struct {
	SettingsFile kong.ConfigFlag `help:"File with settings, one per line, in the format of florin config. Flags and the environment override it." env:"FLORIN_SETTINGS_FILE" common:""`
}

// readSettingsFile reads settings as `florin config` prints them: NAME="value" with the name of the environment
// variable. It skips empty lines and lines that begin with #.
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
			return nil, fmt.Errorf("line %d is not a setting: write FLORIN_NAME=\"value\"", number)
		}
		if strings.HasPrefix(value, `"`) {
			unquoted, err := strconv.Unquote(value)
			if err != nil {
				return nil, fmt.Errorf("line %d: the value of %s has wrong quotes: write NAME=\"value\"", number, name)
			}
			value = unquoted
		}
		settings[name] = setting{value: value, line: number}
	}
	return settings, lines.Err()
}

// settingsFile is the settings of a file by the names of their variables.
type settingsFile map[string]setting

type setting struct {
	value string
	line  int
}

// Validate implements [kong.Resolver]: it refuses a name that no command has, which is a misspelt one.
func (f settingsFile) Validate(application *kong.Application) error {
	known := variablesOf(application.Node)
	for _, name := range slices.SortedFunc(maps.Keys(f), func(a, b string) int { return f[a].line - f[b].line }) {
		if slices.Contains(known, name) {
			continue
		}
		text := fmt.Sprintf("line %d of the settings file: there is no setting %s", f[name].line, name)
		if nearest, ok := console.Nearest(strings.TrimPrefix(name, prefix), withoutPrefix(known)); ok {
			text += "; did you mean " + prefix + nearest + "?"
		}
		return errors.New(text)
	}
	return nil
}

// prefix begins the names of all variables, so the search for a similar name ignores it.
const prefix = "FLORIN_"

func withoutPrefix(names []string) []string {
	names = slices.Clone(names)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], prefix)
	}
	return names
}

// variablesOf are the environment variables of a command and of its subcommands.
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
	return nil, nil // not in the file
}

// rereader is a command that reads its settings again on SIGHUP.
type rereader interface{ rereads() *node.Settings }

func (c *serveCommand) rereads() *node.Settings { return &c.Settings }

func (c *apiCommand) rereads() *node.Settings { return &c.Settings }

func (c *workerCommand) rereads() *node.Settings { return &c.Settings }

// settingsAgain parses the command line of this process again: it returns the settings of a process that starts now,
// and their values by flag.
func settingsAgain() (now *node.Settings, given map[string]string, err error) {
	parsed, err := parse(os.Args[1:])
	if err != nil {
		return nil, nil, err
	}
	return commandOf(parsed).(rereader).rereads(), settingsByFlag(parsed), nil // no other command calls this
}

// hangups receives SIGHUPs. It keeps one that arrives before the process has read its settings.
type hangups chan os.Signal

// catchHangups keeps SIGHUP from ending the process.
func catchHangups() hangups {
	caught := make(hangups, 1)
	signal.Notify(caught, syscall.SIGHUP)
	return caught
}
