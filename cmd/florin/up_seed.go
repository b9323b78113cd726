package main

import (
	"context"
	"os"

	"github.com/florinledger/florin/cmd/florin/console"
)

// checkSeed refuses, before anything is started, what could not be put on the ledger once the node runs.
func (c *upCommand) checkSeed() error {
	if len(c.DAR) == 0 {
		return nil
	}
	if c.hasIssuer() {
		return console.Fail(console.ExitUsage, "leave --dar out, and upload with florin dar upload and a token of the issuer",
			"--dar uploads with a development token, which a node with the keys of an issuer does not take")
	}
	for _, path := range c.DAR {
		info, err := os.Stat(path)
		if err != nil {
			return console.Fail(console.ExitUsage, "name a file that the compiler wrote, as in --dar .daml/dist/notes-1.0.0.dar",
				"--dar: %w", err)
		}
		if info.IsDir() {
			return console.Fail(console.ExitUsage, "name a file in it", "--dar: %s is a directory", path)
		}
	}
	return nil
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
	m.seeded = true
	return nil
}
