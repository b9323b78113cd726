package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/internal/wait"
)

// lookPause is the pause between looks at a node that starts or stops.
const lookPause = 100 * time.Millisecond

// The states of a node.
const (
	stateReady    = "ready"
	stateNotReady = "not ready"
	stateStarting = "starting"
	stateStopped  = "stopped"
	stateAway     = "no answer"
)

// state is what `status` shows.
type state struct {
	State string `json:"state"`
	// Detail says what a node that is not ready lacks.
	Detail     string `json:"detail"`
	URL        string `json:"url"`
	PID        int    `json:"pid"`
	TemporalUI string `json:"temporal_ui"`
	Temporal   string `json:"temporal"`
	APIVersion string `json:"api_version"`
}

// look finds out how the node is.
func (n Node) look(ctx context.Context) (state, error) {
	session, err := n.Open()
	if err != nil {
		if console.CodeOf(err) != console.ExitNoNode {
			return state{}, err
		}
		found := state{State: stateStopped}
		if pid, held := datadir.Holder(n.DataDir); held {
			found = state{State: stateStarting, PID: pid}
		}
		return found, nil
	}
	defer session.Close()
	info := session.Info
	found := state{
		State: stateReady, URL: info.URL, PID: info.PID, TemporalUI: info.TemporalUI, Temporal: info.TemporalAddress,
	}
	if info.Stopped {
		found.State, found.Detail = stateStopped, "PostgreSQL and Temporal run on, "+OnData(n.DataDir, "start")+" starts it"
		return found, nil
	}
	err = session.http.Call(ctx, http.MethodGet, "/readyz", nil, nil)
	if refused := asRefusal(err); refused != nil {
		found.State, found.Detail = stateNotReady, string(refused.Body)
		return found, nil
	}
	if err != nil {
		found.State, found.Detail = stateAway, firstLine(session.Explain(err))
		return found, nil
	}
	found.APIVersion, err = session.http.Version(ctx)
	if refused := asRefusal(err); refused != nil && refused.Status == http.StatusNotFound {
		found.Detail = "a worker, or no API of a node: it says how it is, and takes no requests"
		return found, nil
	}
	return found, session.Explain(err)
}

// Look finds out how the node is, in a word and in detail.
func (n Node) Look(ctx context.Context) (word, detail string, err error) {
	found, err := n.look(ctx)
	return found.State, strings.TrimSpace(found.Detail), err
}

// words say how the node is.
func (s state) words() string {
	if s.State == stateAway {
		return "does not answer"
	}
	return "is " + s.State
}

// answer shows a state.
func (s state) answer() console.Answer {
	answer := console.Answer{Data: s, Text: "the node " + s.words(), Names: []string{s.State}}
	if s.Detail != "" {
		answer.Text += ": " + console.Plain(strings.Join(strings.Split(strings.TrimSpace(s.Detail), "\n"), "; "))
	}
	for _, row := range [][]string{{"API", s.URL}, {"Temporal UI", s.TemporalUI}, {"Temporal", s.Temporal}} {
		if row[1] != "" {
			answer.Table.Rows = append(answer.Table.Rows, row)
		}
	}
	answer.Table.Head = []string{"WHAT", "WHERE"}
	return answer
}

// StatusCommand shows how a node is.
type StatusCommand struct {
	Node
	console.Output
}

// Run prints the state. The exit code says whether the node is ready.
func (c *StatusCommand) Run(ctx context.Context) error {
	found, err := c.look(ctx)
	if err != nil {
		return err
	}
	if err := c.Print(found.answer()); err != nil || found.State == stateReady {
		return err
	}
	return console.Silent(console.ExitNoNode)
}

// WaitCommand returns when a node is ready.
type WaitCommand struct {
	Node
	console.Output

	Timeout time.Duration `help:"How long to wait." default:"2m"`
}

// Run waits. A node that is not there may still be started.
func (c *WaitCommand) Run(ctx context.Context) error {
	last := state{State: stateStopped}
	ready := func(ctx context.Context) (bool, error) {
		found, err := c.look(ctx)
		if ctx.Err() == nil {
			last = found
		}
		return found.State == stateReady, err
	}
	if err := until(ctx, c.Timeout, ready); err != nil {
		if console.CodeOf(err) == console.ExitTooLate {
			return console.Fail(console.ExitTooLate, c.Florin("status")+" says more, "+OnData(c.DataDir, "logs")+" why",
				"the node %s after %s", last.words(), c.Timeout)
		}
		return err
	}
	return c.Print(last.answer())
}

// until asks until something has happened, or the time is over.
func until(ctx context.Context, timeout time.Duration, happened func(context.Context) (bool, error)) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		done, err := happened(limited)
		if limited.Err() == nil && (done || err != nil) {
			return err
		}
		if !again(limited) {
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			return console.Fail(console.ExitTooLate, "--timeout gives it longer", "not done after %s", timeout)
		}
	}
}

// again waits until it is time to look again, and reports whether ctx goes on.
func again(ctx context.Context) bool { return wait.For(ctx, lookPause) == nil }

// StopCommand stops the node of a data directory.
type StopCommand struct {
	DataDir string        `help:"Data directory of the node." default:".florin" env:"FLORIN_DATA_DIR"`
	Timeout time.Duration `help:"How long to wait until it has stopped." default:"1m"`
	Node    bool          `help:"Stop the API and the worker alone. PostgreSQL and Temporal keep running; florin start starts the node again."`
}

// Run stops the node as Ctrl-C does, and waits until everything has ended. A node that does not run is stopped.
func (c *StopCommand) Run(ctx context.Context) error {
	if c.Node {
		return switchNode(ctx, c.DataDir, c.Timeout, true)
	}
	pid, held := datadir.Holder(c.DataDir)
	if !held {
		console.Println("no node runs on data directory " + c.DataDir)
		return nil
	}
	if pid <= 1 {
		return fmt.Errorf("who holds data directory %s cannot be found out: end that florin where it runs", c.DataDir)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the node (pid %d): %w", pid, err)
	}
	err := until(ctx, c.Timeout, func(context.Context) (bool, error) {
		_, held := datadir.Holder(c.DataDir)
		return !held, nil
	})
	if err == nil {
		console.Println("stopped")
	}
	return err
}

// ResetCommand forgets everything that a node has stored.
type ResetCommand struct {
	DataDir string `help:"Data directory to remove." default:".florin" env:"FLORIN_DATA_DIR"`
	Yes     bool   `short:"y" help:"Do not ask."`
}

// Run removes the data directory, of a node that does not run.
func (c *ResetCommand) Run() error {
	if _, err := os.Stat(c.DataDir); errors.Is(err, os.ErrNotExist) {
		console.Println("nothing is stored in " + c.DataDir)
		return nil
	}
	directory, err := datadir.Lock(c.DataDir)
	if err != nil {
		return console.Fail(console.ExitFailed, OnData(c.DataDir, "stop")+" stops a node", "%w", err)
	}
	defer func() { _ = directory.Unlock() }()
	if !c.Yes && !console.Confirm("Remove "+directory.Path()+", with the whole ledger in it?") {
		return console.Fail(console.ExitFailed, "--yes removes it without asking", "%s is kept", directory.Path())
	}
	if err := os.RemoveAll(directory.Path()); err != nil {
		return err
	}
	console.Println("removed " + directory.Path())
	return nil
}

// EnvCommand prints where everything is, for a shell.
type EnvCommand struct {
	Node
	console.Output

	User string `complete:"name" help:"Whose token; the administrator's by default."`
}

// Run prints the lines that a shell evaluates.
func (c *EnvCommand) Run() error {
	session, err := c.Open()
	if err != nil {
		return err
	}
	defer session.Close()
	user := c.User
	if user == "" {
		user = session.admin
	}
	token, err := session.TokenOf(user)
	if err != nil {
		return err
	}
	info := session.Info
	values := map[string]string{}
	var lines []string
	for _, variable := range [][2]string{
		{"FLORIN_URL", info.URL},
		{"TEMPORAL_ADDRESS", info.TemporalAddress},
		{"FLORIN_TEMPORAL_UI", info.TemporalUI},
		{"FLORIN_DATABASE_URL", info.DatabaseURL},
		{"TOKEN", token},
	} {
		if variable[1] != "" {
			values[variable[0]] = variable[1]
			lines = append(lines, "export "+variable[0]+"="+console.Quoted(variable[1]))
		}
	}
	return c.Print(console.Answer{Data: values, Text: strings.Join(lines, "\n"), Names: lines})
}
