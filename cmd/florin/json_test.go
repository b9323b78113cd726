package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger/prepared"
)

// printedJSON runs a command line in this process, and parses its output.
func printedJSON(t *testing.T, out any, arguments ...string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = stdout }()
	parsed, err := parse(append(arguments, "--json"))
	require.NoError(t, err)
	parsed.BindTo(t.Context(), (*context.Context)(nil))
	require.NoError(t, parsed.Run())
	require.NoError(t, file.Close())
	content, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, out), "%s", content)
}

//nolint:paralleltest // it replaces the standard output of the process
func TestJSON_OfCommandsForOperators(t *testing.T) {
	url := recordWith(t)
	at := []string{"--database-url", url}
	head, err := dbtest.Open(t, url).Head(t.Context())
	require.NoError(t, err)

	var audited struct {
		Clean    bool     `json:"clean"`
		Offset   int64    `json:"offset"`
		Held     string   `json:"held"`
		Findings []string `json:"findings"`
	}
	printedJSON(t, &audited, append([]string{"audit"}, at...)...)
	require.True(t, audited.Clean)
	require.Equal(t, int64(head.Offset), audited.Offset)
	require.Empty(t, audited.Findings)

	directory := filepath.Join(t.TempDir(), "backup")
	var made struct {
		Directory string `json:"directory"`
		Hash      string `json:"manifest_sha256"`
		Offset    int64  `json:"offset"`
		Rows      int64  `json:"rows"`
	}
	printedJSON(t, &made, append([]string{"backup", directory}, at...)...)
	require.Equal(t, directory, made.Directory)
	require.Equal(t, int64(head.Offset), made.Offset)
	require.Positive(t, made.Rows)
	hash, err := hashOfFile(t.Context(), filepath.Join(directory, manifestName))
	require.NoError(t, err)
	require.Equal(t, hash, made.Hash)

	var pruned struct {
		Offset int64 `json:"offset"`
	}
	printedJSON(t, &pruned, append([]string{"prune", "--up-to", strconv.FormatInt(int64(head.Offset), 10)}, at...)...)
	require.Equal(t, int64(head.Offset), pruned.Offset)

	var program struct {
		Version string `json:"version"`
	}
	printedJSON(t, &program, "version")
	require.Equal(t, version, program.Version)

	var token struct {
		User    string  `json:"user"`
		Token   string  `json:"token"`
		Expires *string `json:"expires_at"`
	}
	printedJSON(t, &token, "token", "--user", "alice", "--auth-secret", "given")
	require.Equal(t, "alice", token.User)
	require.Equal(t, 2, strings.Count(token.Token, "."))
	require.Nil(t, token.Expires)
	printedJSON(t, &token, "token", "--user", "alice", "--auth-secret", "given", "--ttl", "1h")
	require.NotNil(t, token.Expires)
}

func TestTx_PrintsJSON(t *testing.T) {
	t.Parallel()
	transaction, hash := vectorTransaction(t)
	answer := asJSON(t, map[string]any{
		"preparedTransaction": transaction, "preparedTransactionHash": hash, "hashingSchemeVersion": prepared.SchemeV2,
	})
	var out bytes.Buffer
	command := txShowCommand{Output: console.Output{JSON: true}, File: "-", Scheme: "auto"}
	require.NoError(t, command.show(strings.NewReader(answer), &out))
	var shown shownSignable
	require.NoError(t, json.Unmarshal(out.Bytes(), &shown))
	require.Contains(t, shown.What, "prepared transaction ")
	require.Contains(t, shown.Text, shown.Hash)
	require.Equal(t, shown.Hash, *shown.StatedHash)
}

func TestBackup_ReadsWhatPgDumpSays(t *testing.T) {
	t.Parallel()
	progress := console.Output{}.NewProgress(t.Context())
	defer progress.End()
	notes := showDump(nil, progress)
	notes.sizes, notes.total = map[string]int64{"contracts": 30, "ledger_head": 10}, 40
	for _, piece := range []string{
		"pg_dump: last built-in OID is 16383\npg_dump: reading exten", "sions\npg_dump: saving encoding = UTF8\n",
		"pg_dump: dumping contents of table \"public.contracts\"\n",
		"pg_dump: dumping contents of table \"public.ledger_head\"\n", "pg_dump: error: connection lost\npg_dump: hint: try again\n",
	} {
		_, err := notes.Write([]byte(piece))
		require.NoError(t, err)
	}
	require.Equal(t, int64(30), notes.done)
	require.Equal(t, int64(10), notes.begun)
	require.Equal(t, "pg_dump: error: connection lost\npg_dump: hint: try again\n", notes.errors.String())
}
