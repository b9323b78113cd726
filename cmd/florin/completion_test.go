package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

func TestAShellCompletesCommandsAndFlags(t *testing.T) {
	t.Parallel()
	var commands cli
	parser, err := kong.New(&commands, parserOptions()...)
	require.NoError(t, err)
	for _, test := range []struct{ typed, expected []string }{
		{[]string{"par"}, []string{"party"}},
		{[]string{"party", ""}, []string{"new", "list"}},
		{[]string{"offers", "acc"}, []string{"accept"}},
		{[]string{"send", "alice", "bob", "5", "--no"}, []string{"--note"}},
		{[]string{"party", "new", "alice", "--j"}, []string{"--json"}},
		{[]string{"temporal-d"}, nil},
		{[]string{"nonsense", "--versio"}, []string{"--version"}},
	} {
		require.ElementsMatch(t, test.expected, completions(parser.Model.Node, test.typed), "%v", test.typed)
	}
	require.Contains(t, completions(parser.Model.Node, nil), "up")
	require.NotContains(t, completions(parser.Model.Node, nil), "testenv")
}

// TestEveryCommandIsInAGroupAndSaysWhatItDoes keeps --help whole.
func TestEveryCommandIsInAGroupAndSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	var commands cli
	parser, err := kong.New(&commands, parserOptions()...)
	require.NoError(t, err)
	for _, command := range parser.Model.Children {
		require.NotEmpty(t, command.Help, command.Name)
		require.True(t, command.Hidden || command.Group != nil, "%s is in no group", command.Name)
	}
}
