package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// readSettingsFile reads settings as `florin config` prints them: NAME="value" with the name of the environment
// variable. Empty lines and those that begin with # say nothing.
func readSettingsFile(file io.Reader) (kong.Resolver, error) {
	values := map[string]string{}
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found || !strings.HasPrefix(name, "FLORIN_") {
			return nil, fmt.Errorf("line %d is no setting: write FLORIN_NAME=\"value\"", number)
		}
		if strings.HasPrefix(value, `"`) {
			unquoted, err := strconv.Unquote(value)
			if err != nil {
				return nil, fmt.Errorf("line %d: the value of %s is not quoted as it must be", number, name)
			}
			value = unquoted
		}
		values[name] = value
	}
	resolve := func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if os.Getenv(name) != "" {
				return nil, nil //nolint:nilnil // the environment wins
			}
			if value, ok := values[name]; ok {
				return value, nil
			}
		}
		return nil, nil //nolint:nilnil // the file says nothing of it
	}
	return kong.ResolverFunc(resolve), lines.Err()
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
	return commandOf(parsed).(rereader).node(), nil //nolint:forcetypeassert // no other command calls this
}
