package daml

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/packages/upload"
)

type checkCommand struct {
	remote.Node
	console.Output

	Offline bool     `help:"Ask no node: check on top of the built-in packages alone, in a CI job for example."`
	Files   []string `arg:"" name:"dar" help:"The DAR files, in the order in which they are uploaded."`
}

// Help shows how the command is used, below what it does.
func (*checkCommand) Help() string {
	return `Example, of a new version and of the one that it follows:

  florin dar check --offline notes-1.0.0.dar notes-1.1.0.dar

Each file is checked on top of those before it that were not refused, and on top of what the node has.`
}

// Run checks one file after the other. Its exit code is 1 when one was refused.
func (c *checkCommand) Run(ctx context.Context) error {
	builtIn, err := ledger.NewPackages(builtin.Packages()...)
	if err != nil {
		return err
	}
	empty := darChecker{has: upload.Ledger{BuiltIn: builtIn, Uploaded: ast.Packages{}}}
	if c.Offline {
		return c.each(ctx, &empty, os.Stdout)
	}
	return c.AsUser(ctx, "", func(ctx context.Context, s *remote.Session, admin *client.Client) error {
		empty.ask = func(data []byte) (refused bool, err error) {
			err = admin.ValidateDAR(ctx, data)
			return client.Code(err) != "", s.Explain(err)
		}
		return c.each(ctx, &empty, os.Stdout)
	})
}

// checkedDAR is a file as the command shows it.
type checkedDAR struct {
	File   string `json:"file"`
	Answer string `json:"answer"`
	Error  string `json:"error,omitempty"`
}

// each checks the files, and prints what is said of each.
func (c *checkCommand) each(ctx context.Context, checker *darChecker, to io.Writer) error {
	var checked []checkedDAR
	var failures []error
	for _, path := range c.Files {
		one := checkedDAR{File: path, Answer: "fine"}
		if err := checker.add(ctx, path); err != nil {
			one.Answer, one.Error = "refused", err.Error()
			failures = append(failures, err)
			if _, unasked := errors.AsType[unaskedError](err); unasked || ctx.Err() != nil { // the others cannot be asked about, either
				return err
			}
		}
		checked = append(checked, one)
	}
	answer, lines := console.Answer{Data: checked}, []string{}
	for _, one := range checked {
		lines = append(lines, one.File+": "+one.Answer)
		if one.Error == "" {
			answer.Names = append(answer.Names, one.File)
		}
	}
	answer.Text = strings.Join(lines, "\n")
	if err := c.PrintTo(to, answer); err != nil {
		return err
	}
	return console.FailAll(failures)
}

// unaskedError says why a node gave no answer about a file.
type unaskedError struct{ error }

// Unwrap gives the reason.
func (e unaskedError) Unwrap() error { return e.error }

// darChecker checks files on top of those that it took before.
type darChecker struct {
	has upload.Ledger
	// ask asks a node what it would say of a file; nil for none. An error that is no refusal says nothing of the file.
	ask func(data []byte) (refused bool, err error)
}

// add takes a file, or says why an upload of it would be refused.
func (d *darChecker) add(ctx context.Context, path string) error {
	data, err := content(path)
	if err != nil {
		return refused(path, err)
	}
	found, err := upload.Check(ctx, data, d.has, upload.DefaultLimits())
	if _, isRefusal := fault.As(err); err != nil && !isRefusal {
		return err
	}
	if err != nil {
		return refusedContent(path, data, err)
	}
	if d.ask != nil {
		refused, err := d.ask(data)
		switch {
		case err != nil && refused:
			return remote.OfFile(path, err)
		case err != nil:
			return unaskedError{remote.OfFile(path, err)}
		}
	}
	for _, added := range found.Added {
		d.has.Uploaded[added.ID] = added.Package
		d.has.Bytes += int64(len(added.Payload))
	}
	return nil
}
