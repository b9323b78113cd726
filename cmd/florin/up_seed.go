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

// checkSeed checks --dar and --init-script before anything starts. It returns the init script, or nil without one.
func (c *upCommand) checkSeed(ctx context.Context) (*daml.InitScript, error) {
	if len(c.DAR) == 0 {
		if c.InitScript != "" {
			return nil, console.Fail(console.ExitUsage, "name the DAR file of the script with --dar",
				"--init-script=%s has no DAR file", c.InitScript)
		}
		return nil, nil //nolint:nilnil // as the comment has it
	}
	if c.HasIssuer() {
		return nil, console.Fail(console.ExitUsage,
			"leave --dar out, and upload with florin dar upload and a token of the issuer",
			"--dar uploads with a development token, which a node with the keys of an issuer does not accept")
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

// seed uploads the DAR files and runs the init script over HTTP, as any client would. It does so once: a node that
// starts again has them, and the files may not exist any more.
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
	if err := m.runInitScript(ctx); err != nil {
		return err
	}
	m.seeded, m.initScript = true, nil
	return nil
}

// scriptRun is the run of the init script, as the data directory stores it.
type scriptRun struct {
	Script string    `json:"script"`
	DAR    string    `json:"dar"`
	At     time.Time `json:"at"`
	// Done: the script finished.
	Done    bool           `json:"done"`
	Parties []ledger.Party `json:"parties"`
}

func (m *machine) scriptRunFile() string {
	return filepath.Join(m.directory.Path(), "init-script.json")
}

// runInitScript runs the init script, unless the ledger has run one. It stores the run before the start: a failed
// script may leave transactions on the ledger, so it must not run a second time.
func (m *machine) runInitScript(ctx context.Context) error {
	known, err := m.readScriptRun()
	if err != nil {
		return err
	}
	if known != nil && (known.Done || m.initScript == nil) {
		m.scriptRun = known
		if m.initScript != nil && known.Script != m.command.InitScript {
			m.progress("skip " + m.command.InitScript + ": this ledger has run " + known.Script)
		}
		return nil
	}
	if known != nil {
		return console.Fail(console.ExitFailed, m.invocation("reset")+" deletes the ledger, to begin again; "+
			"without --init-script the node starts with this ledger",
			"the init script %s started on this ledger at %s and did not finish; florin does not run it again",
			known.Script, known.At.Format(time.RFC3339))
	}
	if m.initScript == nil {
		return nil
	}
	now := &scriptRun{Script: m.command.InitScript, DAR: m.initScript.File(), At: time.Now().UTC().Truncate(time.Second)}
	if err := m.writeScriptRun(now); err != nil {
		return err
	}
	m.progress("run " + now.Script + " of " + now.DAR)
	if now.Parties, err = m.initScript.Run(ctx, m.client()); err != nil {
		return fmt.Errorf("the init script: %w", err)
	}
	now.Done, m.scriptRun = true, now
	return m.writeScriptRun(now)
}

func (m *machine) readScriptRun() (*scriptRun, error) {
	content, err := os.ReadFile(m.scriptRunFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // a ledger without one
	}
	var out scriptRun
	if err == nil {
		err = json.Unmarshal(content, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("read the run of the init script, %s: %w", m.scriptRunFile(), err)
	}
	return &out, nil
}

func (m *machine) writeScriptRun(now *scriptRun) error {
	content, err := json.Marshal(now)
	if err != nil {
		return err
	}
	beside := m.scriptRunFile() + ".new"
	if err := os.WriteFile(beside, content, 0o600); err != nil {
		return err
	}
	return os.Rename(beside, m.scriptRunFile())
}

func (m *machine) scriptRunLines() string {
	if m.scriptRun == nil {
		return ""
	}
	line := fmt.Sprintf("%s of %s, run at %s", m.scriptRun.Script, filepath.Base(m.scriptRun.DAR),
		m.scriptRun.At.Format(time.RFC3339))
	if !m.scriptRun.Done {
		line += ", did not finish"
	}
	lines := []string{line}
	for _, party := range m.scriptRun.Parties {
		lines = append(lines, string(party))
	}
	return "\nThe init script:\n\n  " + strings.Join(lines, "\n  ") + "\n"
}
