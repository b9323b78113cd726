package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/daml"
	"github.com/florinledger/florin/ledger"
)

// checkSeed refuses, before anything is started, what could not be put on the ledger once the node runs. It finds the
// script that the ledger is to begin with; nil without one.
func (c *upCommand) checkSeed(ctx context.Context) (*daml.InitScript, error) {
	if len(c.DAR) == 0 {
		if c.InitScript != "" {
			return nil, console.Fail(console.ExitUsage, "name the file that has it with --dar",
				"--init-script=%s: this is a script of no DAR file", c.InitScript)
		}
		return nil, nil //nolint:nilnil // as the comment has it
	}
	if c.HasIssuer() {
		return nil, console.Fail(console.ExitUsage,
			"leave --dar out, and upload with florin dar upload and a token of the issuer",
			"--dar uploads with a development token, which a node with the keys of an issuer does not take")
	}
	for _, path := range c.DAR {
		info, err := os.Stat(path)
		if err != nil {
			return nil, console.Fail(console.ExitUsage,
				"name a file that the compiler wrote, as in --dar .daml/dist/notes-1.0.0.dar", "--dar: %w", err)
		}
		if info.IsDir() {
			return nil, console.Fail(console.ExitUsage, "name a file in it", "--dar: %s is a directory", path)
		}
	}
	if c.InitScript == "" {
		return nil, nil //nolint:nilnil // as the comment has it
	}
	return daml.FindInitScript(ctx, c.DAR, c.InitScript)
}

// seed puts on the ledger what the command line names, over HTTP as any client would. It is done once: a node that is
// stopped and started again has it, and does not ask for files that may be gone.
func (m *machine) seed(ctx context.Context) error {
	if m.seeded {
		return nil
	}
	for _, path := range m.command.DAR {
		m.progress("upload " + path)
		if err := m.client().UploadDAR(ctx, path); err != nil {
			return err
		}
	}
	if err := m.beginLedger(ctx); err != nil {
		return err
	}
	m.seeded, m.begin = true, nil
	return nil
}

// begun is what the data directory remembers of the script that the ledger began with.
type begun struct {
	Script string    `json:"script"`
	DAR    string    `json:"dar"`
	At     time.Time `json:"at"`
	// Done: the script came to its end.
	Done    bool           `json:"done"`
	Parties []ledger.Party `json:"parties"`
}

// begunFile is where it does so.
func (m *machine) begunFile() string { return filepath.Join(m.directory.Path(), "init-script.json") }

// beginLedger runs the script that the ledger is to begin with, unless one has run. It is noted before it runs: a part
// of what it does may stay when it fails, so that it never runs twice.
func (m *machine) beginLedger(ctx context.Context) error {
	known, err := m.readBegun()
	if err != nil {
		return err
	}
	if known != nil && (known.Done || m.begin == nil) {
		m.begun = known
		if m.begin != nil && known.Script != m.command.InitScript {
			m.progress("leave " + m.command.InitScript + " out, as the ledger began with " + known.Script)
		}
		return nil
	}
	if known != nil {
		return console.Fail(console.ExitFailed, m.invocation("reset")+" forgets the ledger, for a new beginning; "+
			"without --init-script the node starts as it is",
			"the init script %s ran on this ledger at %s and did not come to its end, so that it is not run again",
			known.Script, known.At.Format(time.RFC3339))
	}
	if m.begin == nil {
		return nil
	}
	now := &begun{Script: m.command.InitScript, DAR: m.begin.File(), At: time.Now().UTC().Truncate(time.Second)}
	if err := m.writeBegun(now); err != nil {
		return err
	}
	m.progress("run " + now.Script + " of " + now.DAR)
	if now.Parties, err = m.begin.Run(ctx, m.client()); err != nil {
		return fmt.Errorf("the init script: %w", err)
	}
	now.Done, m.begun = true, now
	return m.writeBegun(now)
}

func (m *machine) readBegun() (*begun, error) {
	content, err := os.ReadFile(m.begunFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // a ledger without one
	}
	var out begun
	if err == nil {
		err = json.Unmarshal(content, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("read what the ledger began with, %s: %w", m.begunFile(), err)
	}
	return &out, nil
}

func (m *machine) writeBegun(now *begun) error {
	content, err := json.Marshal(now)
	if err != nil {
		return err
	}
	beside := m.begunFile() + ".new"
	if err := os.WriteFile(beside, content, 0o600); err != nil {
		return err
	}
	return os.Rename(beside, m.begunFile())
}

// begunLines say which script the ledger began with.
func (m *machine) begunLines() string {
	if m.begun == nil {
		return ""
	}
	line := fmt.Sprintf("%s of %s, run at %s", m.begun.Script, filepath.Base(m.begun.DAR), m.begun.At.Format(time.RFC3339))
	if !m.begun.Done {
		line += ", did not come to its end"
	}
	lines := []string{line}
	for _, party := range m.begun.Parties {
		lines = append(lines, string(party))
	}
	return "\nThe init script:\n\n  " + strings.Join(lines, "\n  ") + "\n"
}
