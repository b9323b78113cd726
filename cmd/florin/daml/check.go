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

	Offline bool     `help:"Use no node: check against the built-in packages only, for example in a CI job."`
	Files   []string `arg:"" name:"dar" help:"DAR files, in upload order."`
}

// Help is the detailed help of the command.
func (*checkCommand) Help() string {
	return `Example, with an old and a new version:

  florin dar check --offline notes-1.0.0.dar notes-1.1.0.dar

The command checks each file against the packages of the node and against the valid files before it. It also asks the
node which of its active contracts the new version could not use: where the version computes other signatories, observers
or keys than when they were created, or refuses their payload. Nothing is uploaded.`
}

// Run checks the files in order. Its exit code is 1 if a file is refused, or could not use an active contract.
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
		empty.ask = func(data []byte) (found []client.CheckedTemplate, refused bool, err error) {
			found, err = admin.CheckContracts(ctx, data)
			return found, client.Code(err) != "", s.Explain(err)
		}
		return c.each(ctx, &empty, os.Stdout)
	})
}

type checkResult struct {
	File   string `json:"file"`
	Answer string `json:"answer"`
	Error  string `json:"error,omitempty"`
	// Templates has the checked contracts of older versions; nil without a node.
	Templates []client.CheckedTemplate `json:"templates,omitempty"`
}

// each checks the files, and prints each result.
func (c *checkCommand) each(ctx context.Context, checker *darChecker, to io.Writer) error {
	var checked []checkResult
	var failures []error
	for _, path := range c.Files {
		one := checkResult{File: path, Answer: "fine"}
		var err error
		if one.Templates, err = checker.add(ctx, path); err == nil {
			err = unreadable(path, one.Templates)
			one.Answer = answerFor(one.Templates)
		} else {
			one.Answer = "refused"
		}
		if err != nil {
			one.Error = err.Error()
			failures = append(failures, err)
			if _, ok := errors.AsType[noAnswerError](err); ok || ctx.Err() != nil { // no answer about the other files, either
				return err
			}
		}
		checked = append(checked, one)
	}
	answer, lines := console.Answer{Data: checked}, []string{}
	for _, one := range checked {
		lines = append(lines, one.File+": "+one.Answer)
		lines = append(lines, describeChecked(one.Templates)...)
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

// noAnswerError says why a node gave no answer about a file.
type noAnswerError struct{ error }

// Unwrap returns the reason.
func (e noAnswerError) Unwrap() error { return e.error }

// darChecker checks files against a ledger and against the valid files before them.
type darChecker struct {
	has upload.Ledger
	// ask asks a node whether it refuses a file, and how many contracts the file could not use; nil for no node. Other
	// errors say nothing about the file.
	ask func(data []byte) (found []client.CheckedTemplate, refused bool, err error)
}

// add adds a file, or says why an upload would fail.
func (d *darChecker) add(ctx context.Context, path string) (templates []client.CheckedTemplate, err error) {
	data, err := content(path)
	if err != nil {
		return nil, refused(path, err)
	}
	found, err := upload.Check(ctx, data, d.has, upload.DefaultLimits())
	if _, isRefusal := fault.As(err); err != nil && !isRefusal {
		return nil, err
	}
	if err != nil {
		return nil, refusedContent(path, data, err)
	}
	if d.ask != nil {
		var refused bool
		templates, refused, err = d.ask(data)
		switch {
		case err != nil && refused:
			return nil, remote.OfFile(path, err)
		case err != nil:
			return nil, noAnswerError{remote.OfFile(path, err)}
		}
	}
	for _, added := range found.Added {
		d.has.Uploaded[added.ID] = added.Package
		d.has.Bytes += int64(len(added.Payload))
	}
	return templates, nil
}
