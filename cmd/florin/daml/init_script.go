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

// InitScript is a script that a new ledger begins with.
type InitScript struct {
	command  ScriptCommand
	prepared preparedScript
}

// What a script may take that a ledger begins with, beside the node in the same process.
const (
	initTime   = 10 * time.Minute
	initMemory = 2 << 30
)

// FindInitScript finds a script, named as Module:name, in the first of the DAR files that has it.
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

// Run runs the script on a node that has its package, and returns the parties that it allocated. Why it failed is
// printed.
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

// File is the DAR file that has the script.
func (s *InitScript) File() string { return s.command.DAR }
