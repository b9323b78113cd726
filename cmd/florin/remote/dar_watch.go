package remote

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/internal/wait"
)

// DARWatchCommand uploads DAR files, and uploads a file again when it changes.
type DARWatchCommand struct {
	Node

	Files []string `arg:"" name:"dar" help:"DAR files to watch."`
}

// Help is the detailed help of the command.
func (*DARWatchCommand) Help() string {
	return `Example, beside a compiler that builds whenever a source changes:

  florin dar watch .daml/dist/notes-1.0.0.dar

It is for development ledgers, and sends development tokens. A package that has changed needs another version, or
another name: what is on a ledger stays there. What the node refuses is printed, and the next change is tried again.`
}

// Run uploads until a signal ends it.
func (c *DARWatchCommand) Run(ctx context.Context) error {
	if c.Token != "" || c.TokenFile != "" {
		return console.Fail(console.ExitUsage, c.Florin("dar", "upload")+" uploads once, with a token of any issuer",
			"dar watch is for development ledgers: it sends development tokens, and does not accept --token")
	}
	watched := make([]watchedDAR, len(c.Files))
	for i, path := range c.Files {
		if info, err := os.Stat(path); err != nil {
			return console.Fail(console.ExitFailed, "build it first", "%w", err)
		} else if info.IsDir() {
			return console.Fail(console.ExitFailed, "name a file in it", "%s is a directory", path)
		}
		watched[i].path = path
	}
	err := c.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) error {
		_, err := admin.Packages(ctx) // fail early without a node, or without the right
		return err
	})
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		for i := range watched {
			if err := c.look(ctx, &watched[i], first); err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "florin: "+console.Text(err.Error()))
			}
		}
		if first {
			fmt.Fprintf(os.Stderr, "florin: watching %s\n", strings.Join(c.Files, ", "))
		}
		if err := wait.For(ctx, watchPause); err != nil {
			return console.Silent(console.EndOf(ctx)) // the command has no other end
		}
	}
}

// watchPause is the pause between two checks of the files.
const watchPause = 300 * time.Millisecond

type watchedDAR struct {
	path string
	// seen is the state of the file at the last check, tried its state at the last upload.
	seen, tried string
	// uploaded is the hash of the last successful upload.
	uploaded [sha256.Size]byte
	// lastError is the printed error of the last upload: the same error is printed once.
	lastError string
}

// look uploads a changed file when it does not change any more.
func (c *DARWatchCommand) look(ctx context.Context, of *watchedDAR, now bool) error {
	info, err := os.Stat(of.path)
	if err != nil {
		of.seen, of.tried = "", ""
		return nil //nolint:nilerr // compilers remove a file before they write it again
	}
	like := fmt.Sprint(info.ModTime(), info.Size())
	settled := like == of.seen || now
	of.seen = like
	if !settled || like == of.tried {
		return nil
	}
	content, err := os.ReadFile(of.path)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	hash := sha256.Sum256(content)
	if hash == of.uploaded {
		of.tried = like
		return nil
	}
	if err := c.UploadDAR(ctx, of.path); err != nil {
		if console.CodeOf(err) != console.ExitNoNode { // the node may come back
			of.tried = like
		}
		if of.lastError == err.Error() {
			return nil
		}
		of.lastError = err.Error()
		return err
	}
	of.tried, of.uploaded, of.lastError = like, hash, ""
	console.Println(of.path + ": uploaded")
	return nil
}
