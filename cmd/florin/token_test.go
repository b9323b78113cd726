package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/runfile"
)

func TestToken_IsForTheNodeOfTheDataDirectory(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, runfile.Write(directory, runfile.Info{
		PID: 1, URL: "http://127.0.0.1:1", Secret: "its own", Audience: "its audience",
	}))
	now := time.Unix(1_800_000_000, 0)
	for name, test := range map[string]struct {
		command          tokenCommand
		secret, audience string
	}{
		"of a directory":     {tokenCommand{DataDir: directory}, "its own", "its audience"},
		"of a given secret":  {tokenCommand{DataDir: directory, AuthSecret: "given"}, "given", "its audience"},
		"of a given target":  {tokenCommand{DataDir: directory, AuthAudience: "given"}, "its own", "given"},
		"of no node":         {tokenCommand{DataDir: remote.DefaultDataDir}, auth.DefaultSecret, auth.DefaultAudience},
		"of a node not here": {tokenCommand{DataDir: t.TempDir(), AuthSecret: "given"}, "given", auth.DefaultAudience},
	} {
		test.command.User = "alice"
		expected, err := auth.Mint(test.secret, test.audience, "alice", 0, now)
		require.NoError(t, err)
		token, err := test.command.mint(now)
		require.NoError(t, err, name)
		require.Equal(t, expected, token, name)
	}
	_, err := (&tokenCommand{User: "alice", DataDir: t.TempDir()}).mint(now)
	require.Equal(t, console.ExitNoNode, console.CodeOf(err))
	require.ErrorContains(t, err, "no node runs on data directory")
}
