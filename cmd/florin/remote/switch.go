package remote

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/devnet/runfile"
)

// The signals that make `florin up` stop its node alone, and start it again.
const (
	StopNode  = syscall.SIGUSR1
	StartNode = syscall.SIGUSR2
)

// StartCommand starts the node of a data directory again.
type StartCommand struct {
	DataDir string        `help:"Data directory of the node." default:".florin" env:"FLORIN_DATA_DIR"`
	Timeout time.Duration `help:"Maximum wait until it is ready." default:"2m"`
}

// Run starts the node on the PostgreSQL and the Temporal that `florin stop --node` left running.
func (c *StartCommand) Run(ctx context.Context) error {
	return switchNode(ctx, c.DataDir, c.Timeout, false)
}

// switchNode makes `florin up` stop its node alone, or start it again, and waits until that is done.
func switchNode(ctx context.Context, dataDir string, timeout time.Duration, stop bool) error {
	info, err := runfile.Read(dataDir)
	if err != nil {
		return console.Fail(console.ExitNoNode, OnData(dataDir, "up")+" starts everything", "%w", err)
	}
	signal, word := StartNode, "running"
	if stop {
		signal, word = StopNode, "stopped; PostgreSQL and Temporal keep running, "+OnData(dataDir, "start")+" starts it again"
	}
	if info.Stopped != stop {
		if err := syscall.Kill(info.PID, signal); err != nil {
			return fmt.Errorf("send a signal to florin (pid %d): %w", info.PID, err)
		}
		err := until(ctx, timeout, func(context.Context) (bool, error) {
			found, err := runfile.Read(dataDir)
			if err != nil {
				err = console.Fail(console.ExitFailed, OnData(dataDir, "logs")+" shows why", "%w", errors.Join(errEnded, err))
			}
			return found.Stopped == stop, err
		})
		if err != nil {
			return err
		}
	}
	console.Println("the node is " + word)
	return nil
}

var errEnded = errors.New("florin has ended")
