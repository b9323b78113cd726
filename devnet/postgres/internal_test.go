package postgres

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/devtest"
)

// program writes an executable script.
func program(t *testing.T, path, script string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func installation(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	program(t, filepath.Join(dir, "postgres"), "echo 'postgres (PostgreSQL) "+version+"'")
	program(t, filepath.Join(dir, "initdb"), "")
	return dir
}

func TestInstallations_FindVersions(t *testing.T) {
	t.Parallel()
	path, old, newest, newer := installation(t, "15.4 (Debian 15.4-1)"), installation(t, "13.9"),
		installation(t, "18beta1"), installation(t, "16.1")
	broken := t.TempDir()
	program(t, filepath.Join(broken, "postgres"), "exit 1")
	program(t, filepath.Join(broken, "initdb"), "")
	clientOnly := t.TempDir()
	program(t, filepath.Join(clientOnly, "postgres"), "echo 'postgres (PostgreSQL) 17.0'")

	others := []string{old, newer, broken, clientOnly, newest, path, t.TempDir()}
	require.Equal(t, []binaries{{path, 15}, {newest, 18}, {newer, 16}}, installations(t.Context(), path, others))
	require.Equal(t, []binaries{{newest, 18}, {newer, 16}, {path, 15}}, installations(t.Context(), "", others))
	require.Equal(t, []binaries{{newer, 16}}, installations(t.Context(), old, []string{newer}))
	require.Empty(t, installations(t.Context(), "", nil))
}

func TestMajorVersion_ReadsProgramOutput(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18devel":                          18,
		"postgres (PostgreSQL) 14.2 (Homebrew)":                  14,
		"":                                                       0,
	} {
		require.Equal(t, want, majorOf(output), output)
	}
}

// aptMachine is a machine whose apt-get and sudo are scripts that record their arguments.
type aptMachine struct {
	installer installer
	calls     string
	progress  []string
}

func newAptMachine(t *testing.T, tools map[string]string) *aptMachine {
	t.Helper()
	dir := t.TempDir()
	m := &aptMachine{calls: filepath.Join(dir, "calls")}
	for name, script := range tools {
		script = strings.NewReplacer("CALLS", m.calls, "CONFIG", filepath.Join(dir, "createcluster.conf")).Replace(script)
		program(t, filepath.Join(dir, name), script)
	}
	m.installer = installer{
		progress:   func(line string) { m.progress = append(m.progress, line) },
		mayInstall: func(string) bool { return true },
		log:        &strings.Builder{},
		lookPath:   func(name string) (string, error) { return exec.LookPath(filepath.Join(dir, name)) },
		isRoot:     true, clusterConfig: filepath.Join(dir, "createcluster.conf"),
	}
	return m
}

func (m *aptMachine) called(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(m.calls)
	require.NoError(t, err)
	return string(content)
}

// recordingApt records its arguments and whether the installation would create a system cluster.
const recordingApt = `
echo "$DEBIAN_FRONTEND: $* $(tail -n 1 CONFIG 2>/dev/null)" >> CALLS
case "$*" in *common) echo "#create_main_cluster = true" > CONFIG ;; esac
echo "Setting up something"`

func TestInstall_RunsAptOrNamesThePackage(t *testing.T) {
	t.Parallel()

	t.Run("as root installs without a system cluster and leaves the configuration as it was", func(t *testing.T) {
		t.Parallel()
		m := newAptMachine(t, map[string]string{"apt-get": recordingApt})
		require.NoError(t, m.installer.install(t.Context()))
		require.Equal(t, "noninteractive: update \n"+
			"noninteractive: install -y --no-install-recommends postgresql-common \n"+
			"noninteractive: install -y --no-install-recommends postgresql create_main_cluster = false\n", m.called(t))
		config, err := os.ReadFile(m.installer.clusterConfig)
		require.NoError(t, err)
		require.Equal(t, "#create_main_cluster = true\n", string(config))
		require.Contains(t, m.progress, "  Setting up something")
	})

	t.Run("as an ordinary user goes through sudo", func(t *testing.T) {
		t.Parallel()
		m := newAptMachine(t, map[string]string{
			"apt-get": recordingApt, "sudo": `echo "sudo $1" >> CALLS; shift; exec "$@"`,
		})
		m.installer.isRoot = false
		require.NoError(t, m.installer.install(t.Context()))
		require.Contains(t, m.called(t), "sudo -n\nnoninteractive: install -y --no-install-recommends postgresql create")
	})

	t.Run("without the right names the package", func(t *testing.T) {
		t.Parallel()
		m := newAptMachine(t, map[string]string{"apt-get": recordingApt, "sudo": "exit 1"})
		m.installer.isRoot = false
		err := m.installer.install(t.Context())
		require.ErrorIs(t, err, errNotInstalled)
		require.ErrorContains(t, err, "installing it needs root: run `sudo apt-get install postgresql`")
		require.NoFileExists(t, m.calls)
	})

	t.Run("without permission runs nothing", func(t *testing.T) {
		t.Parallel()
		m := newAptMachine(t, map[string]string{"apt-get": recordingApt})
		var proposal string
		m.installer.mayInstall = func(command string) bool { proposal = command; return false }
		err := m.installer.install(t.Context())
		require.ErrorIs(t, err, errNotInstalled)
		require.ErrorContains(t, err, "allow florin to install it with --yes, or run `sudo apt-get install postgresql`")
		require.Equal(t, "apt-get install postgresql", proposal)
		require.NoFileExists(t, m.calls)
	})

	t.Run("on another system names its package", func(t *testing.T) {
		t.Parallel()
		for tool, want := range map[string]string{
			"dnf":    "run `sudo dnf install postgresql-server postgresql-contrib`",
			"apk":    "run `sudo apk add postgresql postgresql-contrib`",
			"pacman": "run `sudo pacman -S postgresql`",
			"brew":   "run `brew install postgresql@17`",
			"none":   "install PostgreSQL 14 or newer with its additional modules (apt: postgresql; dnf:",
		} {
			err := newAptMachine(t, map[string]string{tool: ""}).installer.install(t.Context())
			require.ErrorContains(t, err, "PostgreSQL is not installed: "+want)
		}
	})

	t.Run("that fails shows the output of apt-get", func(t *testing.T) {
		t.Parallel()
		m := newAptMachine(t, map[string]string{
			"apt-get": "echo fetching; echo 'E: Unable to locate package' >&2; echo more; exit 100",
		})
		err := m.installer.install(t.Context())
		require.ErrorContains(t, err, "exit status 100: E: Unable to locate package: check this machine's package sources")
	})
}

func TestPlacement_ChoosesDirectoryAndAccount(t *testing.T) {
	t.Parallel()
	b, err := locate(t.Context(), 0)
	require.NoError(t, err)
	as, err := serverAccount("/nonexistent")
	require.NoError(t, err)

	setUp := func(t *testing.T) (placement, *[]string) {
		t.Helper()
		base := devtest.DataDir(t)
		p := placement{dataDir: filepath.Join(base, "home", "data"), elsewhere: filepath.Join(base, "lib"), account: as}
		var progress []string
		p.progress = func(line string) { progress = append(progress, line) }
		require.NoError(t, os.MkdirAll(p.dataDir, 0o700))
		return p, &progress
	}

	t.Run("is inside a data directory that the server can reach", func(t *testing.T) {
		t.Parallel()
		p, progress := setUp(t)
		for _, dir := range []string{filepath.Dir(p.dataDir), p.dataDir} {
			require.NoError(t, os.Chmod(dir, 0o711))
		}
		dir, err := p.decide(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(p.dataDir, "postgres"), dir)
		require.Empty(t, *progress)
	})

	if as == nil {
		return // an ordinary user's server runs as that user and reaches whatever the user reaches
	}

	t.Run("is elsewhere when the server cannot reach the data directory, and stays there", func(t *testing.T) {
		t.Parallel()
		p, progress := setUp(t)
		first, err := p.decide(t.Context(), b)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(first, p.elsewhere), first)
		require.Equal(t, []string{"the database lives in " + first + ", because user " + as.name + " cannot enter " +
			p.dataDir}, *progress)
		second, err := p.decide(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, first, second)
	})

	t.Run("follows a data directory that was moved, and refuses one that was copied", func(t *testing.T) {
		t.Parallel()
		p, _ := setUp(t)
		target, err := p.decide(t.Context(), b)
		require.NoError(t, err)
		original := p.dataDir
		p.dataDir = original + "2"
		require.NoError(t, os.Mkdir(p.dataDir, 0o700))
		require.NoError(t, os.Symlink(target, filepath.Join(p.dataDir, "postgres")))
		_, err = p.decide(t.Context(), b)
		require.ErrorContains(t, err, "is a copy of "+original)

		require.NoError(t, os.RemoveAll(original))
		moved, err := p.decide(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, target, moved)
	})

	t.Run("keeps the database of a deleted data directory aside", func(t *testing.T) {
		t.Parallel()
		p, progress := setUp(t)
		target, err := p.decide(t.Context(), b)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(target, "base"), 0o700))
		require.NoError(t, os.Remove(filepath.Join(p.dataDir, "postgres")))
		again, err := p.decide(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, target, again)
		require.NoDirExists(t, target)
		require.DirExists(t, filepath.Join(filepath.Dir(target)+".old-1", "postgres", "base"))
		require.Contains(t, (*progress)[1], "keeping the database of an earlier "+p.dataDir)
	})

	t.Run("says when what the link points to is gone", func(t *testing.T) {
		t.Parallel()
		p, _ := setUp(t)
		target, err := p.decide(t.Context(), b)
		require.NoError(t, err)
		require.NoError(t, os.RemoveAll(filepath.Dir(target)))
		_, err = p.decide(t.Context(), b)
		require.ErrorContains(t, err, "which is not there or not readable")
	})
}

// newCluster makes a cluster without a server.
func newCluster(t *testing.T) (cluster, Options) {
	t.Helper()
	options := Options{Dir: devtest.DataDir(t), Ephemeral: true, Progress: func(string) {}}
	c, _, err := prepare(t.Context(), options)
	require.NoError(t, err)
	require.NoError(t, c.configure(t.Context(), 0, ""))
	return c, options
}

func stop(t *testing.T, server *Server) {
	t.Helper()
	require.NoError(t, server.Stop(context.WithoutCancel(t.Context())))
}

func TestStart_StopsAnOrphan(t *testing.T) {
	t.Parallel()
	c, options := newCluster(t)
	require.NoError(t, c.configure(t.Context(), 1, c.dir))
	settings, err := os.ReadFile(filepath.Join(c.dir, "postgresql.conf"))
	require.NoError(t, err)
	quiet := strings.Replace(string(settings), "listen_addresses = '127.0.0.1'", "listen_addresses = ''", 1)
	require.NoError(t, c.account.writeFile(filepath.Join(c.dir, "postgresql.conf"), []byte(quiet)))

	orphan := exec.Command(c.binaries.postgres(), "-D", c.dir)
	c.account.apply(orphan)
	require.NoError(t, orphan.Start())
	require.Eventually(t, func() bool {
		content, err := os.ReadFile(filepath.Join(c.dir, "postmaster.pid"))
		return err == nil && strings.Contains(string(content), "ready")
	}, 20*time.Second, 5*time.Millisecond)

	var progress []string
	options.Progress = func(line string) { progress = append(progress, line) }
	server, err := Start(t.Context(), options)
	require.NoError(t, err)
	defer stop(t, server)
	require.Equal(t, []string{"stopping the PostgreSQL (pid " + strconv.Itoa(orphan.Process.Pid) +
		") that a killed florin left behind"}, progress)
	require.NoError(t, orphan.Wait(), "it ended without an error")
}

func TestStart_IgnoresAStalePIDFile(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"that names a program which is not PostgreSQL": strconv.Itoa(os.Getpid()),
		"that names nothing that runs":                 "4194303",
		"that is damaged":                              "?",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, options := newCluster(t)
			file := filepath.Join(c.dir, "postmaster.pid")
			text := content + "\n" + c.dir + "\n0\n5432\n\n127.0.0.1\n0 0\nready\n"
			require.NoError(t, c.account.writeFile(file, []byte(text)))
			server, err := Start(t.Context(), options)
			require.NoError(t, err)
			stop(t, server)
		})
	}
}

func TestStart_IgnoresAZombieServer(t *testing.T) {
	t.Parallel()
	c, options := newCluster(t)
	require.NoError(t, c.configure(t.Context(), 1, c.dir))
	killed := exec.Command(c.binaries.postgres(), "-D", c.dir, "-c", "listen_addresses=")
	c.account.apply(killed)
	require.NoError(t, killed.Start())
	require.Eventually(t, func() bool {
		content, err := os.ReadFile(filepath.Join(c.dir, "postmaster.pid"))
		return err == nil && strings.Contains(string(content), "ready")
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, killed.Process.Kill())
	require.Eventually(t, func() bool { return !alive(killed.Process.Pid) }, 20*time.Second, 5*time.Millisecond)
	require.True(t, exists(killed.Process.Pid), "its parent has not waited for it")

	server, err := Start(t.Context(), options)
	require.NoError(t, err)
	stop(t, server)
	require.Error(t, killed.Wait(), "it was killed")
}

func TestExplain_TellsTheNextStep(t *testing.T) {
	t.Parallel()
	err := explain(os.ErrDeadlineExceeded, "could not write: No space left on device\nbye\n")
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.ErrorContains(t, err, "the disk is full: free some space")
	require.ErrorContains(t, err, "PostgreSQL said:\n  could not write: No space left on device\n  bye")
	require.ErrorContains(t, explain(os.ErrPermission, ""), "is not writable for this user: change its owner")
	require.NoError(t, explain(nil, "whatever"))
}

func TestComplaints_FindErrorLines(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1 FATAL:  could not write to file: No space left on device\ninitdb: error: pwd",
		complaints("selecting max_connections ... 100\n1 FATAL:  could not write to file: No space left on device\n"+
			"child exited\ninitdb: error: pwd\n"))
	require.Equal(t, "Segmentation fault", complaints("Segmentation fault"))
}

func TestWriteFile_NeverFollowsALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	require.NoError(t, os.WriteFile(victim, []byte("precious"), 0o600))
	for _, name := range []string{"file", "file.new"} {
		require.NoError(t, os.Symlink(victim, filepath.Join(dir, name)))
	}
	var current *account
	require.NoError(t, current.writeFile(filepath.Join(dir, "file"), []byte("new")))
	content, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "precious", string(content))
	content, err = os.ReadFile(filepath.Join(dir, "file"))
	require.NoError(t, err)
	require.Equal(t, "new", string(content))
}
