package daml

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/ledger"
)

// InitScript is a script that runs once on a new ledger.
type InitScript struct {
	command  ScriptCommand
	prepared preparedScript
}

// The limits of an init script, which runs in the process of the node.
const (
	initTime   = 10 * time.Minute
	initMemory = 2 << 30
)

// FindInitScript finds the script Module:name in the first DAR file that has it.
func FindInitScript(ctx context.Context, files []string, name string) (*InitScript, error) {
	var failure error
	for _, path := range files {
		out := &InitScript{command: ScriptCommand{DAR: path, Script: name, Timeout: initTime, Memory: initMemory}}
		prepared, err := out.command.prepare(ctx)
		if err == nil {
			out.prepared = prepared
			return out, nil
		}
		if !errors.Is(err, errNoScript) {
			return nil, err
		}
		failure = err
	}
	return nil, failure
}

// Run runs the script on a node that has its package, and returns the parties that it allocated. It prints why a script
// failed.
func (s *InitScript) Run(ctx context.Context, on remote.Node) ([]ledger.Party, error) {
	s.command.Node = on
	done, err := s.command.play(ctx, s.prepared)
	if err != nil {
		return nil, err
	}
	if done.cut {
		return nil, errors.New("interrupted")
	}
	failure := done.report.Failure
	if failure == nil {
		return done.report.Parties, nil
	}
	if err := s.command.print(os.Stdout, done); err != nil {
		return nil, err
	}
	return nil, console.Fail(console.ExitFailed, "", "%s of %s failed: %s", s.command.Script,
		filepath.Base(s.command.DAR), console.Plain(failure.Message))
}

// File is the DAR file of the script.
func (s *InitScript) File() string { return s.command.DAR }
