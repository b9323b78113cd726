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

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/internal/wait"
)

// lookPause is the pause between checks of a node that starts or stops.
const lookPause = 100 * time.Millisecond

// The states of a node.
const (
	stateReady    = "ready"
	stateNotReady = "not ready"
	stateStarting = "starting"
	stateStopped  = "stopped"
	stateAway     = "no answer"
)

type state struct {
	State string `json:"state"`
	// Detail says why a node is not ready.
	Detail string `json:"detail"`
	Addresses
	PID        int    `json:"pid"`
	APIVersion string `json:"api_version"`
}

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
	found := state{State: stateReady, Addresses: AddressesOf(info), PID: info.PID}
	if info.Stopped {
		found.State = stateStopped
		found.Detail = "PostgreSQL and Temporal keep running, " + OnData(n.DataDir, "start") + " starts it"
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
		found.Detail, found.APIPage = "it is a worker, or no API of a node, and accepts no requests", ""
		return found, nil
	}
	return found, session.Explain(err)
}

// Look returns the state of the node in a word and in detail.
func (n Node) Look(ctx context.Context) (word, detail string, err error) {
	found, err := n.look(ctx)
	return found.State, strings.TrimSpace(found.Detail), err
}

// Parts returns the parts of the node, as /readyz tells them.
func (n Node) Parts(ctx context.Context) ([]client.Part, error) {
	session, err := n.Open()
	if err != nil {
		return nil, err
	}
	defer session.Close()
	parts, err := session.http.Readiness(ctx)
	return parts, session.Explain(err)
}

func (s state) words() string {
	if s.State == stateAway {
		return "does not answer"
	}
	return "is " + s.State
}

func (s state) answer() console.Answer {
	answer := console.Answer{Data: s, Text: "the node " + s.words(), Names: []string{s.State}}
	if s.Detail != "" {
		answer.Text += ": " + console.Plain(strings.Join(strings.Split(strings.TrimSpace(s.Detail), "\n"), "; "))
	}
	for _, place := range s.list() {
		answer.Table.Rows = append(answer.Table.Rows, []string{place.name, place.value})
	}
	answer.Table.Head = []string{"WHAT", "WHERE"}
	return answer
}

// StatusCommand shows the state of a node.
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

// Run waits. A node that does not run may still start.
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
			return console.Fail(console.ExitTooLate, c.Florin("status")+" shows more, "+OnData(c.DataDir, "logs")+" shows why",
				"the node %s after %s", last.words(), c.Timeout)
		}
		return err
	}
	return c.Print(last.answer())
}

// until calls happened until it returns true, or the time is over.
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
			return console.Fail(console.ExitTooLate, "choose a longer --timeout", "not done after %s", timeout)
		}
	}
}

// again waits for the next check, and reports whether ctx is still valid.
func again(ctx context.Context) bool { return wait.For(ctx, lookPause) == nil }

// StopCommand stops the node of a data directory.
type StopCommand struct {
	DataDir string        `help:"Data directory of the node." default:".florin" env:"FLORIN_DATA_DIR"`
	Timeout time.Duration `help:"How long to wait until it has stopped." default:"1m"`
	Node    bool          `help:"Stop the API and the worker alone. PostgreSQL and Temporal keep running; florin start starts the node again."`
}

// Run stops the node as Ctrl-C does, and waits until everything has ended. Without a running node it succeeds.
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
		return fmt.Errorf("cannot find the process that uses data directory %s: stop florin on the machine or in the "+
			"container where it runs", c.DataDir)
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

// ResetCommand deletes all data of a node.
type ResetCommand struct {
	DataDir string `help:"Data directory to remove." default:".florin" env:"FLORIN_DATA_DIR"`
	Yes     bool   `short:"y" help:"Do not ask."`
}

// Run removes the data directory. The node must not run.
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
		return console.Fail(console.ExitFailed, "--yes removes it without asking", "%s was not removed", directory.Path())
	}
	if err := os.RemoveAll(directory.Path()); err != nil {
		return err
	}
	console.Println("removed " + directory.Path())
	return nil
}

// EnvCommand prints the addresses for a shell.
type EnvCommand struct {
	Node
	console.Output

	User string `complete:"name" help:"User of the token. Default: the administrator."`
}

// Run prints lines for a shell to evaluate.
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
	variables := append(AddressesOf(session.Info).list(),
		address{"PostgreSQL", "FLORIN_DATABASE_URL", session.Info.DatabaseURL}, address{"token", "TOKEN", token})
	values := map[string]string{}
	var lines []string
	for _, one := range variables {
		if one.value != "" {
			values[one.variable] = one.value
			lines = append(lines, "export "+one.variable+"="+console.Quoted(one.value))
		}
	}
	return c.Print(console.Answer{Data: values, Text: strings.Join(lines, "\n"), Names: lines})
}
