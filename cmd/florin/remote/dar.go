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

	Files []string `arg:"" name:"dar" help:"DAR files; a newer version of a package comes after the older one."`
}

// Run uploads the files in order, and ends at the first refusal. It prints the uploaded files.
func (c *DARUploadCommand) Run(ctx context.Context) error {
	var uploaded []uploadedDAR
	progress := c.NewProgress(ctx)
	defer progress.End()
	failure := c.with(ctx, func(ctx context.Context, s *Session) error {
		for _, path := range c.Files {
			progress.Resume("upload "+path, int64(len(c.Files)))
			if err := s.uploadDAR(ctx, path); err != nil {
				return err
			}
			progress.Add(1)
			uploaded = append(uploaded, uploadedDAR{path, "uploaded"})
		}
		return nil
	})
	progress.End()
	answer, lines := console.Answer{Data: uploaded}, []string{}
	for _, one := range uploaded {
		lines = append(lines, one.File+": "+one.Answer)
		answer.Names = append(answer.Names, one.File)
	}
	answer.Text = strings.Join(lines, "\n")
	if failure != nil && len(uploaded) == 0 {
		return failure
	}
	if err := c.Print(answer); err != nil {
		return err
	}
	return failure
}

type uploadedDAR struct {
	File   string `json:"file"`
	Answer string `json:"answer"`
}

// uploadDAR names the file in its errors.
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

// OfFile adds the name of a file to an explained error.
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
