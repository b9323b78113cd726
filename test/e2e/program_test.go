package e2e_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/process"
	"github.com/florinledger/florin/devnet/testenv"
)

const (
	// patience limits every wait, for a busy machine.
	patience = 2 * time.Minute
	// stopGrace limits the stop of a node at the end of a test.
	stopGrace = 40 * time.Second
)

// binary is the program, which is built once for all tests of this process.
var binary = sync.OnceValues(func() (string, error) { return testenv.Binary(context.Background()) })

// failpointBinary is the program with failpoints, which is built once for all tests of this process.
var failpointBinary = sync.OnceValues(func() (string, error) { return testenv.FailpointBinary(context.Background()) })

// program is a started florin.
type program struct {
	*process.Process
	stdout, stderr *output
}

// start runs florin until the test ends, with only the given settings in its environment.
func start(t *testing.T, environment []string, arguments ...string) *program {
	t.Helper()
	executable, err := binary()
	require.NoError(t, err, "build the binary")
	return startExecutable(t, executable, environment, arguments...)
}

// startExecutable is start with another build of florin.
func startExecutable(t *testing.T, executable string, environment []string, arguments ...string) *program {
	t.Helper()
	cmd := exec.Command(executable, arguments...)
	cmd.Dir = "/" // nothing may depend on the current directory
	cmd.Env = append(withoutSettings(os.Environ()), environment...)
	p := &program{stdout: newOutput(), stderr: newOutput()}
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	var err error
	p.Process, err = process.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err, "start florin %s", strings.Join(arguments, " "))
	t.Cleanup(func() {
		if err := p.Stop(context.Background(), syscall.SIGINT, syscall.SIGKILL, stopGrace); err != nil {
			t.Errorf("florin %s: %v", arguments[0], err)
		}
		if t.Failed() {
			t.Logf("florin %s printed:\n%s%s", strings.Join(arguments, " "), p.stdout, p.stderr)
		}
	})
	return p
}

// run runs florin to its end.
func run(t *testing.T, environment []string, arguments ...string) *program {
	t.Helper()
	p := start(t, environment, arguments...)
	p.waitEnd(t)
	return p
}

// withoutSettings removes florin's variables from the environment of the tests.
func withoutSettings(environment []string) []string {
	var kept []string
	for _, entry := range environment {
		if !strings.HasPrefix(entry, "FLORIN_") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// waitFor returns when the program has printed the text.
func (p *program) waitFor(t *testing.T, text string) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		printed, more := p.stdout.look()
		if strings.Contains(printed, text) {
			return
		}
		select {
		case <-more:
		case <-p.Done():
			printed, _ = p.stdout.look()
			require.Contains(t, printed, text, "florin ended (%v) and said: %s", p.Err(), p.stderr)
		case <-deadline.C:
			require.FailNow(t, "florin does not get that far", "waiting for %q", text)
		}
	}
}

// waitEnd returns when the program has ended.
func (p *program) waitEnd(t *testing.T) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case <-p.Done():
	case <-deadline.C:
		require.FailNow(t, "florin does not end")
	}
}

// exitCode is the exit code of a program that has ended; -1 when a signal ended it.
func (p *program) exitCode(t *testing.T) int {
	t.Helper()
	if failed, ok := errors.AsType[*exec.ExitError](p.Err()); ok {
		return failed.ExitCode()
	}
	require.NoError(t, p.Err())
	return 0
}

// kill ends the program as a crash does.
func (p *program) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Signal(syscall.SIGKILL))
	p.waitEnd(t)
}

// output is the output of a program until now.
type output struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // closed at the next write
}

func newOutput() *output { return &output{more: make(chan struct{})} }

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.more)
	o.more = make(chan struct{})
	return o.text.Write(text)
}

// look returns the text, and a channel that is closed when more text comes.
func (o *output) look() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.more
}

// String is the text until now.
func (o *output) String() string {
	text, _ := o.look()
	return text
}

// await repeats the condition until it returns nil; on a timeout its last error is the failure.
func await(t *testing.T, what string, condition func() error) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			require.NoError(t, err, "waited %s: %s", patience, what)
		}
	}
}

// requireDone runs florin and returns its output.
func requireDone(t *testing.T, arguments ...string) string {
	t.Helper()
	ended := run(t, nil, arguments...)
	require.Equal(t, 0, ended.exitCode(t), "florin %s said: %s", strings.Join(arguments, " "), ended.stderr)
	return ended.stdout.String()
}

var errNotYet = errors.New("not yet")

// particular is a secret that no other text contains by chance.
const particular = "a-secret-that-nothing-else-looks-like-5f0b7c"

// requireRefused runs florin and expects a refusal with words.
func requireRefused(t *testing.T, words string, arguments ...string) {
	t.Helper()
	ended := run(t, nil, arguments...)
	require.Equal(t, 1, ended.exitCode(t), "florin %s printed %s", strings.Join(arguments, " "), ended.stdout)
	require.Contains(t, ended.stderr.String(), words)
}
