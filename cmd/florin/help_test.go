package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// helpOf is what a command line with a flag of help prints, 80 columns wide.
func helpOf(t *testing.T, arguments ...string) string {
	t.Helper()
	var text bytes.Buffer
	type exited struct{}
	parser, err := kong.New(&cli{}, append(parserOptions(), kong.Writers(&text, &text), kong.Exit(func(code int) {
		require.Zero(t, code)
		panic(exited{})
	}))...)
	require.NoError(t, err)
	require.PanicsWithValue(t, exited{}, func() { _, _ = parser.Parse(arguments) })
	return text.String()
}

func TestHelp_FitsAScreen(t *testing.T) {
	t.Parallel()
	const (
		screen = 40
		// tall is the limit of commands that describe themselves in paragraphs.
		tall = 60
	)
	for _, command := range newParser().Model.Leaves(true) {
		words := strings.Fields(command.Path())
		help := helpOf(t, append(words, "--help")...)
		require.LessOrEqual(t, strings.Count(help, "\n"), tall, "%s", help)
	}
	for command, flags := range map[string][]string{
		"up":     {"--demo", "--detach", "--data-dir", "--listen", "--localnet", "--clock", "--dar", "--log-level"},
		"serve":  {"--database-url", "--temporal-address", "--listen", "--grpc-listen", "--settings-file"},
		"worker": {"--database-url", "--temporal-address", "--listen"},
	} {
		help := helpOf(t, command, "--help")
		for _, flag := range flags {
			require.Contains(t, help, flag, command)
		}
		require.NotContains(t, help, "--max-in-flight", command)
		require.Regexp(t, "\n`florin "+command+" --help-all` shows \\d+ more flags.\n$", help)
		require.LessOrEqual(t, strings.Count(help, "\n"), screen, "%s", help)
	}
}

func TestHelp_ShowsAllFlagsOnDemand(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"up", "serve", "api", "worker", "send"} {
		help := helpOf(t, command, "--help-all")
		for _, flag := range commandNamed(t, command).Flags {
			require.Regexp(t, `--(\[no-\])?`+flag.Name, help)
		}
		require.NotContains(t, help, "more flags")
	}
}

func commandNamed(t *testing.T, name string) *kong.Node {
	t.Helper()
	for _, command := range newParser().Model.Leaves(true) {
		if command.Name == name {
			return command
		}
	}
	require.Fail(t, "no command "+name)
	return nil
}
