package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/internal/secret"
)

func secretFlags(parser *kong.Kong) map[string]bool {
	names := map[string]bool{}
	for _, command := range parser.Model.Leaves(false) {
		for _, flag := range flagsOf(command) {
			if flag.Tag.Has("secret") {
				names[flag.Name] = true
			}
		}
	}
	return names
}

func flagsOf(command *kong.Node) map[string]*kong.Flag {
	flags := map[string]*kong.Flag{}
	for _, group := range command.AllFlags(false) {
		for _, flag := range group {
			flags[flag.Name] = flag
		}
	}
	return flags
}

// TestSecrets_ComeFromFlagsEnvironmentOrFiles checks all commands: a secret of one command is a secret in all others,
// and has a second flag and a variable for a file.
func TestSecrets_ComeFromFlagsEnvironmentOrFiles(t *testing.T) {
	t.Parallel()
	parser := newParser()
	secrets := secretFlags(parser)
	require.Equal(t, map[string]bool{
		"auth-secret": true, "database-url": true, "temporal-api-key": true, "token": true, "web-oidc-client-secret": true,
	}, secrets)
	for _, command := range parser.Model.Leaves(false) {
		flags := flagsOf(command)
		for name := range secrets {
			given, file := flags[name], flags[name+secret.FileSuffix]
			require.Equal(t, given == nil, file == nil, "%s: --%s and its file go together", command.FullPath(), name)
			if given == nil {
				continue
			}
			require.True(t, given.Tag.Has("secret"), "%s: --%s is a secret", command.FullPath(), name)
			require.False(t, given.HasDefault, "%s: whether --%s was given is not known", command.FullPath(), name)
			require.Len(t, given.Envs, 1, "%s --%s", command.FullPath(), name)
			require.Equal(t, []string{given.Envs[0] + "_FILE"}, file.Envs, "%s --%s", command.FullPath(), file.Name)
		}
	}
}

func TestSecrets_RefuseASecondSource(t *testing.T) {
	t.Parallel()
	parser, tried := newParser(), 0
	secrets := secretFlags(parser)
	for _, command := range parser.Model.Leaves(false) {
		line := validLine(t, command)
		for name := range secrets {
			if flagsOf(command)[name] == nil {
				continue
			}
			tried++
			_, err := parseWith(parser, append(line, "--"+name+"=a", "--"+name+secret.FileSuffix+"=b"))
			require.ErrorContains(t, err, "--"+name+" and --"+name+secret.FileSuffix+" are both given", "%v", line)
			require.Equal(t, console.ExitUsage, console.CodeOf(err), "%v", line)
			for _, one := range []string{"--" + name + "=a", "--" + name + secret.FileSuffix + "=b"} {
				_, err = parseWith(parser, append(line, one))
				require.NoError(t, err, "%v %s", line, one)
			}
		}
	}
	require.Greater(t, tried, 50)
}

// validLine is a command line with all required values.
func validLine(t *testing.T, command *kong.Node) []string {
	t.Helper()
	var line []string
	for at := command; at.Parent != nil; at = at.Parent {
		line = append([]string{at.Name}, line...)
	}
	for _, flag := range flagsOf(command) {
		if flag.Required {
			line = append(line, "--"+flag.Name+"=1")
		}
	}
	for _, argument := range command.Positional {
		switch {
		case !argument.Required:
		case argument.Tag.Type == "existingdir":
			line = append(line, t.TempDir())
		default:
			line = append(line, "1")
		}
	}
	return line
}
