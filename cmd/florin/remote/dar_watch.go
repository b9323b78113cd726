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

// DARWatchCommand uploads DAR files, and again whenever one changes.
type DARWatchCommand struct {
	Node

	Files []string `arg:"" name:"dar" help:"The DAR files, which the compiler writes anew."`
}

// Help shows how the command is used, below what it does.
func (*DARWatchCommand) Help() string {
	return `Example, beside a compiler that builds whenever a source changes:

  florin dar watch .daml/dist/notes-1.0.0.dar

It is for development ledgers, and sends development tokens. A package that has changed needs another version, or
another name: what is on a ledger stays there. What the node refuses is printed, and the next change is tried again.`
}

// Run uploads until it is told to end.
func (c *DARWatchCommand) Run(ctx context.Context) error {
	if c.Token != "" || c.TokenFile != "" {
		return console.Fail(console.ExitUsage, c.Florin("dar", "upload")+" uploads once, with a token of any issuer",
			"dar watch is for development ledgers: it sends development tokens, and takes no --token")
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
		_, err := admin.Packages(ctx) // with no node, or none that lets the user, there is nothing to wait for
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
			return console.Silent(console.EndOf(ctx)) // as is the only way to end this
		}
	}
}

// watchPause is between two looks at files: soon for a person, and rare for a disk.
const watchPause = 300 * time.Millisecond

// watchedDAR is a file that is watched.
type watchedDAR struct {
	path string
	// seen is what the file was like at the last look, tried what it was like when it was sent last.
	seen, tried string
	// sent is the hash of what the node has taken.
	sent [sha256.Size]byte
	// said is what was printed of the last try: what stays wrong is said once.
	said string
}

// look uploads a file that has changed, once it does not change any more.
func (c *DARWatchCommand) look(ctx context.Context, of *watchedDAR, now bool) error {
	info, err := os.Stat(of.path)
	if err != nil {
		of.seen, of.tried = "", ""
		return nil //nolint:nilerr // compilers take a file away before they write it anew
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
	if hash == of.sent {
		of.tried = like
		return nil
	}
	if err := c.UploadDAR(ctx, of.path); err != nil {
		if console.CodeOf(err) != console.ExitNoNode { // which may come back
			of.tried = like
		}
		if of.said == err.Error() {
			return nil
		}
		of.said = err.Error()
		return err
	}
	of.tried, of.sent, of.said = like, hash, ""
	console.Println(of.path + ": uploaded")
	return nil
}
