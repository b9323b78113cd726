package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// DARUploadCommand uploads DAR files.
type DARUploadCommand struct {
	Node
	console.Output

	Files []string `arg:"" name:"dar" help:"The DAR files, each after those that it follows as a newer version."`
}

// Run uploads one file after the other, and ends with the first that is refused. It prints those that were taken.
func (c *DARUploadCommand) Run(ctx context.Context) error {
	var sent []sentDAR
	failure := c.with(ctx, func(ctx context.Context, s *Session) error {
		for _, path := range c.Files {
			if err := s.uploadDAR(ctx, path); err != nil {
				return err
			}
			sent = append(sent, sentDAR{path, "uploaded"})
		}
		return nil
	})
	answer, lines := console.Answer{Data: sent}, []string{}
	for _, one := range sent {
		lines = append(lines, one.File+": "+one.Answer)
		answer.Names = append(answer.Names, one.File)
	}
	answer.Text = strings.Join(lines, "\n")
	if failure != nil && len(sent) == 0 {
		return failure
	}
	if err := c.Print(answer); err != nil {
		return err
	}
	return failure
}

// sentDAR is a file as the command shows it.
type sentDAR struct {
	File   string `json:"file"`
	Answer string `json:"answer"`
}

// uploadDAR uploads a file. What the node says of it is explained with the file's name.
func (s *Session) uploadDAR(ctx context.Context, path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return console.Fail(console.ExitFailed, "", "%w", err)
	}
	admin, err := s.Admin()
	if err == nil {
		err = admin.UploadDAR(ctx, content)
	}
	return OfFile(path, s.Explain(err))
}

// UploadDAR uploads a file.
func (n Node) UploadDAR(ctx context.Context, path string) error {
	return n.with(ctx, func(ctx context.Context, s *Session) error { return s.uploadDAR(ctx, path) })
}

// OfFile is an explained error with the file that it is about, which the explanation leaves out.
func OfFile(path string, err error) error {
	if failed, ok := errors.AsType[*console.Error](err); ok && !strings.Contains(failed.Error(), path) {
		return &console.Error{Code: failed.Code, Hint: failed.Hint, Err: fmt.Errorf("%s: %w", path, failed.Err)}
	}
	return err
}

// DARListCommand lists the packages that commands may use.
type DARListCommand struct {
	Node
	console.Output
}

// Run prints them by name and version.
func (c *DARListCommand) Run(ctx context.Context) error {
	var packages []client.Package
	err := c.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) (err error) {
		packages, err = admin.Packages(ctx)
		return err
	})
	if err != nil {
		return err
	}
	answer := console.Answer{Data: packages, Table: console.Table{Head: []string{"NAME", "VERSION", "PACKAGE"}}}
	for _, pkg := range packages {
		answer.Table.Rows = append(answer.Table.Rows, []string{pkg.Name, pkg.Version, pkg.ID})
		answer.Names = append(answer.Names, pkg.ID)
	}
	return c.Print(answer)
}
