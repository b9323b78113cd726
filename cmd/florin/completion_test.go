package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/remote"
)

func TestCompletion_CompletesCommandsAndFlags(t *testing.T) {
	t.Parallel()
	var commands cli
	parser, err := kong.New(&commands, parserOptions()...)
	require.NoError(t, err)
	var requests []remote.Node
	names := func(node remote.Node) []string {
		requests = append(requests, node)
		return []string{"alice", "albert", "bob"}
	}
	for _, test := range []struct{ typed, expected []string }{
		{[]string{"send", "al"}, []string{"alice", "albert"}},
		{[]string{"send", "alice", ""}, []string{"alice", "albert", "bob"}},
		{[]string{"send", "alice", "bob", "a"}, nil},
		{[]string{"send", "--note", "alice", "b"}, []string{"bob"}},
		{[]string{"send", "--json", "alice", "b"}, []string{"bob"}},
		{[]string{"balance", "alice", "bob", "al"}, []string{"alice", "albert"}},
		{[]string{"offers", "al"}, []string{"alice", "albert"}},
		{[]string{"offers", "accept", "bo"}, []string{"bob"}},
		{[]string{"user", "new", "teller", "--party", "bo"}, []string{"bob"}},
		{[]string{"party", "new", "al"}, nil},
		{[]string{"logs", "te"}, []string{"temporal"}},
		{[]string{"completion", ""}, []string{"bash", "fish", "zsh"}},
		{[]string{"history", "bob", "al"}, nil},
		{[]string{"par"}, []string{"party"}},
		{[]string{"party", ""}, []string{"new", "list"}},
		{[]string{"offers", "acc"}, []string{"accept"}},
		{[]string{"send", "alice", "bob", "5", "--no"}, []string{"--note"}},
		{[]string{"party", "new", "alice", "--j"}, []string{"--json"}},
		{[]string{"temporal-d"}, nil},
		{[]string{"nonsense", "--versio"}, []string{"--version"}},
	} {
		require.ElementsMatch(t, test.expected, completions(parser.Model.Node, test.typed, names), "%v", test.typed)
	}
	require.Contains(t, completions(parser.Model.Node, nil, names), "up")
	require.NotContains(t, completions(parser.Model.Node, nil, names), "testenv")

	requests = nil
	completions(parser.Model.Node, []string{"tap", "--url=http://there", "--token", "secret", "al"}, names)
	require.Equal(t, []remote.Node{{
		DataDir: ".florin", URL: "http://there", Token: "secret", AdminUser: "ledger-api-user",
	}}, requests, "the node of the command line gets the request")
}

func TestHelp_HasAGroupAndATextForEveryCommand(t *testing.T) {
	t.Parallel()
	var commands cli
	parser, err := kong.New(&commands, parserOptions()...)
	require.NoError(t, err)
	for _, command := range parser.Model.Children {
		require.NotEmpty(t, command.Help, command.Name)
		require.True(t, command.Hidden || command.Group != nil, "%s is in no group", command.Name)
	}
}
