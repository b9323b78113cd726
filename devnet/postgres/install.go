package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// clusterConfig is Debian's switch for the cluster that an installation of PostgreSQL creates and starts.
const clusterConfig = "/etc/postgresql-common/createcluster.conf"

// installer installs PostgreSQL with apt-get.
type installer struct {
	progress      func(string)
	mayInstall    func(command string) bool
	log           io.Writer
	lookPath      func(string) (string, error)
	isRoot        bool
	clusterConfig string
}

func newInstaller(options Options) installer {
	return installer{
		progress: options.Progress, mayInstall: options.MayInstall, log: options.Log, lookPath: exec.LookPath,
		isRoot: os.Geteuid() == 0, clusterConfig: clusterConfig,
	}
}

// install installs PostgreSQL on Debian and Ubuntu if florin runs as root or with a sudo that needs no password, and
// the caller agrees. Otherwise the error names the package to install.
func (i installer) install(ctx context.Context) error {
	aptGet, err := i.lookPath("apt-get")
	if err != nil {
		return fmt.Errorf("%w: %s", errNotInstalled, i.hint())
	}
	prefix, err := i.privilege(ctx)
	if err != nil {
		return fmt.Errorf("%w and installing it needs root: %s", errNotInstalled, i.hint())
	}
	if !i.mayInstall("apt-get install postgresql") {
		return fmt.Errorf("%w; allow florin to install it with --yes, or %s", errNotInstalled, i.hint())
	}
	i.progress("installing PostgreSQL with apt-get (once)")
	if err := i.run(ctx, prefix, aptGet, "update"); err != nil {
		return i.failed(err)
	}
	// postgresql-common comes first: its configuration decides whether the installation of the server also creates and
	// starts a cluster on port 5432, which must not happen.
	install := []string{aptGet, "install", "-y", "--no-install-recommends"}
	if err := i.run(ctx, prefix, append(install, "postgresql-common")...); err != nil {
		return i.failed(err)
	}
	restore, err := i.withoutSystemCluster(ctx, prefix)
	if err != nil {
		return i.failed(err)
	}
	err = i.run(ctx, prefix, append(install, "postgresql")...)
	return i.failed(errors.Join(err, restore()))
}

// privilege returns the prefix that runs a command as root: none, or sudo without a password.
func (i installer) privilege(ctx context.Context) ([]string, error) {
	if i.isRoot {
		return nil, nil
	}
	sudo, err := i.lookPath("sudo")
	if err != nil {
		return nil, err
	}
	if err := exec.CommandContext(ctx, sudo, "-n", "true").Run(); err != nil {
		return nil, err
	}
	return []string{sudo, "-n"}, nil
}

// withoutSystemCluster makes Debian create no cluster. The function that it returns restores the file.
func (i installer) withoutSystemCluster(ctx context.Context, prefix []string) (func() error, error) {
	before, err := os.ReadFile(i.clusterConfig)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := i.writeAsRoot(ctx, prefix, append(before, "\ncreate_main_cluster = false\n"...)); err != nil {
		return nil, err
	}
	return func() error { return i.writeAsRoot(context.WithoutCancel(ctx), prefix, before) }, nil
}

func (i installer) writeAsRoot(ctx context.Context, prefix []string, content []byte) error {
	command := append(append([]string(nil), prefix...), "tee", i.clusterConfig)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin = strings.NewReader(string(content))
	return cmd.Run()
}

func (i installer) run(ctx context.Context, prefix []string, command ...string) error {
	full := append(append([]string(nil), prefix...), "env", "DEBIAN_FRONTEND=noninteractive")
	full = append(full, command...)
	cmd := exec.CommandContext(ctx, full[0], full[1:]...)
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	finished := make(chan string, 1)
	go func() { finished <- i.follow(reader) }()
	err := errors.Join(cmd.Run(), writer.Close())
	last := <-finished
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, last)
	}
	return nil
}

// follow copies a command's output to the log and its milestones to progress, and returns its last error or line.
func (i installer) follow(output io.Reader) string {
	var last string
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		line := lines.Text()
		_, _ = fmt.Fprintln(i.log, line)
		if strings.HasPrefix(line, "Setting up ") || strings.HasPrefix(line, "Unpacking ") {
			i.progress("  " + line)
		}
		if !strings.HasPrefix(last, "E:") && strings.TrimSpace(line) != "" {
			last = line
		}
	}
	_, _ = io.Copy(io.Discard, output)
	return last
}

func (i installer) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("installing PostgreSQL failed: %w: check this machine's package sources, or install it by hand: %s",
		err, i.hint())
}

func (i installer) hint() string {
	for _, manager := range []string{"apt-get", "dnf", "apk", "pacman", "brew"} {
		if _, err := i.lookPath(manager); err == nil {
			return installHint(manager, 0)
		}
	}
	return installHint("", 0)
}

// installHint returns the command that installs PostgreSQL with its additional modules, which Temporal needs. manager
// is this machine's package manager, "" if unknown. It asks for the major version unless that is 0.
func installHint(manager string, major int) string {
	version, dashed, brew := "", "postgresql", "17"
	if major > 0 {
		version = strconv.Itoa(major)
		dashed, brew = "postgresql-"+version, version
	}
	commands := map[string]string{
		"apt-get": "sudo apt-get install " + dashed,
		"dnf":     "sudo dnf install postgresql" + version + "-server postgresql" + version + "-contrib",
		"apk":     "sudo apk add postgresql" + version + " postgresql" + version + "-contrib",
		"pacman":  "sudo pacman -S postgresql",
		"brew":    "brew install postgresql@" + brew,
	}
	if command, ok := commands[manager]; ok {
		return "run `" + command + "`"
	}
	if version == "" {
		version = strconv.Itoa(minimumMajor) + " or newer"
	}
	packages := []string{"apt: " + dashed}
	for _, manager := range []string{"dnf", "apk", "pacman", "brew"} {
		words := strings.Fields(commands[manager])
		packages = append(packages, manager+": "+strings.Join(words[slices.IndexFunc(words, isPackage):], " "))
	}
	return fmt.Sprintf("install PostgreSQL %s with its additional modules (%s)", version, strings.Join(packages, "; "))
}

func isPackage(word string) bool { return strings.HasPrefix(word, "postgresql") }
