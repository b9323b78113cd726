package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledgerclient"
)

// darFile writes a package of notes to a file of its own.
func darFile(t *testing.T, name, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".dar")
	require.NoError(t, os.WriteFile(path, dartest.Build(t, dartest.Notes(name, version, "")), 0o600))
	return path
}

// versionsOf are the versions of a package that commands may use.
func versionsOf(p person, name string) []string {
	p.t.Helper()
	var out []string
	for _, pkg := range reads[[]ledgerclient.Package](p, "dar list") {
		if pkg.Name == name {
			out = append(out, pkg.Version)
		}
	}
	return out
}

// TestANodeStartsWithDARFiles starts a node that uploads two files, starts it again, and watches a third one.
func TestANodeStartsWithDARFiles(t *testing.T) {
	t.Parallel()
	first, second := darFile(t, "first", "1.0.0"), darFile(t, "second", "1.0.0")
	n := up(t, dataDir(t), "--dar", first, "--dar", second)
	p := person{t: t, node: n}
	require.Contains(t, n.stdout.String(), "upload "+first)
	require.Equal(t, []string{"1.0.0"}, versionsOf(p, "first"))
	require.Equal(t, []string{"1.0.0"}, versionsOf(p, "second"))
	end, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	n.interrupt(t)

	again := up(t, n.dir, "--dar", first, "--dar", second)
	p.node = again
	require.Equal(t, []string{"1.0.0"}, versionsOf(p, "first"))
	after, err := again.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, after, end)

	require.NoError(t, os.Remove(first))
	p.types("stop --node")
	require.Equal(t, "the node is running\n", p.types("start"), "it does not ask for the files again")
	p.watches(second)
	again.interrupt(t)
	broken := filepath.Join(t.TempDir(), "broken.dar")
	require.NoError(t, os.WriteFile(broken, []byte("no archive"), 0o600))
	refused := run(t, nil, upArguments(n.dir, "--dar", broken)...)
	require.Equal(t, 1, refused.exitCode(t))
	require.Contains(t, refused.stderr.String(), broken+": ")
}

// watches has a file watched while it changes.
func (p person) watches(path string) {
	t := p.t
	t.Helper()
	watch := start(t, nil, p.arguments("dar watch "+path)...)
	write := func(content []byte) {
		beside := path + ".new"
		require.NoError(t, os.WriteFile(beside, content, 0o600))
		require.NoError(t, os.Rename(beside, path))
	}
	printed := func(to *output, text string, times int) {
		await(t, "the watch says "+text, func() error {
			if said := to.String(); strings.Count(said, text) != times {
				return fmt.Errorf("it says: %s%s", watch.stdout, watch.stderr)
			}
			return nil
		})
	}
	printed(watch.stdout, "second.dar: uploaded\n", 1)
	printed(watch.stderr, "florin: watching "+path, 1)
	write(dartest.Build(t, dartest.Notes("second", "1.1.0", ", mood: Optional Text")))
	printed(watch.stdout, "second.dar: uploaded\n", 2)
	require.Equal(t, []string{"1.0.0", "1.1.0"}, versionsOf(p, "second"))
	write([]byte("half a file"))
	printed(watch.stderr, "second.dar: ", 1)
	write(dartest.Build(t, dartest.Notes("second", "1.1.0", ", tone: Optional Text")))
	printed(watch.stderr, "second.dar: ", 2)
	require.NoError(t, os.Remove(path))
	write(dartest.Build(t, dartest.Notes("second", "1.2.0", ", mood: Optional Text")))
	printed(watch.stdout, "second.dar: uploaded\n", 3)
	require.NoError(t, watch.Signal(syscall.SIGINT))
	watch.waitEnd(t)
	require.Equal(t, 130, watch.exitCode(t))
}

func TestFilesOfSeedsAreLookedAtBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	dir, dar := t.TempDir(), darFile(t, "notes", "1.0.0")
	for _, wrong := range []mistake{
		{"up --dar", 2, []string{"--dar", "its value is missing"}},
		{"up --dar " + dir + "/no.dar", 2, []string{"no.dar: no such file", "that the compiler wrote"}},
		{"up --dar " + dir, 2, []string{dir + " is a directory"}},
		{"up --auth-jwks-url https://issuer.example/keys --dar " + dar, 2, []string{"development token", "leave --dar out"}},
		{"dar watch", 2, []string{"missing: <dar>"}},
		{"dar watch --url http://127.0.0.1:1 " + dir + "/no.dar", 1, []string{"no.dar: no such file", "build it first"}},
		{"dar watch --url http://127.0.0.1:1 " + dir, 1, []string{dir + " is a directory"}},
		{"dar watch --url http://127.0.0.1:1 " + dar, 3, []string{"no node answers"}},
		{"dar watch --token secret " + dar, 2, []string{"takes no --token", "dar upload"}},
	} {
		if strings.Contains(wrong.line, "--url") {
			wrong.try(t)
			continue
		}
		wrong.try(t, "--data-dir", filepath.Join(dir, "data"))
	}
}
