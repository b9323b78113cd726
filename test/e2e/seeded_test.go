package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
)

// darFile writes a package of notes to a new file.
func darFile(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".dar")
	require.NoError(t, os.WriteFile(path, dartest.Build(t, dartest.Notes(name, "1.0.0", "")), 0o600))
	return path
}

// versionsOf are the versions of a package that commands may use.
func versionsOf(p person, name string) []string {
	p.t.Helper()
	var out []string
	for _, pkg := range reads[[]client.Package](p, "dar list") {
		if pkg.Name == name {
			out = append(out, pkg.Version)
		}
	}
	return out
}

// TestUp_UploadsDARFiles starts a node that uploads two files, starts it again, and watches a third one.
func TestUp_UploadsDARFiles(t *testing.T) {
	t.Parallel()
	first, second := darFile(t, "first"), darFile(t, "second")
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

// watches runs dar watch on a file while it changes.
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

// scriptsFile writes a package with scripts to a new file. Its Setup:init allocates alice.
func scriptsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seed.dar")
	require.NoError(t, os.WriteFile(path, dartest.Scripts(t, "seed", "1.0.0", "alice"), 0o600))
	return path
}

// TestInitScript_RunsOnce starts a node with an init script, again, and with another init script. Then it runs further
// scripts.
func TestInitScript_RunsOnce(t *testing.T) {
	t.Parallel()
	dar, notes := scriptsFile(t), darFile(t, "notes")
	n := up(t, dataDir(t), "--dar", notes, "--dar", dar, "--init-script", "Setup:init")
	p := person{t: t, node: n}
	require.Contains(t, n.stdout.String(), "run Setup:init of "+dar)
	require.Contains(t, n.stdout.String(), "\nThe init script:\n\n  Setup:init of seed.dar, run at ")
	require.Contains(t, n.stdout.String(), "\n  alice::1220")
	n.interrupt(t)

	again := up(t, n.dir, "--dar", dar, "--init-script", "Setup:fails")
	require.Contains(t, again.stdout.String(), "skip Setup:fails: this ledger has run Setup:init")
	require.Contains(t, again.stdout.String(), "\n  alice::1220")
	p.node = again
	p.runsScripts(dar)
	again.interrupt(t)
	require.Contains(t, up(t, n.dir).stdout.String(), "The init script:")
}

// runsScripts runs scripts by the command line.
func (p person) runsScripts(dar string) {
	t := p.t
	t.Helper()
	here := t.TempDir
	input, output := filepath.Join(here(), "name.json"), filepath.Join(here(), "party.json")
	require.NoError(t, os.WriteFile(input, []byte(`"bob"`), 0o600))
	require.Regexp(t, `^ok      Setup:named \(.* ms, 0 transactions\)\n  bob::1220\w+\n$`,
		p.types("script "+dar+" Setup:named --input-file "+input+" --output-file "+output))
	written, err := os.ReadFile(output)
	require.NoError(t, err)
	require.Regexp(t, `^"'?bob::1220\w+'?"\n$`, string(written))
	taken := p.types("script " + dar + " Setup:init --party alice")
	require.Contains(t, taken, "  alice::1220")
	require.Contains(t, p.types("script "+dar+" Setup:init --party alice=bob --json"), `"parties":["bob::1220`)

	failed := run(t, nil, p.arguments("script "+dar+" Setup:init")...)
	require.Equal(t, 1, failed.exitCode(t))
	require.Contains(t, failed.stdout.String(), "FAILED  Setup:init")
	require.Contains(t, failed.stdout.String(), "--party alice")
	failed = run(t, nil, p.arguments("script "+dar+" Setup:fails --json")...)
	require.Equal(t, 1, failed.exitCode(t))
	require.Contains(t, failed.stdout.String(), "no luck")
	other := filepath.Join(here(), "other.dar")
	require.NoError(t, os.WriteFile(other, dartest.Scripts(t, "other", "1.0.0", "carol"), 0o600))
	wrong := filepath.Join(here(), "wrong.json")
	require.NoError(t, os.WriteFile(wrong, []byte(`{`), 0o600))
	p.mistakes([]mistake{
		{"script " + other + " Setup:init", 1, []string{"the ledger does not have package other 1.0.0", "--upload-dar"}},
		{"script " + dar + " Setup:inti", 1, []string{"has no script Setup:inti", "did you mean Setup:init?"}},
		{"script " + dar + " init", 2, []string{"init is not the name of a script", "Setup:init"}},
		{"script " + dar + " Setup:named", 2, []string{"Setup:named needs an argument", "--input-file"}},
		{"script " + dar + " Setup:init --input-file " + input, 2, []string{"Setup:init takes no argument"}},
		{"script " + dar + " Setup:named --input-file " + wrong, 1, []string{"wrong.json: this is not JSON"}},
		{"script " + dar + " Setup:named --input-file " + here() + "/no", 1, []string{"no such file"}},
		{"script " + dar + " Setup:init --output-file " + here() + "/no/out", 2, []string{"there is no directory"}},
		{"script " + dar + " Setup:init --party nobody", 1, []string{"nobody"}},
		{"script " + dar + " Setup:init --timeout 0s", 2, []string{"--timeout"}},
		{"script " + dar + " Setup:init --user nobody", 4, []string{"token"}},
	}...)
	require.Contains(t, p.types("script "+other+" Setup:init --upload-dar"), "carol::1220")
}

// TestInitScript_DoesNotRunAgainAfterAFailure starts a node with an init script that fails.
func TestInitScript_DoesNotRunAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	dir, dar := dataDir(t), scriptsFile(t)
	arguments := upArguments(dir, "--dar", dar, "--init-script", "Setup:fails")
	failed := run(t, nil, arguments...)
	require.Equal(t, 1, failed.exitCode(t))
	require.Contains(t, failed.stdout.String(), "FAILED  Setup:fails")
	require.Contains(t, failed.stderr.String(), "the init script: Setup:fails of seed.dar failed: ")
	refused := run(t, nil, arguments...)
	require.Equal(t, 1, refused.exitCode(t))
	require.Contains(t, refused.stderr.String(), "did not finish; florin does not run it again")
	require.Contains(t, refused.stderr.String(), "reset")
	without := up(t, dir)
	require.Contains(t, without.stdout.String(), "did not finish")
}

func TestUp_ChecksDARsAndScriptsBeforeItStarts(t *testing.T) {
	t.Parallel()
	dir, dar, scripts := t.TempDir(), darFile(t, "notes"), scriptsFile(t)
	for _, wrong := range []mistake{
		{"up --dar", 2, []string{"--dar", "its value is missing"}},
		{"up --dar " + dir + "/no.dar", 2, []string{"no.dar: no such file", "that the compiler wrote"}},
		{"up --dar " + dir, 2, []string{dir + " is a directory"}},
		{"up --auth-jwks-url https://issuer.example/keys --dar " + dar, 2, []string{"development token", "leave --dar out"}},
		{"up --init-script Setup:init", 2, []string{"has no DAR file", "--dar"}},
		{"up --init-script init --dar " + scripts, 2, []string{"init is not the name of a script"}},
		{"up --init-script Setup:inti --dar " + scripts, 1, []string{"has no script Setup:inti", "did you mean Setup:init?"}},
		{"up --init-script Setup:named --dar " + scripts, 2, []string{"needs an argument"}},
		{"script", 2, []string{"missing: <dar>"}},
		{"script " + dir + "/no.dar Setup:init", 1, []string{"no.dar: no such file"}},
		{"script " + scripts + " Setup:init --url http://127.0.0.1:1", 3, []string{"no node answers"}},
		{"dar watch", 2, []string{"missing: <dar>"}},
		{"dar watch --url http://127.0.0.1:1 " + dir + "/no.dar", 1, []string{"no.dar: no such file", "build it first"}},
		{"dar watch --url http://127.0.0.1:1 " + dir, 1, []string{dir + " is a directory"}},
		{"dar watch --url http://127.0.0.1:1 " + dar, 3, []string{"no node answers"}},
		{"dar watch --token secret " + dar, 2, []string{"does not accept --token", "dar upload"}},
	} {
		if strings.Contains(wrong.line, "--url") {
			wrong.try(t)
			continue
		}
		wrong.try(t, "--data-dir", filepath.Join(dir, "data"))
	}
}
