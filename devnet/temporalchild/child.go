package temporalchild

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/florinledger/florin/devnet/process"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// startTimeout bounds one start, including the creation of the databases.
	startTimeout = 90 * time.Second
	// stopGrace is the time that the server has to stop before it is killed, which loses no data.
	stopGrace = 10 * time.Second
	// healthyAfter is the run time after which the count of failures restarts.
	healthyAfter = time.Minute
	// maxFailures ends the supervision after so many failures in a row.
	maxFailures = 6
	backoffMin  = 100 * time.Millisecond
	backoffMax  = 2 * time.Second
	// portAttempts limits the tries of a first start while other programs take the chosen ports.
	portAttempts = 3
)

// Options configure the child.
type Options struct {
	Config Config
	// Executable is the program; empty means the running one.
	Executable string
	// Arguments of the program; nil means the hidden command alone.
	Arguments []string
	// Log receives the server's log; nil discards it.
	Log io.Writer
	// Progress gets one line about each surprise, such as a restart; nil discards it.
	Progress func(string)
	// Restarted is called when the server runs again after a crash, with another process id; may be nil.
	Restarted func()
}

// Child is a supervised Temporal server. It keeps its addresses when it restarts.
type Child struct {
	options Options
	report  Report

	stopping context.Context //nolint:containedctx // ends the supervision; every wait of the child selects on it
	stop     context.CancelFunc
	done     chan struct{}
	err      error

	mu       sync.Mutex
	process  *process.Process
	restarts int
}

// Start starts the server and returns when it is ready: namespace and search attributes exist. If the first start
// fails, no process remains and the error has the server's last output.
func Start(ctx context.Context, options Options) (*Child, error) {
	if options.Executable == "" {
		executable, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program to start it again: %w", err)
		}
		options.Executable = executable
	}
	if options.Arguments == nil {
		options.Arguments = []string{Command}
	}
	if options.Log == nil {
		options.Log = io.Discard
	}
	if options.Progress == nil {
		options.Progress = func(string) {}
	}
	if options.Restarted == nil {
		options.Restarted = func() {}
	}
	options.Config = options.Config.WithDefaults()
	c := &Child{options: options, done: make(chan struct{})}
	c.stopping, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	for attempt := 1; ; attempt++ {
		err := c.launch(ctx)
		if err == nil {
			break
		}
		if attempt == portAttempts || !strings.Contains(err.Error(), "address already in use") {
			c.stop()
			return nil, err
		}
	}
	c.options.Config.Frontend = c.report.Frontend
	if c.options.Config.UI != "" {
		c.options.Config.UI = strings.TrimPrefix(c.report.UI, "http://")
	}
	go c.supervise()
	return c, nil
}

// launch starts the process once and waits for its report.
func (c *Child) launch(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errors.New("it did not get ready in time"))
	defer cancel()
	tail := process.NewTail(c.options.Log, 15)
	started, reports, err := c.spawn(ctx, tail)
	if err != nil {
		return fmt.Errorf("cannot start the Temporal server: %w", err)
	}
	c.mu.Lock()
	c.process = started
	c.mu.Unlock()
	report, err := awaitReport(ctx, started, reports)
	if err == nil {
		c.report = report
		return nil
	}
	_ = started.Stop(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGKILL, stopGrace)
	if output := strings.TrimSpace(tail.String()); output != "" && report.Error == "" {
		return fmt.Errorf("the Temporal server did not start: %w\nits output:\n  %s", err,
			strings.ReplaceAll(output, "\n", "\n  "))
	}
	return fmt.Errorf("the Temporal server did not start: %w", err)
}

// spawn starts the process, with a pipe for its report and a pipe that closes with this process.
func (c *Child) spawn(ctx context.Context, output io.Writer) (*process.Process, <-chan Report, error) {
	config, err := json.Marshal(c.options.Config)
	if err != nil {
		return nil, nil, err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	stdin, lifeline, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, reader.Close(), writer.Close())
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), c.options.Executable, c.options.Arguments...)
	cmd.Env = append(environment(), configVariable+"="+string(config))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, output, output
	cmd.ExtraFiles = []*os.File{writer}
	started, err := process.Start(cmd, syscall.SIGKILL)
	_, _ = writer.Close(), stdin.Close()
	if err != nil {
		_, _ = reader.Close(), lifeline.Close()
		return nil, nil, err
	}
	reports := make(chan Report, 1)
	go func() {
		readReport(reader, reports)
		_ = reader.Close()
		<-started.Done()
		_ = lifeline.Close()
	}()
	return started, reports, nil
}

// environment is the environment without the variables of OpenTelemetry: they are for the node's own spans and metrics, and
// the server would read them too.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "OTEL_") })
}

func readReport(reader io.Reader, reports chan<- Report) {
	defer close(reports)
	line, err := bufio.NewReader(reader).ReadBytes('\n')
	if err != nil {
		return
	}
	var report Report
	if json.Unmarshal(line, &report) == nil {
		reports <- report
	}
}

func awaitReport(ctx context.Context, started *process.Process, reports <-chan Report) (Report, error) {
	select {
	case report, ok := <-reports:
		if ok && report.Error == "" {
			return report, nil
		}
		if ok {
			return report, errors.New(report.Error)
		}
	case <-ctx.Done():
		return Report{}, context.Cause(ctx)
	}
	select { // the child closed its report without writing: it ends now
	case <-started.Done():
		return Report{}, fmt.Errorf("it exited before it was ready: %w", started.Err())
	case <-ctx.Done():
		return Report{}, context.Cause(ctx)
	}
}

// supervise restarts the server whenever it ends, until Stop.
func (c *Child) supervise() {
	defer close(c.done)
	failures := 0
	for {
		began := time.Now()
		select {
		case <-c.current().Done():
		case <-c.stopping.Done():
			return
		}
		if time.Since(began) > healthyAfter {
			failures = 0
		}
		last := fmt.Errorf("pid %d ended: %s", c.PID(), howItEnded(c.current()))
		for running := false; !running; failures++ {
			if failures == maxFailures {
				c.err = fmt.Errorf("the Temporal server failed %d times in a row; the last time: %w", failures, last)
				return
			}
			c.options.Progress(fmt.Sprintf("starting the Temporal server again: %v", last))
			if wait.For(c.stopping, backoff(failures)) != nil {
				return
			}
			last = c.launch(c.stopping)
			running = last == nil
		}
		c.mu.Lock()
		c.restarts++
		c.mu.Unlock()
		c.options.Restarted()
	}
}

func howItEnded(p *process.Process) string {
	if err := p.Err(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// backoff is the wait after a number of failures in a row.
func backoff(failures int) time.Duration {
	return min(backoffMin<<failures, backoffMax)
}

func (c *Child) current() *process.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.process
}

// Frontend is the gRPC address, "127.0.0.1:7233".
func (c *Child) Frontend() string { return c.options.Config.Frontend }

// UI is the URL of the Web UI, "http://127.0.0.1:8233"; empty when there is none.
func (c *Child) UI() string {
	if c.options.Config.UI == "" {
		return ""
	}
	return "http://" + c.options.Config.UI
}

// PID is the process id of the running server, or of the last one.
func (c *Child) PID() int { return c.current().PID() }

// Restarts counts the restarts after crashes.
func (c *Child) Restarts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restarts
}

// Done is closed when the supervision has ended: after Stop or too many failures.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err returns after Done the reason for the end of the supervision; nil after Stop.
func (c *Child) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Stop ends the server and its supervision. It kills a server that does not stop in time; that loses no data, because
// all of it is in the database. The error then says so.
func (c *Child) Stop(ctx context.Context) error {
	c.stop()
	<-c.done
	return c.current().Stop(ctx, syscall.SIGTERM, syscall.SIGKILL, stopGrace)
}
